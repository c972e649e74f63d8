import { type AuditNote, networkActor } from "../../domain/audit.ts";
import { type Clock, MINUTE_MS, monotonicMs } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerWriter } from "../../domain/ledger.ts";
import type { Log } from "../../domain/log.ts";

/** At most one write in this time. */
const WRITE_EVERY_MS = MINUTE_MS;
/**
 * The most pairs of address and account that have an entry of
 * their own in one write. All others are counted together.
 */
const MAX_PAIRS = 32;

interface Failures {
  readonly address: string;
  readonly userId: Id | null;
  attempts: number;
}

/**
 * Counts failed sign-ins by address and account, for the audit log. The first is written at once,
 * further ones together once a minute, so that guessing neither wears out the card nor pushes entries
 * out of the log. The typed e-mail is not kept, because people type passwords into its field.
 */
export class FailedSignIns {
  readonly #clock: Clock;
  readonly #writer: Pick<LedgerWriter, "noteAudit">;
  readonly #log: Log;
  #failures = new Map<string, Failures>();
  /** Attempts beyond the pairs that have an entry. */
  #others = 0;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(clock: Clock, writer: Pick<LedgerWriter, "noteAudit">, log: Log) {
    this.#clock = clock;
    this.#writer = writer;
    this.#log = log;
  }

  /** Counts failures from an address; `userId` is null for an unknown account. */
  note(address: string, userId: Id | null, attempts = 1): void {
    const key = `${address} ${userId}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.attempts += attempts;
    else if (this.#failures.size >= MAX_PAIRS) this.#others += attempts;
    else this.#failures.set(key, { address, userId, attempts });
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#writtenMs + WRITE_EVERY_MS - monotonicMs(this.#clock));
    this.#timer = setTimeout(() => void this.write(), waitMs).unref();
  }

  /**
   * Writes the counts, after a write that is under way. Never rejects:
   * counts that the ledger refuses are written with the next failures.
   */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeCounted());
    return this.#writing;
  }

  async #writeCounted(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const failures = [...this.#failures.values()];
    const others = this.#others;
    if (failures.length === 0) return;
    this.#failures = new Map();
    this.#others = 0;
    this.#writtenMs = monotonicMs(this.#clock);
    try {
      await this.#writer.noteAudit(notesOf(failures, others));
    } catch (error) {
      this.#log.warn({ err: error }, "failed sign-ins could not be stored yet");
      this.#others += others;
      for (const { address, userId, attempts } of failures) this.note(address, userId, attempts);
    }
  }
}

function notesOf(failures: readonly Failures[], others: number): readonly AuditNote[] {
  const kind = "sign_in_failed";
  const notes = failures.map(
    ({ address, userId, attempts }): AuditNote => ({
      kind,
      userId,
      details: { attempts },
      actor: networkActor(address, null),
    }),
  );
  if (others === 0) return notes;
  const details = { attempts: others, severalAddresses: true };
  return [...notes, { kind, userId: null, details, actor: networkActor("", null) }];
}
