import type { Api } from "./api.ts";
import { flag, type Json, list, number, object, text } from "./read.ts";

/** Something that somebody did: signed in, changed a line's price, took a record back. */
export interface AuditEntry {
  readonly auditId: number;
  /** Which one it is: the page says it in the user's language. */
  readonly kind: string;
  readonly timeMs: number;
  readonly isProvisional: boolean;
  /** `network`, `command` or `service`. */
  readonly way: string;
  /** E-mail of the signed-in user; null without one. */
  readonly who: string | null;
  /** Address, or the system's user. */
  readonly from: string;
  /** Values for the text; which ones goes by the kind. */
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

const SHOWN = 12;

/** The latest entries, newest first. */
export async function loadAudit(api: Pick<Api, "get">): Promise<readonly AuditEntry[]> {
  return list(await api.get(`/api/audit?limit=${SHOWN}`), "data", auditEntryOf);
}

export function auditEntryOf(data: Json): AuditEntry {
  return {
    auditId: number(data, "auditId"),
    kind: text(data, "kind"),
    timeMs: number(data, "time"),
    isProvisional: flag(data, "provisional"),
    way: text(data, "way"),
    who: data["who"] === null ? null : text(data, "who"),
    from: text(data, "from"),
    details: detailsOf(object(data["details"], "details")),
  };
}

function detailsOf(details: Json): AuditEntry["details"] {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(details)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      values[name] = value;
  }
  return values;
}
