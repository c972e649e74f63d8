import { listWholeAudit, MAX_AUDIT_PAGE, type WholeAuditEntry } from "../contract/audit.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { ControlClient } from "./api-access.ts";
import { AS_JSON, type CommandTable, command, optional, toCount, toMoment } from "./command.ts";
import { iso } from "./terminal.ts";

const HELP = `
Failed sign-ins are counted and stored once a minute. Of sign-ins, failed ones, sign-outs and
ended sessions the newest 2000 of each account are kept, everything else for ever.

Examples:
  flanco audit
  flanco audit --since 7d
  flanco audit --since 2026-11-21T09:00 --json`;

/** `flanco audit`: actions, each with its user and address. */
export const commands: CommandTable = [
  command(
    "audit",
    "show who did what, and from where: sign-ins, users, wiring, voids, restores, secrets",
    {
      since: optional(
        "--since <when>",
        "only from this time on: a date, a date and time, or 90m, 24h, 7d ago",
        toMoment,
      ),
      limit: optional(
        "--limit <entries>",
        "only the newest so many (default 100; with --since all)",
        toCount,
      ),
      json: AS_JSON,
    },
    HELP,
    async ({ since, limit = since === undefined ? 100 : Number.POSITIVE_INFINITY, json }, call) => {
      const entries = await call.withApi((api) => newest(api, since, limit));
      call.terminal.show(json, entries, entries.map(describe));
    },
  ),
];

/** Oldest first, as a log reads. */
async function newest(
  api: ControlClient,
  since: number | undefined,
  limit: number,
): Promise<readonly WholeAuditEntry[]> {
  const found: WholeAuditEntry[] = [];
  for (let before: number | undefined; found.length < limit; ) {
    const wanted = Math.min(MAX_AUDIT_PAGE, limit - found.length);
    const query = { before: textOf(before), since: textOf(since), limit: String(wanted) };
    const { data }: { data: readonly WholeAuditEntry[] } = await api.ask(listWholeAudit, { query });
    found.push(...data);
    before = data.at(-1)?.auditId;
    if (data.length < wanted) break;
  }
  return found.toReversed();
}

function textOf(number: number | undefined): string | undefined {
  return number === undefined ? undefined : String(number);
}

function describe(entry: WholeAuditEntry): string {
  const { kind, timeMs, provisional, details, user } = entry;
  const time = `${iso(timeMs)}${provisional ? " (clock not set)" : ""}`;
  const said = Object.entries(details).map(([name, value]) => `${name}=${quoted(value)}`);
  const about = user === null ? [] : [`account=${quoted(user)}`];
  return [time, kind, actorText(entry), ...[[...about, ...said].join(" ")].filter(Boolean)].join("\t");
}

function actorText({ way, who, from }: AuditEntry): string {
  if (way === "service") return "by the service itself";
  if (way === "command") return `by a command of ${from === "" ? "?" : from}`;
  return `${who === null ? "" : `by ${who} `}from ${from === "" ? "?" : from}`;
}

/** Keeps an entry on one line, and control characters away from the terminal. */
function quoted(value: string | number | boolean): string {
  return typeof value === "string" && !/^[\w.:@/-]+$/.test(value) ? JSON.stringify(value) : String(value);
}
