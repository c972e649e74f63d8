import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { type AuditKind, type AuditNote, SERVICE_ACTOR } from "../domain/audit.ts";
import type { BootMoment } from "../domain/boot.ts";
import { type Clock, type ClockTrust, DAY_MS, HOUR_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { orNothing } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { isQuiet, parseQuietHours } from "../domain/notice.ts";
import { UPDATE_FAILURES, type UpdateFailure, type UpdatesStatus } from "../domain/status.ts";

/** Updates are looked for once in each night's hours, also where these begin earlier than the night before. */
const NIGHT_MS = 20 * HOUR_MS;
/** So many audit entries since an update are looked through for the one that tells of it. */
const MAX_ENTRIES = 200;

/** Where this service and root's part (packaging/root/usr/lib/flanco/updates) meet. */
const PLACES = {
  /** Exists where an administrator has let updates come by themselves. */
  allowed: "/etc/flanco/updates",
  /** The service makes it, and systemd starts root's part. */
  request: "/run/flanco/update",
  /** What root's part has done: lines of `name=value`, replaced as a whole. */
  result: "/var/lib/flanco-updates/result",
};

const seconds = z.coerce.number().transform((value) => value * SECOND_MS);
const text = z.string().default("");
const resultSchema = z.object({
  begun: seconds,
  /** The boot that it began in. */
  boot: text,
  from: text,
  /** The reason of the run before, with its version. */
  before: text,
  failing: seconds.optional(),
  succeeded: seconds.optional(),
  ended: seconds.optional(),
  to: text,
  packages: text,
  reason: z.enum(UPDATE_FAILURES).optional(),
  version: text,
  said: text,
});
type UpdateResult = z.infer<typeof resultSchema>;

export interface UpdatesOptions {
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly bootId: string;
  readonly log: Log;
  readonly reader: Pick<LedgerReader, "audit" | "commissions" | "lineTests" | "localTime">;
  readonly writer: Pick<LedgerWriter, "noteAudit">;
  /** When updates come, by the page: `04:00-06:00`; empty: never. */
  readonly hours: () => string;
  /** In place of this machine's. */
  readonly places?: typeof PLACES;
}

/**
 * Lets updates come at a good moment, and tells what became of them. The service has no right to install
 * anything: it asks root's part, which knows by itself what it may install, and reads what that has written.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #places: typeof PLACES;
  #result: UpdateResult | undefined;
  /** Which run the audit log has, by its beginning. */
  #notedMs: number | undefined;
  #requestedMs = 0;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#places = options.places ?? PLACES;
  }

  /** How they fare; null unless an administrator has let them come by themselves. */
  get status(): UpdatesStatus | null {
    if (!existsSync(this.#places.allowed)) return null;
    const hours = this.#options.hours();
    const result = this.#result;
    if (result === undefined) return { hours, ranMs: null, succeededMs: null, failure: null };
    const { begun, succeeded = null, failing = begun, version, said } = result;
    const reason = this.#reasonOf(result);
    const failure = reason && { reason, sinceMs: failing, version, message: said };
    return { hours, ranMs: begun, succeededMs: succeeded, failure };
  }

  /** Whether they are to come at this moment: the caller makes a backup first, and then calls `request`. */
  isDue(): boolean {
    const { clock, trust, bootId, reader, hours } = this.#options;
    const within = parseQuietHours(hours());
    if (within === undefined || !trust.trusted() || !existsSync(this.#places.allowed)) return false;
    const nowMs = clock.nowMs();
    if (!isQuiet(reader.localTime(nowMs), within)) return false;
    // Also where root's part has not taken up the request.
    const last = [this.#result?.begun ?? 0, this.#requestedMs];
    if (last.some((ms) => Math.abs(nowMs - ms) < NIGHT_MS)) return false;
    // Who tests lines at night, or has a commissioning open, is not to lose the service.
    const now: BootMoment = { bootId, monotonicMs: monotonicMs(clock) };
    return reader.lineTests(now).length + reader.commissions().length === 0;
  }

  /** Asks root's part to begin. Call it once a backup was proved. */
  request(): void {
    const { clock, log } = this.#options;
    this.#requestedMs = clock.nowMs();
    try {
      writeFileSync(this.#places.request, "");
      log.info({}, "a backup was proved: updates may come");
    } catch (err) {
      log.warn({ err }, "updates cannot be asked for");
    }
  }

  /** Reads what root's part has done, and writes to the audit log what it has not yet. */
  async look(): Promise<void> {
    const { reader, writer, log } = this.#options;
    const result = readResult(this.#places.result);
    this.#result = result;
    if (result === undefined || result.begun === this.#notedMs || this.#isUnderWay(result)) return;
    const notes = notesOf(result, this.#reasonOf(result));
    // The process before this one may have noted it.
    const search = { before: null, sinceMs: result.begun, limit: MAX_ENTRIES };
    const isNoted = notes.length === 0 || reader.audit(search).some(({ kind }) => KINDS.includes(kind));
    if (!isNoted) {
      await writer.noteAudit(notes);
      for (const { kind, details } of notes) log.info(details, kind);
    }
    this.#notedMs = result.begun;
  }

  #isUnderWay({ begun, boot, ended }: UpdateResult): boolean {
    const { clock, bootId } = this.#options;
    return ended === undefined && boot === bootId && Math.abs(clock.nowMs() - begun) < DAY_MS;
  }

  #reasonOf(result: UpdateResult): UpdateFailure | null {
    if (result.ended !== undefined) return result.reason ?? null;
    return this.#isUnderWay(result) ? null : "interrupted";
  }
}

const KINDS: readonly AuditKind[] = ["updated", "update_failed"];

/** What the audit log gets of a run: nothing where it found nothing new, or failed as the one before. */
function notesOf(
  { from, to, packages, before, version, said }: UpdateResult,
  reason: UpdateFailure | null,
): readonly AuditNote[] {
  const common = { userId: null, actor: SERVICE_ACTOR };
  const failed = { reason: reason ?? "", version, said };
  return [
    ...(packages === "" ? [] : [{ ...common, kind: "updated", details: { from, to, packages } } as const]),
    ...(reason === null || `${reason} ${version}`.trim() === before
      ? []
      : [{ ...common, kind: "update_failed", details: failed } as const]),
  ];
}

/** Undefined before the first run, and where the file is not as it should be. */
function readResult(file: string): UpdateResult | undefined {
  const content = orNothing(() => readFileSync(file, "utf8"));
  const lines = content?.split("\n").map((line) => /^(\w+)=(.+)$/.exec(line)) ?? [];
  const values = Object.fromEntries(lines.flatMap((line) => (line === null ? [] : [[line[1], line[2]]])));
  return resultSchema.safeParse(values, { jitless: true }).data;
}
