import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { Change } from "../domain/ledger.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { toGapAnswer, toRecordAnswer } from "./record.ts";
import { type SessionKeeper, standingToken } from "./session.ts";

const MAX_STREAMS = 64;
/** A whole clinic may share one user; the others still get in. */
const MAX_STREAMS_OF_USER = 48;
/** Proxies and browsers drop what is silent for long. */
const HEARTBEAT_MS = 15_000;
/** How soon a browser comes back after the stream broke: a restart takes about a second. */
const RECONNECT_MS = 1_000;
/** A reader that lets this much pile up is gone or stuck: its connection is closed, and it may come back. */
const MAX_BUFFERED_BYTES = 256 * 1024;

interface Listener {
  readonly userId: Id;
  readonly stream: PassThrough;
  readonly stillSignedIn: () => boolean;
}

/** Names a moment in the stream of changes: what was read then can be told from what is older. */
export const POSITION_HEADER = "X-Flanco-At";

/** Server-sent events: what was committed, told to the pages that are open. */
export class LiveEvents {
  readonly #listeners = new Set<Listener>();
  /** Another for every run of the service: nobody knows what was told before. */
  readonly #run = randomUUID();
  /** Commits that concern all users. */
  #toldAll = 0;
  /** Commits of one user's own: how often others sell is no one else's to count. */
  readonly #told = new Map<Id, number>();
  #heartbeat: NodeJS.Timeout | undefined;

  /**
   * How far changes have been told to a user, as `RUN:NUMBER`; the number grows with every commit that changes what
   * this user may see. What is read from the ledger after this was asked for holds every such change up to here.
   */
  positionOf(userId: Id): string {
    return `${this.#run}:${this.#toldAll + (this.#told.get(userId) ?? 0)}`;
  }

  open(): void {
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const { stream } of this.#listeners) stream.end();
    this.#listeners.clear();
  }

  /** Tells changes of one commit, after it. */
  tell(changes: readonly Change[]): void {
    this.#count(changes);
    if (this.#listeners.size === 0) return;
    for (const change of changes) this.#tellOne(change);
  }

  /** A new stream for one user. Throws `overloaded` when too many are open. */
  listen(userId: Id, stillSignedIn: () => boolean): PassThrough {
    const own = [...this.#listeners].filter((listener) => listener.userId === userId).length;
    if (this.#listeners.size >= MAX_STREAMS || own >= MAX_STREAMS_OF_USER) {
      throw new FlancoError("overloaded", "Too many pages are open.", { hint: "Close some and try again." });
    }
    const listener = { userId, stream: new PassThrough(), stillSignedIn };
    this.#listeners.add(listener);
    listener.stream.on("close", () => this.#listeners.delete(listener));
    listener.stream.write(`retry: ${RECONNECT_MS}\n`);
    this.#send(listener, "hello", { at: this.positionOf(userId) });
    return listener.stream;
  }

  #count(changes: readonly Change[]): void {
    if (changes.some((change) => !("userId" in change))) this.#toldAll += 1;
    const users = new Set(changes.flatMap((change) => ("userId" in change ? [change.userId] : [])));
    for (const userId of users) this.#told.set(userId, (this.#told.get(userId) ?? 0) + 1);
  }

  #tellOne(change: Change): void {
    if (change.kind === "sessions") {
      for (const listener of this.#listeners) if (!listener.stillSignedIn()) this.#cut(listener);
      return;
    }
    const told = toEvent(change);
    if (told === undefined) return;
    for (const listener of this.#listeners) {
      if (listener.userId === told.userId) this.#send(listener, told.event, told.data);
    }
  }

  #beat(): void {
    for (const listener of this.#listeners) {
      if (listener.stillSignedIn()) listener.stream.write(":\n\n");
      else this.#cut(listener);
    }
  }

  #send(listener: Listener, event: string, data: object): void {
    listener.stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (listener.stream.writableLength + listener.stream.readableLength > MAX_BUFFERED_BYTES) {
      this.#cut(listener);
    }
  }

  /** Not ended: what has piled up would wait, in memory and for as long as it takes, for somebody who does not read. */
  #cut(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.stream.destroy();
  }
}

function toEvent(change: Change): { userId: Id; event: string; data: object } | undefined {
  switch (change.kind) {
    case "record":
      return { userId: change.userId, event: "record", data: toRecordAnswer(change.recordId, change.record) };
    case "actuator": {
      const { deviceId, actuatorId, value, timeMs } = change;
      return {
        userId: change.userId,
        event: "actuator",
        data: { deviceId, actuatorId, value, time: timeMs },
      };
    }
    case "void": {
      const { recordId, voided } = change;
      return { userId: change.userId, event: "void", data: { recordId, voided } };
    }
    case "time": {
      const { recordId, timeMs } = change;
      return { userId: change.userId, event: "time", data: { recordId, timeMs } };
    }
    case "gap":
      return { userId: change.userId, event: "gap", data: toGapAnswer(change.gap) };
    case "places":
      return { userId: change.userId, event: "places", data: {} };
    default:
      return undefined;
  }
}

export function eventEndpoints(
  events: LiveEvents,
  sessions: Pick<SessionKeeper, "check">,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/events",
      summary: "Live changes as server-sent events: record, void, time, actuator, gap, places.",
      session: true,
      status: 200,
      stream: "text/event-stream",
      errors: ["overloaded"],
      run: ({ userId, context }) => {
        const token = standingToken(sessions, context) ?? "";
        context.set("Content-Type", "text/event-stream");
        context.set("X-Accel-Buffering", "no");
        return events.listen(userId, () => sessions.check(token) !== undefined);
      },
    }),
  ];
}
