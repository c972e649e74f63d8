import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { FAULT_CODES, FAULTS } from "../domain/fault.ts";
import { LANGUAGES } from "../domain/language.ts";
import type { Log } from "../domain/log.ts";
import { NOTICE_KINDS, type Notice } from "../domain/notice.ts";
import type { SinkName } from "../domain/sink.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import type { Feed } from "./forwarder.ts";

/**
 * The most notices that wait. The oldest beyond it are dropped:
 * after weeks without a network the status shows what still holds.
 */
const MAX_WAITING = 500;

const details = z.record(z.string(), z.union([z.string(), z.number()]));
const noticeSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(NOTICE_KINDS),
  madeMs: z.number(),
  language: z.enum(LANGUAGES),
  subject: z.string(),
  text: z.string(),
  details,
});
const faultSchema = z.strictObject({
  code: z.enum(FAULT_CODES),
  sinceMs: z.number(),
  message: z.string(),
  hint: z.string(),
  details,
});
const stateSchema = z.strictObject({
  /** Number of the next notice. */
  next: z.int().min(1),
  waiting: z.array(z.strictObject({ number: z.int(), notice: noticeSchema })),
  /**
   * For each sink: up to which number it has the notices, when it took
   * the last (Unix milliseconds), and how many it refused for good.
   */
  sinks: z.record(
    z.string(),
    z.strictObject({ upTo: z.int(), deliveredMs: z.number().nullable(), givenUp: z.int().default(0) }),
  ),
  /** Faults that were told of and are not over, each with the id of its notice. */
  faults: z.array(z.strictObject({ fault: faultSchema, noticeId: z.string() })),
  /** The rooms whose silence was told of, as `deviceId room`. */
  silentRooms: z.array(z.string()),
  /** The local day of the last daily look; null before the first. */
  lookedOn: z.int().nullable(),
  /** The newest closed month that was told of, by account: 202610. */
  closedMonths: z.record(z.string(), z.int()).default({}),
});
type State = z.infer<typeof stateSchema>;

/** What people were told of, which the next process must know. */
export type AnnouncedState = Pick<State, "faults" | "silentRooms" | "lookedOn" | "closedMonths">;

export interface NoticeOutboxOptions {
  readonly file: string;
  readonly sinks: readonly SinkName[];
  readonly log: Log;
  readonly nowMs: () => number;
  /** Whether notices wait for the end of the quiet hours. */
  readonly isQuiet: () => boolean;
}

/**
 * Keeps notices until every sink has them, and what people were told of, in one file that is
 * replaced as a whole. So after a crash no fault is told of twice, and no notice is lost.
 */
export class NoticeOutbox {
  readonly #options: NoticeOutboxOptions;
  #state: State = {
    ...{ next: 1, waiting: [], sinks: {}, faults: [], silentRooms: [] },
    ...{ lookedOn: null, closedMonths: {} },
  };
  /** Whether the file holds the current state. */
  #isSaved = true;
  #isClosed = false;

  constructor(options: NoticeOutboxOptions) {
    this.#options = options;
  }

  /** Reads the file. A new sink gets the notices from now on; a removed sink is forgotten. */
  open(): void {
    const { file, sinks, log } = this.#options;
    this.#state = readState(file, log) ?? this.#state;
    this.#change({ sinks: Object.fromEntries(sinks.map((name) => [name, this.#stateOf(name)])) });
  }

  /** Writes nothing more, so that another outbox can take over the file. */
  close(): void {
    this.save();
    this.#isClosed = true;
  }

  get told(): AnnouncedState {
    const { faults, silentRooms, lookedOn, closedMonths } = this.#state;
    return { faults, silentRooms, lookedOn, closedMonths };
  }

  /** Adds notices, and stores in the same write what people are told of by them. */
  add(notices: readonly Notice[], told: Partial<AnnouncedState>): void {
    const { next, waiting } = this.#state;
    const added = notices.map((notice, index) => ({ number: next + index, notice }));
    const all = [...waiting, ...added];
    if (all.length > MAX_WAITING)
      this.#options.log.warn({ notices: all.length - MAX_WAITING }, "old notices are dropped");
    this.#change({ ...told, next: next + added.length, waiting: all.slice(-MAX_WAITING) });
  }

  /** Withdraws a notice, unless a sink has it. One that a sink is taking may still arrive there. */
  withdraw(id: string): void {
    const { waiting, sinks } = this.#state;
    const isTaken = (number: number) => Object.values(sinks).some(({ upTo }) => upTo >= number);
    this.#change({ waiting: waiting.filter(({ number, notice }) => notice.id !== id || isTaken(number)) });
  }

  /** The notices that one sink is still to get. */
  feedOf(name: SinkName): Feed<Notice> {
    const own = () => this.#stateOf(name);
    const pass = ({ id }: Notice, how: Partial<State["sinks"][string]>) => {
      const { sinks, waiting: all } = this.#state;
      const upTo = all.find(({ notice }) => notice.id === id)?.number ?? own().upTo;
      const passed = { ...sinks, [name]: { ...own(), upTo, ...how } };
      const least = Math.min(...Object.values(passed).map((sink) => sink.upTo));
      this.#change({ sinks: passed, waiting: all.filter(({ number }) => number > least) });
    };
    const waiting = () => this.#state.waiting.filter(({ number }) => number > own().upTo);
    return {
      next: async () => {
        const all = waiting();
        // They leave in their order: with a grave one go those before it.
        if (this.#options.isQuiet() && !all.some(({ notice }) => tellsGrave(notice))) return undefined;
        return all[0]?.notice;
      },
      taken: (notice) => pass(notice, { deliveredMs: this.#options.nowMs() }),
      giveUp: (notice) => pass(notice, { givenUp: own().givenUp + 1 }),
      progress: () => {
        const { deliveredMs, givenUp } = own();
        return { waiting: waiting().length, deliveredMs, givenUp };
      },
      close: () => this.save(),
    };
  }

  /**
   * Writes the file if the disk refused that before. Never throws:
   * what could not be written is told of again after a restart.
   */
  save(): void {
    if (this.#isSaved || this.#isClosed) return;
    const { file, log } = this.#options;
    try {
      makeDirectory(dirname(file));
      writeDurably(file, `${JSON.stringify(this.#state)}\n`);
      this.#isSaved = true;
    } catch (err) {
      log.warn({ err }, "the notices cannot be stored");
    }
  }

  #stateOf(name: SinkName): State["sinks"][string] {
    return this.#state.sinks[name] ?? { upTo: this.#state.next - 1, deliveredMs: null, givenUp: 0 };
  }

  #change(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.#isSaved = false;
    this.save();
  }
}

/** Whether a notice waits for no morning. */
function tellsGrave({ kind, details }: Notice): boolean {
  const told = FAULT_CODES.find((code) => code === details["code"]);
  return kind === "fault_begun" && told !== undefined && FAULTS[told].severity === "grave";
}

function readState(file: string, log: Log): State | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return stateSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (err) {
    log.warn(
      { err },
      "the stored notices cannot be read: they are lost, and present faults are told of again",
    );
    return undefined;
  }
}
