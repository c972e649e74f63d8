import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { type EventData, type EventName, listenToEvents } from "../contract/event.ts";
import type { Change } from "../domain/change.ts";
import { FlancoError } from "../domain/error.ts";
import type { Asker } from "../domain/job-slots.ts";
import { isSameLimit } from "../domain/limit.ts";
import { seesMoney } from "../domain/member.ts";
import { oneMember, type Sessions, type SignedInMember, tokensOf } from "./auth/session.ts";
import { toPaidAnswer } from "./device.ts";
import { toGapAnswer, toRecordAnswer } from "./record.ts";
import { type Endpoint, serve } from "./router.ts";

const MAX_STREAMS = 64;
/** The most streams of one account: others must get streams too. A whole clinic may share one owner's e-mail. */
const MAX_STREAMS_OF_ACCOUNT = 48;
/** The most of its members that are no owners, so that its owners get streams too. */
const MAX_STREAMS_OF_OTHERS = 40;
/** A page takes a stream that is silent for two of them as dead (src/web/live/connection.ts); proxies drop one after a minute. */
const HEARTBEAT_MS = 15_000;
/** How soon a browser reconnects after the stream broke: a restart takes about a second. */
const RECONNECT_MS = 1_000;
/** A reader with this much unread is gone or stuck: its connection is closed, and it may reconnect. */
const MAX_BUFFERED_BYTES = 256 * 1024;

type Event = { [N in EventName]: { readonly event: N; readonly data: EventData[N] } }[EventName];

/** Changes that only roles with money are told of. */
const MONEY_EVENTS: ReadonlySet<Change["kind"]> = new Set<EventName & Change["kind"]>([
  "record",
  "void",
  "time",
  "settlement",
]);
/** Changes that no page is told of. */
const UNTOLD: ReadonlySet<Change["kind"]> = new Set(["wiring", "sessions", "user"]);

const BEAT: Event = { event: "beat", data: {} };

/** Whom a change is told, and who has seen an answer: all of an account's roles with money see the same, within one limit. */
type Viewer = Pick<SignedInMember, "userId" | "role" | "limit">;

interface Listener extends Asker, Viewer {
  readonly stream: PassThrough;
  readonly stillSignedIn: () => boolean;
  /** The position up to which it was told. */
  at: string;
}

/** What viewers see who are told the same, with its position. */
interface View extends Viewer {
  at: number;
}

/** The views whose positions are kept, the newest: more than an appliance has members who differ in what they see. */
const MAX_VIEWS = 1_000;

/** Server-sent events: sends every committed change to the open pages of its user. */
export class EventStreams {
  readonly #listeners = new Set<Listener>();
  /** Differs for each run of the service, because a new run does not know what the last one sent. */
  readonly #run = randomUUID();
  /**
   * Positions, by what is seen: no account may count how often others sell, no role without
   * money its own sales, and no member within a limit what is sold beyond.
   */
  readonly #views = new Map<string, View>();
  readonly #nowMs: () => number;
  #heartbeat: NodeJS.Timeout | undefined;

  /** @param nowMs monotonic milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * The position of a member's stream, as `RUN:NUMBER`. The number grows with every commit that this role is told of. It is
   * the time of the last one, not their number. A read of the ledger after this call has every change up to it.
   */
  positionOf(viewer: Viewer): string {
    return `${this.#run}:${this.#viewOf(viewer).at}`;
  }

  open(): void {
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const { stream } of this.#listeners) stream.end();
    this.#listeners.clear();
  }

  /**
   * Sends the changes of one commit, after it. They are written once for all streams that
   * see the same: after a full disk a commit may have a thousand, for dozens of streams.
   */
  tell(changes: readonly Change[]): void {
    this.#count(changes);
    if (this.#listeners.size === 0) return;
    if (changes.some(({ kind }) => kind === "sessions")) this.#cutSignedOut();
    const texts = new Map<View, Buffer>();
    for (const listener of this.#listeners) {
      const at = this.positionOf(listener);
      if (at === listener.at) continue;
      const view = this.#viewOf(listener);
      const text = texts.get(view) ?? Buffer.from(textOf(at, eventsFor(changes, view)));
      texts.set(view, text);
      listener.at = at;
      this.#write(listener, text);
    }
  }

  /** A new stream for one member. Throws `overloaded` when too many are open. */
  listen({ userId, memberId, role, limit }: Asker & Viewer, stillSignedIn: () => boolean): PassThrough {
    this.#makeRoom({ userId, memberId, role });
    const at = this.positionOf({ userId, role, limit });
    const listener = { userId, memberId, role, limit, stream: new PassThrough(), stillSignedIn, at };
    this.#listeners.add(listener);
    listener.stream.on("close", () => this.#listeners.delete(listener));
    listener.stream.write(`retry: ${RECONNECT_MS}\n`);
    this.#write(listener, textOf(at, [{ event: "hello", data: { at } }]));
    return listener.stream;
  }

  /** At the account's bounds the member with the most streams gives up its oldest one to a member that has fewer. */
  #makeRoom({ userId, memberId, role }: Asker): void {
    const own = [...this.#listeners].filter((listener) => listener.userId === userId);
    const others = own.filter((listener) => listener.role !== "owner");
    const isBeyondOthers = role !== "owner" && others.length >= MAX_STREAMS_OF_OTHERS;
    const isBeyond = own.length >= MAX_STREAMS_OF_ACCOUNT || this.#listeners.size >= MAX_STREAMS;
    if (!isBeyondOthers && !isBeyond) return;
    const byMember = Map.groupBy(isBeyondOthers ? others : own, (listener) => listener.memberId);
    const [most = []] = [...byMember.values()].sort((one, other) => other.length - one.length);
    const [oldest] = most;
    if (oldest === undefined || most.length <= (byMember.get(memberId)?.length ?? 0) + 1) {
      throw new FlancoError("overloaded", "Too many pages are open.", { hint: "Close some and try again." });
    }
    this.#cut(oldest);
  }

  #count(changes: readonly Change[]): void {
    const nowMs = Math.floor(this.#nowMs());
    for (const view of this.#views.values()) {
      if (changes.some((change) => isToldTo(change, view))) view.at = Math.max(nowMs, view.at + 1);
    }
  }

  /** A view that was not asked for yet begins now: everything before is in what is read from here on. */
  #viewOf({ userId, role, limit }: Viewer): View {
    const key = JSON.stringify([userId, seesMoney(role), limit]);
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const view = { userId, role, limit, at: Math.floor(this.#nowMs()) };
    const [oldest] = this.#views.keys();
    if (oldest !== undefined && this.#views.size >= MAX_VIEWS) this.#views.delete(oldest);
    this.#views.set(key, view);
    return view;
  }

  #cutSignedOut(): void {
    for (const listener of this.#listeners) if (!listener.stillSignedIn()) this.#cut(listener);
  }

  #beat(): void {
    this.#cutSignedOut();
    for (const listener of this.#listeners) this.#write(listener, textOf(listener.at, [BEAT]));
  }

  #write(listener: Listener, text: string | Buffer): void {
    listener.stream.write(text);
    if (listener.stream.writableLength + listener.stream.readableLength > MAX_BUFFERED_BYTES) {
      this.#cut(listener);
    }
  }

  /**
   * Destroys the stream: a stream that is only ended keeps
   * unread data in memory for a client that does not read.
   */
  #cut(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.stream.destroy();
  }
}

/** As they go over a stream, which has told all up to the position `at` with them. */
function textOf(at: string, events: readonly Event[]): string {
  const texts = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  return `id: ${at}\n${texts.join("")}`;
}

/** Whether a viewer is told of a change. */
function isToldTo(change: Change, { userId, role, limit }: Viewer): boolean {
  if (!("userId" in change) || change.userId !== userId || UNTOLD.has(change.kind)) return false;
  if (MONEY_EVENTS.has(change.kind) && !seesMoney(role)) return false;
  if (limit === null) return true;
  switch (change.kind) {
    case "record":
      return limit.names.includes(change.record.locationName);
    case "void":
    case "time":
      return limit.names.includes(change.locationName);
    case "actuator":
    case "paid":
    case "gap":
      return change.locationId !== null && limit.locationIds.includes(change.locationId);
    default:
      // These say nothing but that something is to be read again.
      return true;
  }
}

/** What a viewer's streams are told of one commit. */
function eventsFor(changes: readonly Change[], viewer: Viewer): readonly Event[] {
  return changes
    .filter((change) => isToldTo(change, viewer))
    .flatMap((change) => eventOf(change, seesMoney(viewer.role)) ?? []);
}

/** Undefined for a change that no page is told of. */
function eventOf(change: Change, withMoney: boolean): Event | undefined {
  switch (change.kind) {
    case "record":
      return { event: "record", data: toRecordAnswer(change.record) };
    case "actuator": {
      const { deviceId, actuatorId, value, timeMs } = change;
      return { event: "actuator", data: { deviceId, actuatorId, value, time: timeMs } };
    }
    case "paid": {
      const { deviceId, actuatorId, paid } = change;
      return { event: "paid", data: { deviceId, actuatorId, paid: toPaidAnswer(paid) } };
    }
    case "void":
      return { event: "void", data: { number: change.number, voided: change.voided } };
    case "time":
      return { event: "time", data: { number: change.number, timeMs: change.timeMs } };
    case "gap":
      return { event: "gap", data: toGapAnswer(change.gap, withMoney) };
    case "locations":
    case "tests":
    case "commission":
    case "settlement":
      return { event: change.kind, data: {} };
    default:
      return undefined;
  }
}

export function eventEndpoints(events: EventStreams, sessions: Pick<Sessions, "check">): readonly Endpoint[] {
  return [
    serve(listenToEvents, ({ signedIn, context }) => {
      context.set("Content-Type", "text/event-stream");
      context.set("X-Accel-Buffering", "no");
      const isStill = (member: SignedInMember | undefined) =>
        member?.memberId === signedIn.memberId && isSameLimit(member.limit, signedIn.limit);
      const member = () => oneMember(tokensOf(context).map((token) => sessions.check(token)));
      return events.listen(signedIn, () => isStill(member()));
    }),
  ];
}
