import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../platform/socket.ts";

interface Bounds {
  readonly perAddress: number;
  readonly inAll: number;
}

/**
 * Slots of the network, a share of the service's 4,096
 * descriptors. A browser opens at most 6 connections for a page.
 */
const NETWORK: Bounds = { perAddress: 32, inAll: 512 };
/**
 * Slots of this machine, so that the network never shuts
 * out local programs. A local proxy serves many clients.
 */
const LOOPBACK: Bounds = { perAddress: 256, inAll: 256 };
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

/**
 * How many connections an address may open at once, and then in each second.
 * A TLS handshake takes a millisecond or more, so many addresses that open
 * connections at once hold up the event loop. Two pages of a browser open 12.
 */
const BURST = 12;
const PER_SECOND = 25;
const INTERVAL_MS = 1_000 / PER_SECOND;
/** The longest delay of a new connection. One that would wait longer is reset. */
const MAX_DELAY_MS = NETWORK.perAddress * INTERVAL_MS;
/** The most addresses whose pace is remembered. */
const MAX_PACED = 4_096;

/**
 * A connection that carries no byte in either direction for
 * this long is closed, unless its client has an answer to take.
 */
const IDLE_MS = 60_000;

/**
 * Bounds the open connections of several servers together: per address and in all, with
 * separate slots for loopback. A connection beyond a bound is reset before TLS begins.
 * An address of the network that opens one after another waits before TLS begins.
 */
export class ConnectionSlots {
  readonly #network = new Slots(NETWORK);
  readonly #loopback = new Slots(LOOPBACK);
  readonly #pace = new Pace();
  /** The open connections, also those in their TLS handshake, which the servers do not count. */
  readonly #sockets = new Set<Socket>();

  /** Bounds the connections of a server. Call it before the server listens. */
  guard(server: Server): void {
    server.setTimeout(IDLE_MS, (socket: Socket) => {
      // Not while an answer is being taken: the kernel buffers megabytes at
      // once, so bytes come seldom. RequestFlow checks the client's pace.
      if (socket.writableLength === 0) socket.destroy();
    });
    // These listeners begin TLS or HTTP. They run only once the
    // connection has a slot, so that a refused one costs no such work.
    const takers = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      const delayMs = this.#admit(socket);
      if (delayMs === null) return;
      const begin = () => {
        if (!socket.destroyed) for (const taker of takers) taker.call(server, socket);
      };
      if (delayMs === 0) begin();
      else setTimeout(begin, delayMs);
    });
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Gives a slot and the connection's delay, in milliseconds; null for a connection that is refused. */
  #admit(socket: Socket): number | null {
    const address = clientAddress(socket.remoteAddress);
    const isLoopback = LOOPBACK_ADDRESSES.has(address);
    const slots = isLoopback ? this.#loopback : this.#network;
    // The address is empty once the other end is gone.
    const delayMs = address === "" ? null : isLoopback ? 0 : this.#pace.delayMs(address);
    if (delayMs === null || !slots.take(address)) {
      socket.on("error", () => {});
      socket.resetAndDestroy();
      return null;
    }
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      slots.release(address);
    });
    return delayMs;
  }
}

class Pace {
  /**
   * When the next connection of an address would come at the
   * steady pace, in monotonic milliseconds; oldest first.
   */
  readonly #dueMs = new Map<string, number>();

  /** In milliseconds; null for a connection that would wait too long. */
  delayMs(address: string): number | null {
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs - BURST * INTERVAL_MS, this.#dueMs.get(address) ?? 0);
    const delayMs = Math.max(0, dueMs - nowMs);
    if (delayMs > MAX_DELAY_MS) return null;
    this.#dueMs.delete(address);
    this.#dueMs.set(address, dueMs + INTERVAL_MS);
    const [oldest] = this.#dueMs.keys();
    if (this.#dueMs.size > MAX_PACED && oldest !== undefined) this.#dueMs.delete(oldest);
    return delayMs;
  }
}

class Slots {
  readonly #bounds: Bounds;
  readonly #byAddress = new Map<string, number>();
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** False when a bound is reached. */
  take(address: string): boolean {
    const own = this.#byAddress.get(address) ?? 0;
    if (own >= this.#bounds.perAddress || this.#count >= this.#bounds.inAll) return false;
    this.#byAddress.set(address, own + 1);
    this.#count += 1;
    return true;
  }

  release(address: string): void {
    const own = this.#byAddress.get(address) ?? 0;
    if (own <= 1) this.#byAddress.delete(address);
    else this.#byAddress.set(address, own - 1);
    this.#count -= 1;
  }
}

/** The most requests of one connection that wait for their answers, including the one that is being answered. */
const MAX_UNANSWERED = 16;
/** The slowest pace at which a client may take its answer. */
const LEAST_BYTES_PER_MS = 1;

type Exchange = readonly [IncomingMessage, ServerResponse];

/** A connection of which a request is being answered. */
interface BusyConnection {
  /** The request that is being answered, and those behind it. */
  readonly unanswered: Exchange[];
  /** Bytes that were written to the connection before this answer. */
  readonly bytesBefore: number;
  /** For how long its client could take bytes of the answer. */
  takingMs: number;
}

/**
 * The requests of all connections. Those of one connection come one after another, each when the answer
 * before it is written: Node parses pipelined requests without waiting for answers, and would call the
 * listener with more than a thousand at once. A connection with too many unanswered requests is closed,
 * and those not begun are dropped. Addresses take turns. A client that takes its answer too slowly is
 * cut off, because the answer holds memory, and maybe a slot: it is cut off once a client at the
 * slowest pace would have taken all bytes that were written. How much it has taken is not known,
 * because the kernel buffers 100 kB and more at once, and Node counts a write only when it is complete.
 */
export class RequestFlow {
  readonly #turns = new Turns();
  readonly #paceMs: number;
  readonly #busy = new Map<Socket, BusyConnection>();
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  /** @param paceMs time between two looks at the pace of clients */
  constructor(paceMs: number) {
    this.#paceMs = paceMs;
  }

  open(): void {
    this.#isClosing = false;
    this.#timer = setInterval(() => this.#cutSlow(), this.#paceMs).unref();
  }

  /**
   * Each answer from now on is its connection's last, and says so. A client that went on asking
   * would lose the answer to a write when the connection is cut off at the end.
   */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosing = true;
    for (const { unanswered } of this.#busy.values()) {
      const [first] = unanswered;
      if (first !== undefined) endAfter(first[1]);
    }
  }

  through(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // Requests that were parsed before the connection was closed still arrive.
      if (socket.destroyed) return;
      const busy = this.#busy.get(socket);
      if (busy === undefined) this.#begin(listener, socket, [[request, response]]);
      else if (busy.unanswered.push([request, response]) > MAX_UNANSWERED) socket.destroy();
    };
  }

  #begin(listener: RequestListener, socket: Socket, unanswered: Exchange[]): void {
    const [first] = unanswered;
    if (first === undefined || !socket.writable) {
      this.#busy.delete(socket);
      return;
    }
    const [request, response] = first;
    if (this.#isClosing) endAfter(response);
    this.#busy.set(socket, { unanswered, bytesBefore: socket.bytesWritten, takingMs: 0 });
    response.once("close", () => {
      unanswered.shift();
      this.#begin(listener, socket, unanswered);
    });
    this.#turns.begin(clientAddress(socket.remoteAddress), () => {
      if (!response.destroyed) listener(request, response);
    });
  }

  #cutSlow(): void {
    for (const [socket, busy] of this.#busy) {
      // With nothing to take, the answer is slow, not the client.
      if (socket.writableLength === 0) continue;
      if (socket.bytesWritten - busy.bytesBefore < LEAST_BYTES_PER_MS * busy.takingMs) socket.destroy();
      else busy.takingMs += this.#paceMs;
    }
  }
}

/** Ends the connection after this answer, where its headers are not written yet. */
function endAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** How long work may last in one turn of the event loop. Packets and edges are handled between turns. */
const TURN_MS = 5;

type Work = () => void;

/**
 * Shares the event loop among addresses. Work begins at once while the current turn of the loop
 * has been short. Otherwise it waits; then each address in turn begins one piece of work, for some
 * milliseconds in each turn of the loop. So an address that asks for much delays only itself.
 */
export class Turns {
  readonly #nowMs: () => number;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  #beganMs = 0;
  #isPlanned = false;

  /** @param nowMs monotonic milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Begins this work, at once or later. Its continuations in resolved promises count as part of it. */
  begin(address: string, work: Work): void {
    if (!this.#isPlanned) {
      this.#beganMs = this.#nowMs();
      this.#plan();
    }
    if (this.#waiting.size === 0 && this.#isShort()) {
      work();
      return;
    }
    const own = this.#waiting.get(address);
    if (own === undefined) this.#waiting.set(address, [work]);
    else own.push(work);
  }

  #isShort(): boolean {
    return this.#nowMs() - this.#beganMs < TURN_MS;
  }

  #plan(): void {
    this.#isPlanned = true;
    setImmediate(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    this.#beganMs = this.#nowMs();
    for (const [address, [next, ...others]] of this.#waiting) {
      if (!this.#isShort()) break;
      this.#waiting.delete(address);
      if (others.length > 0) this.#waiting.set(address, others);
      next?.();
      // After the resolved promises of this piece.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#isPlanned = false;
    if (this.#waiting.size > 0) this.#plan();
  }
}
