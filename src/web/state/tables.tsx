import type { AuditAnswer, AuditEntry, LastEdge, Status } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, OnTag, Unread } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { auditTexts } from "../messages/audit.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";

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
  const { format, now } = useGateway();
  const nowMs = now();
  return (
    <DataTable
      caption={texts.lastEdges}
      rows={[...edges].sort((one, other) => format.compare(one.line, other.line))}
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
          cell: ({ level }) =>
            level === null ? <span class="soft">{texts.never}</span> : <OnTag isOn={level} />,
        },
        {
          key: "time",
          title: texts.lastChange,
          cell: (edge) =>
            edge.time === null ? (
              "–"
            ) : (
              <span>
                <time dateTime={format.iso(edge.time)}>{format.moment(edge.time, nowMs)}</time>
                {edge.provisional && <span class="soft"> · {texts.provisionalTime}</span>}
              </span>
            ),
        },
      ]}
    />
  );
}

const SHOWN_ENTRIES = 12;
/** What of an entry's values is money. */
const AMOUNTS = ["valor", "valorBefore"];

export function AuditPanel() {
  const texts = useTexts(auditTexts);
  const { part, reload } = useLoaded(
    async (api) => (await api.get<AuditAnswer>(`/api/audit?limit=${SHOWN_ENTRIES}`)).data,
    "audit",
    ["void", "locations"],
  );
  if (part.kind === "waiting") return null;
  return (
    <section class="panel" aria-labelledby="state-audit">
      <div class="panel-head">
        <h2 id="state-audit">{texts.title}</h2>
      </div>
      <p class="soft">{texts.intro}</p>
      {part.kind === "failed" && <Unread onRetry={reload} />}
      {part.kind === "ready" &&
        (part.value.length === 0 ? <Nothing title={texts.none} /> : <AuditTable entries={part.value} />)}
    </section>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const texts = useTexts(auditTexts);
  const { format, now } = useGateway();
  const nowMs = now();
  return (
    <DataTable
      caption={texts.title}
      rows={entries}
      keyOf={(entry) => entry.auditId}
      columns={[
        {
          key: "what",
          title: texts.what,
          isName: true,
          cell: ({ kind, details }) => {
            const text = Object.entries(texts.kinds).find(([known]) => known === kind)?.[1];
            if (text === undefined) return kind;
            return text((name) => {
              const value = details[name];
              if (typeof value === "number" && AMOUNTS.includes(name)) return format.money(value);
              return value === undefined ? "" : String(value);
            });
          },
        },
        { key: "who", title: texts.who, cell: (entry) => actorText(entry, texts) },
        {
          key: "time",
          title: texts.when,
          cell: ({ time, provisional }) => (
            <span>
              <time dateTime={format.iso(time)}>{format.moment(time, nowMs)}</time>
              {provisional && <span class="soft"> · {texts.provisional}</span>}
            </span>
          ),
        },
      ]}
    />
  );
}

function actorText({ way, who, from }: AuditEntry, texts: (typeof auditTexts)["es"]): string {
  if (way === "service") return texts.byService;
  if (way === "command") return texts.byCommand(from);
  return [who ?? texts.somebody, ...(from === "" ? [] : [texts.fromAddress(from)])].join(" ");
}
