import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../http/client-address.ts";
import { type Bounds, type Place, Places } from "./places.ts";

/** Of the service's 4,096 descriptors the network gets so many. A browser takes at most 6 for a page. */
const NETWORK: Bounds = { perAddress: 32, perNetwork: 128, inAll: 512 };
/** Places of their own: no crowd on the network shuts this machine's programs out, and a proxy here speaks for many. */
const LOOPBACK: Bounds = { perAddress: 256, perNetwork: 256, inAll: 256 };
/** Where this machine's programs come from. */
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

/** A connection over which nothing has gone in either direction for so long is closed: its reader is gone or stuck. */
const IDLE_MS = 60_000;

/**
 * Bounds the connections of servers, all of them together: those of the network, and those of this machine. An address
 * that has as many as it may gets no further one; where all places are taken, the network with the most (an IPv6 /64,
 * an IPv4 /24) gives one up for a network that has fewer, and within a network the address with the most: so many
 * addresses together shut nobody out either. What no request has come over goes first, then the oldest. A connection
 * that is refused costs no TLS and is never answered.
 */
export class ConnectionLimit {
  readonly #network = new Places(NETWORK);
  readonly #loopback = new Places(LOOPBACK);
  /** By both ends: TLS has another object for the connection than the one that came in. */
  readonly #silent = new Map<string, Place>();

  /** Counts the connections of a server that will listen. */
  guard(server: Server): void {
    server.setTimeout(IDLE_MS);
    const takers = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      // In the place of what takes a connection up: to begin TLS or HTTP for thousands that are refused is their attack.
      if (!this.#admits(socket)) return;
      for (const taker of takers) taker.call(server, socket);
    });
    const heard = new WeakSet<Socket>();
    server.prependListener("request", ({ socket }) => {
      // Once a connection: the path of a sale is short of time.
      if (heard.has(socket)) return;
      heard.add(socket);
      const ends = endsOf(socket);
      this.#silent.get(ends)?.noteRequest();
      this.#silent.delete(ends);
    });
  }

  #admits(socket: Socket): boolean {
    const from = clientAddress(socket.remoteAddress);
    const places = LOOPBACK_ADDRESSES.has(from.address) ? this.#loopback : this.#network;
    const place = from.address === "" ? undefined : places.take(socket, from);
    if (place === undefined) {
      // No answer, and no waiting for the other end to close.
      socket.on("error", () => {});
      socket.resetAndDestroy();
      return false;
    }
    const ends = endsOf(socket);
    this.#silent.set(ends, place);
    socket.once("close", () => {
      // The same two ends may have met again before this was told.
      if (this.#silent.get(ends) === place) this.#silent.delete(ends);
    });
    return true;
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
