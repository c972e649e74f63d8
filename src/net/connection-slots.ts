import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../domain/client-address.ts";

/** How many connections may be open at once. */
interface Bounds {
  readonly perAddress: number;
  readonly inAll: number;
}

/** The network's share of the service's 4,096 descriptors. A browser takes at most 6 for a page. */
const NETWORK: Bounds = { perAddress: 32, inAll: 512 };
/** Separate slots, so that connections of the network never shut out local programs. A local proxy serves many clients. */
const LOOPBACK: Bounds = { perAddress: 256, inAll: 256 };
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

/** A connection that carries no byte in either direction for this long is closed. */
const IDLE_MS = 60_000;

/**
 * Bounds the open connections of several servers together: per address and in all, with separate slots for loopback.
 * A connection beyond a bound is reset before TLS begins.
 */
export class ConnectionSlots {
  readonly #network = new Slots(NETWORK);
  readonly #loopback = new Slots(LOOPBACK);
  /** Includes connections that have not finished their TLS handshake, which the servers do not count. */
  readonly #sockets = new Set<Socket>();

  /** Counts the connections of a server. To call before it listens. */
  guard(server: Server): void {
    server.setTimeout(IDLE_MS);
    // These listeners begin TLS or HTTP. A refused connection must not cost that work, so they run only after it has a slot.
    const takers = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      if (!this.#admit(socket)) return;
      for (const taker of takers) taker.call(server, socket);
    });
  }

  /** Closes every connection at once. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #admit(socket: Socket): boolean {
    const address = clientAddress(socket.remoteAddress);
    const slots = LOOPBACK_ADDRESSES.has(address) ? this.#loopback : this.#network;
    // The address is empty once the other end is gone.
    if (address === "" || !slots.take(address)) {
      socket.on("error", () => {});
      socket.resetAndDestroy();
      return false;
    }
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      slots.release(address);
    });
    return true;
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
