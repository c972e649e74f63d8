import { type Actor, type AuditNote, networkActor } from "../domain/audit.ts";
import { type Clock, monotonicMs } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";

/** At most one write in this time, however many try. */
const NOTE_EVERY_MS = 60_000;
/** Addresses and accounts that are told apart in one write; what goes beyond is counted as one. */
const MAX_TOLD = 32;

interface Failures {
  readonly userId: Id | null;
  readonly actor: Actor;
  attempts: number;
}

/**
 * Sign-ins that failed, on their way to the audit log: counted by address and account, and written at once when they
 * are the first for a while, otherwise together once a minute. Who guesses a thousand passwords a second
 * wears out no card and pushes nothing out of the log. What was typed is not kept: people type passwords as e-mails.
 */
export class FailedSignIns {
  readonly #clock: Clock;
  readonly #writer: Pick<LedgerWriter, "noteAudit">;
  readonly #log: Log;
  #failures = new Map<string, Failures>();
  #elsewhere = 0;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(clock: Clock, writer: Pick<LedgerWriter, "noteAudit">, log: Log) {
    this.#clock = clock;
    this.#writer = writer;
    this.#log = log;
  }

  /** Counts one failure from an address; `userId` is null where there is no such account. */
  note(address: string, userId: Id | null): void {
    const key = `${address} ${userId}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.attempts += 1;
    else if (this.#failures.size >= MAX_TOLD) this.#elsewhere += 1;
    else this.#failures.set(key, { userId, actor: networkActor(address, null), attempts: 1 });
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#writtenMs + NOTE_EVERY_MS - monotonicMs(this.#clock));
    this.#timer = setTimeout(() => void this.write(), waitMs);
    this.#timer.unref();
  }

  /** Writes what was counted; resolves once all of it is. Never rejects: what the ledger does not take is counted on. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [failures, elsewhere] = [this.#failures, this.#elsewhere];
    if (failures.size + elsewhere === 0) return;
    this.#failures = new Map();
    this.#elsewhere = 0;
    this.#writtenMs = monotonicMs(this.#clock);
    try {
      await this.#writer.noteAudit(notesOf(failures, elsewhere));
    } catch (error) {
      this.#log.warn({ err: error }, "failed sign-ins could not be noted yet");
      this.#takeBack(failures, elsewhere);
    }
  }

  #takeBack(failures: ReadonlyMap<string, Failures>, elsewhere: number): void {
    this.#elsewhere += elsewhere;
    for (const [key, failed] of failures) {
      const since = this.#failures.get(key);
      if (since !== undefined) since.attempts += failed.attempts;
      else if (this.#failures.size >= MAX_TOLD) this.#elsewhere += failed.attempts;
      else this.#failures.set(key, failed);
    }
  }
}

function notesOf(failures: ReadonlyMap<string, Failures>, elsewhere: number): readonly AuditNote[] {
  const told = [...failures.values()].map(
    ({ userId, actor, attempts }): AuditNote => ({
      kind: "sign_in_failed",
      userId,
      details: { attempts },
      actor,
    }),
  );
  if (elsewhere === 0) return told;
  const others = { attempts: elsewhere, severalAddresses: true };
  return [...told, { kind: "sign_in_failed", userId: null, details: others, actor: networkActor("", null) }];
}
