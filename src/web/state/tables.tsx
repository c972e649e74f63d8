import type { AuditEntry, LastEdge, Status } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Moment } from "../element/moment.tsx";
import { Failed, Nothing, OnTag, Panel } from "../element/notice.tsx";
import { useFormat } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { auditTexts } from "../messages/audit.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";

export function LineCard({ status: { linesWired, linesWatched, lastEdges } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { count } = useFormat();
  const isWell = linesWatched === linesWired;
  return (
    <Panel
      title={texts.lines}
      beside={
        linesWired > 0 && (
          <span class={isWell ? "tag" : "tag tag-bad"}>
            {texts.linesWatched(count(linesWatched), count(linesWired))}
          </span>
        )
      }
    >
      {lastEdges.length === 0 ? (
        <Nothing title={texts.linesNone} detail={texts.linesNoneDetail} />
      ) : (
        <EdgeTable edges={lastEdges} />
      )}
    </Panel>
  );
}

function EdgeTable({ edges }: { readonly edges: readonly LastEdge[] }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  return (
    <DataTable
      caption={texts.lastEdges}
      rows={[...edges].sort((one, other) => format.compare(one.line, other.line))}
      keyOf={(edge) => edge.line}
      columns={[
        { title: texts.line, isName: true, cell: (edge) => edge.line },
        {
          title: texts.room,
          cell: (edge) => (
            <span>
              {edge.room} <span class="soft">{edge.deviceName}</span>
            </span>
          ),
        },
        {
          title: texts.level,
          cell: ({ level }) =>
            level === null ? <span class="soft">{texts.never}</span> : <OnTag isOn={level} />,
        },
        {
          title: texts.lastChange,
          cell: ({ time, provisional }) =>
            time === null ? "–" : <Moment timeMs={time} isProvisional={provisional} />,
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
  const entries = useData("/api/audit", ["void", "locations"], { limit: String(SHOWN_ENTRIES) });
  if (entries.kind === "waiting") return null;
  return (
    <Panel title={texts.title}>
      <p class="soft">{texts.intro}</p>
      <Failed of={entries} />
      {entries.kind === "ready" &&
        (entries.value.length === 0 ? (
          <Nothing title={texts.none} />
        ) : (
          <AuditTable entries={entries.value} />
        ))}
    </Panel>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const texts = useTexts(auditTexts);
  const format = useFormat();
  return (
    <DataTable
      caption={texts.title}
      rows={entries}
      keyOf={(entry) => entry.auditId}
      columns={[
        {
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
        { title: texts.who, cell: (entry) => actorText(entry, texts) },
        {
          title: texts.when,
          cell: ({ time, provisional }) => <Moment timeMs={time} isProvisional={provisional} />,
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
