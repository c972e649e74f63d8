import type { GatewayReport } from "../contract/clinic.ts";
import { type ChainEntry, type ChainHead, NO_HASH } from "../domain/chain-entry.ts";
import { type Cancel, type Clock, MINUTE_MS, SECOND_MS, type Timers } from "../domain/clock.ts";
import { parseDatabaseAddress } from "../domain/database-address.ts";
import { FlancoError } from "../domain/error.ts";
import type { EntryBatch, EntrySink, SettingDifference } from "../domain/sink.ts";
import { readSecret } from "../platform/secret-file.ts";
import { type Connection, connector, IDLE_MS, lacksFunction, refusedData } from "./database.ts";

/** The version of the schema that this program makes and uses. */
export const CENTRAL_SCHEMA = 4;
/** The version from which on the schema takes entries as this program sends them. */
const SENT_SCHEMA = 2;

/** A gateway calls every five minutes, also while nothing is sold. */
const CALL_EVERY_MS = 5 * MINUTE_MS;
const BEGINNING: ChainHead = { position: 0, hash: NO_HASH };

export interface CentralOptions {
  /** The database's address, as `parseDatabaseAddress` takes it. */
  readonly url: string;
  /** The file of the password, read at each connection, so that a new password needs no restart. */
  readonly passwordFile: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly own: OwnSettings;
  /** What the company is told of the gateway with each call. */
  readonly report: () => Promise<GatewayReport>;
}

/** The settings of the gateway by which its sales are counted. */
export interface OwnSettings {
  readonly timeZone: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** The fields of a batch that the sink uses. */
export interface CentralBatch extends Pick<EntryBatch, "ledger" | "waiting"> {
  readonly entries: readonly SentEntry[];
}

/** The company's database, which gets every entry of the ledger. */
export class CentralSink implements EntrySink {
  readonly name = "central";
  readonly #options: CentralOptions;
  #connect: (() => Promise<Connection>) | undefined;
  #connection: Promise<Connection> | undefined;
  /** The entry after which the next batch begins; undefined before this process knows it. */
  #place: number | undefined;
  /** The last entry that the database has, if it last answered that it lacks entries before the batch. */
  #behindAt: number | undefined;
  #clockOffMs: number | null = null;
  #differences: readonly SettingDifference[] = [];
  #cancelCall: Cancel = () => {};
  #underWay = 0;
  #cancelIdle: Cancel = () => {};
  #isClosed = false;

  constructor(options: CentralOptions) {
    this.#options = options;
  }

  get clockOffMs(): number | null {
    return this.#clockOffMs;
  }

  get differences(): readonly SettingDifference[] {
    return this.#differences;
  }

  /**
   * Begins to call the database now and then, so that the company
   * sees that the gateway is there while it sells nothing.
   */
  open(): void {
    this.#cancelCall = this.#options.timers.after(CALL_EVERY_MS, () => void this.#call());
  }

  async deliver({ ledger, entries, waiting }: CentralBatch, signal: AbortSignal): Promise<ChainHead | null> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return null;
    // Where the entry before the first one is lost, only the
    // place of the last batch says what the batch follows.
    const after = first.previousHash === null ? (this.#place ?? first.position - 1) : first.position - 1;
    const batch = { ledger, after, entries, newest: last.position + waiting };
    const { outcome, head } = await this.#append(batch, signal).catch((cause: unknown) => {
      throw refusal(cause, first.position, last.position) ?? cause;
    });
    const answer = this.#answerTo(outcome, head);
    this.#place = answer === null ? last.position : answer.position;
    return answer;
  }

  async test(signal: AbortSignal): Promise<string> {
    const { head, clockOffMs } = await this.#append(null, signal);
    const clock = Math.round(clockOffMs / SECOND_MS);
    return `The company's database takes this gateway's entries and has ${head.position}; this machine's clock is ${clock} s ahead of its own.`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelCall();
    this.#cancelIdle();
    await this.#disconnect();
  }

  #answerTo(outcome: AppendResult["outcome"], head: ChainHead): ChainHead | null {
    const behindAt = this.#behindAt;
    this.#behindAt = undefined;
    switch (outcome) {
      case "taken":
        return null;
      case "back":
        return BEGINNING;
      case "behind":
        this.#behindAt = head.position;
        // The forwarder could not continue there, because its ledger does not have that entry.
        return behindAt === head.position ? BEGINNING : head;
      case "fork":
        throw new FlancoError(
          "conflict",
          `From entry ${head.position} on this is another ledger than the one that the company's database has: nothing of it is taken.`,
          { hint: "After a restore the company accepts it: flanco central gateway accept-fork." },
        );
      case "broken":
        throw new FlancoError(
          "damaged",
          `The company's database refuses entry ${head.position}: it does not follow from the one before it.`,
          { hint: "Run flanco verify." },
        );
    }
  }

  async #append(batch: SentBatch | null, signal?: AbortSignal): Promise<AppendResult> {
    this.#cancelIdle();
    this.#underWay += 1;
    const end = () => void this.#disconnect();
    signal?.addEventListener("abort", end, { once: true });
    try {
      const connection = await this.#connected();
      const { clock, own, report } = this.#options;
      // Not with entries: no sale waits for it.
      const told = batch === null ? await report().catch(() => null) : null;
      const appended = await append(connection, batch, clock.nowMs(), own, told);
      this.#clockOffMs = appended.clockOffMs;
      const { timeZone, currency } = appended.counted;
      this.#differences = [
        { here: own.timeZone, there: timeZone },
        { here: own.currency, there: currency },
      ].filter(({ here, there }) => here !== there);
      return appended;
    } catch (error) {
      await this.#disconnect();
      throw error;
    } finally {
      signal?.removeEventListener("abort", end);
      this.#underWay -= 1;
      if (this.#underWay === 0 && !this.#isClosed) {
        this.#cancelIdle = this.#options.timers.after(IDLE_MS, end);
      }
    }
  }

  async #connected(): Promise<Connection> {
    const { url, passwordFile } = this.#options;
    if ((await this.#connection)?.ended === true) this.#connection = undefined;
    this.#connect ??= connector(parseDatabaseAddress(url), () => readSecret(passwordFile));
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    // A connection that failed needs no end.
    await connection?.then((one) => one.close()).catch(() => {});
  }

  async #call(): Promise<void> {
    // A failure shows in the status with the next batch; until then nothing waits.
    await this.#append(null).catch(() => {});
    if (!this.#isClosed) this.open();
  }
}

/** The error of a batch that the database refuses. The next try has half of it, so that one entry is named in the end. */
function refusal(cause: unknown, first: number, last: number): FlancoError | undefined {
  const refused = refusedData(cause);
  if (refused === undefined) return undefined;
  const what = first === last ? `entry ${first}` : `one of the entries ${first} to ${last}`;
  const message = `The company's database refuses ${what}: ${refused.why}`;
  return new FlancoError("unprocessable", message, { hint: refused.hint, cause });
}

/** The fields of an entry that the database gets. */
export type SentEntry = Pick<ChainEntry, "position" | "hash" | "previousHash" | "text">;

export interface SentBatch {
  /** The ledger's identity. */
  readonly ledger: string;
  /** The position after which these entries follow without a gap. */
  readonly after: number;
  readonly entries: readonly SentEntry[];
  /** The ledger's newest entry. */
  readonly newest: number;
}

/** The database's answer to a batch, after its commit: see `append` in schema.ts. */
export interface AppendResult {
  readonly outcome: "taken" | "behind" | "back" | "fork" | "broken";
  readonly head: { readonly position: number; readonly hash: string };
  /** By how much this machine's clock is ahead of the database's. */
  readonly clockOffMs: number;
  /** The settings by which the database counts the gateway's sales. */
  readonly counted: OwnSettings;
}

interface AppendRow {
  readonly outcome: AppendResult["outcome"];
  readonly head: string;
  readonly head_hash: string;
  readonly clock_off_ms: string;
  readonly zone: string;
  readonly currency: string;
}

const ARGUMENTS =
  "@schema, @ledger, @after, @afterHash, @newest, @nowMs, @hashes, @texts, @timeZone, @currency";
const APPEND = `SELECT * FROM flanco.append(${ARGUMENTS})`;
const APPEND_REPORT = `SELECT * FROM flanco.append(${ARGUMENTS}, @report::jsonb)`;

/**
 * Appends entries of the ledger of the gateway that the connection's role belongs to. Null appends
 * nothing, and only tells that the gateway is there. Resolves after the commit. May be repeated.
 * A database of the schema before takes no report: it gets the rest.
 */
export async function append(
  connection: Connection,
  batch: SentBatch | null,
  nowMs: number,
  own: OwnSettings | null = null,
  report: GatewayReport | null = null,
): Promise<AppendResult> {
  const entries = batch?.entries ?? [];
  const values = {
    timeZone: own?.timeZone ?? null,
    currency: own?.currency ?? null,
    schema: SENT_SCHEMA,
    ledger: batch?.ledger ?? null,
    after: batch?.after ?? null,
    afterHash: entries[0]?.previousHash ?? null,
    newest: batch?.newest ?? null,
    nowMs,
    hashes: entries.map(({ hash }) => hash),
    texts: entries.map(({ text }) => text),
    report: JSON.stringify(report),
  };
  const call = (sql: string) => connection.query<AppendRow>(sql, values);
  const [row] = await call(report === null ? APPEND : APPEND_REPORT).catch((error: unknown) => {
    if (report === null || !lacksFunction(error)) throw error;
    return call(APPEND);
  });
  if (row === undefined) throw new Error("append gave no row");
  return {
    outcome: row.outcome,
    head: { position: Number(row.head), hash: row.head_hash },
    clockOffMs: Number(row.clock_off_ms),
    counted: { timeZone: row.zone, currency: row.currency },
  };
}
