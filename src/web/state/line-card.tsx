import type { LastEdge, Status } from "../api/status.ts";
import { DataTable } from "../element/data-table.tsx";
import { Nothing } from "../element/nothing.tsx";
import { useFormat, useVisit } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";

/** Every wired line with its last change. */
export function LineCard({ status: { linesWired, linesWatched, lastEdges } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { count } = useFormat();
  const isWell = linesWatched === linesWired;
  return (
    <section class="panel" aria-labelledby="state-lines">
      <div class="panel-head">
        <h2 id="state-lines">{texts.lines}</h2>
        {linesWired > 0 && (
          <span class={isWell ? "tag" : "tag tag-bad"}>
            {texts.linesWatched(count(linesWatched), count(linesWired))}
          </span>
        )}
      </div>
      {lastEdges.length === 0 ? (
        <Nothing title={texts.linesNone} detail={texts.linesNoneDetail} />
      ) : (
        <EdgeTable edges={lastEdges} />
      )}
    </section>
  );
}

function EdgeTable({ edges }: { readonly edges: readonly LastEdge[] }) {
  const texts = useTexts(stateTexts);
  const { format, now } = useVisit();
  const nowMs = now();
  return (
    <DataTable
      caption={texts.lastEdges}
      rows={edges}
      keyOf={(edge) => edge.line}
      columns={[
        { key: "line", title: texts.line, isName: true, cell: (edge) => edge.line },
        {
          key: "room",
          title: texts.room,
          cell: (edge) => (
            <span>
              {edge.room} <span class="soft">{edge.deviceName}</span>
            </span>
          ),
        },
        {
          key: "level",
          title: texts.level,
          cell: (edge) => {
            if (edge.level === null) return <span class="soft">{texts.never}</span>;
            return <span class={edge.level ? "tag tag-on" : "tag"}>{edge.level ? texts.on : texts.off}</span>;
          },
        },
        {
          key: "time",
          title: texts.lastChange,
          cell: (edge) =>
            edge.timeMs === null ? (
              "–"
            ) : (
              <span>
                <time dateTime={format.iso(edge.timeMs)}>{format.moment(edge.timeMs, nowMs)}</time>
                {edge.isProvisional && <span class="soft"> · {texts.provisionalTime}</span>}
              </span>
            ),
        },
      ]}
    />
  );
}
