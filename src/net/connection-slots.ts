import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../platform/socket.ts";
import { Turns } from "./turns.ts";

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
  /** Connections that come at once take turns by address. */
  readonly #turns = new Turns();
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
      const address = clientAddress(socket.remoteAddress);
      const begin = () =>
        this.#turns.begin(address, () => {
          if (!socket.destroyed) for (const taker of takers) taker.call(server, socket);
        });
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
