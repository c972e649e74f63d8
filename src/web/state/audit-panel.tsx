import { type AuditEntry, loadAudit } from "../api/audit.ts";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { useVisit } from "../frame/visit.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { auditTexts } from "../messages/audit.ts";
import { useTexts } from "../messages/speech.ts";

/** What of an entry's values is money. */
const AMOUNTS = ["valor", "valorBefore"];

/** Who signed in and what was changed lately. */
export function AuditPanel() {
  const texts = useTexts(auditTexts);
  const { part, reload } = useLoaded(loadAudit, "audit", ["void", "places"]);
  if (part.kind === "waiting") return null;
  return (
    <section class="panel" aria-labelledby="state-audit">
      <div class="panel-head">
        <h2 id="state-audit">{texts.title}</h2>
      </div>
      <p class="soft">{texts.intro}</p>
      {part.kind === "failed" && <Unread text={texts.failed} onRetry={reload} />}
      {part.kind === "ready" &&
        (part.value.length === 0 ? <Nothing title={texts.none} /> : <AuditTable entries={part.value} />)}
    </section>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const texts = useTexts(auditTexts);
  const { format, now } = useVisit();
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
          cell: ({ timeMs, isProvisional }) => (
            <span>
              <time dateTime={format.iso(timeMs)}>{format.moment(timeMs, nowMs)}</time>
              {isProvisional && <span class="soft"> · {texts.provisional}</span>}
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
