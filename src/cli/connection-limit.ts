import type { Server, Socket } from "node:net";
import { type ClientAddress, clientAddress } from "../http/client-address.ts";

/** How many connections may be open at once. */
interface Bounds {
  readonly perAddress: number;
  /** Of one IPv6 /64, in which one machine has as many addresses as it likes. */
  readonly perNetwork: number;
  readonly inAll: number;
}

/** Of the service's 4,096 descriptors the network gets so many. A browser takes at most 6 for a page. */
const NETWORK: Bounds = { perAddress: 32, perNetwork: 256, inAll: 512 };
/** Places of their own: no crowd on the network shuts this machine's programs out, and a proxy here speaks for many. */
const LOOPBACK: Bounds = { perAddress: 256, perNetwork: 256, inAll: 256 };
/** Where this machine's programs come from. */
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

/** A connection over which nothing has gone in either direction for so long is closed: its reader is gone or stuck. */
const IDLE_MS = 60_000;

/**
 * Bounds the connections of servers, all of them together: those of the network, and those of this machine. Who has as
 * many as it may gets no further one; where all places are taken, whoever has the most gives its oldest up for an
 * address that has fewer: so many addresses together shut nobody out either. A connection that is refused costs no TLS
 * and is never answered.
 */
export class ConnectionLimit {
  readonly #network = new Places(NETWORK);
  readonly #loopback = new Places(LOOPBACK);

  /** Counts the connections of a server that will listen. */
  guard(server: Server & { setTimeout(ms: number): unknown }): void {
    server.setTimeout(IDLE_MS);
    const takers = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      // In the place of what takes a connection up: to begin TLS or HTTP for thousands that are refused is their attack.
      if (!this.#admits(socket)) return;
      for (const taker of takers) taker.call(server, socket);
    });
  }

  #admits(socket: Socket): boolean {
    const from = clientAddress(socket.remoteAddress);
    const places = LOOPBACK_ADDRESSES.has(from.address) ? this.#loopback : this.#network;
    if (from.address !== "" && places.take(socket, from)) return true;
    // No answer, and no waiting for the other end to close.
    socket.on("error", () => {});
    socket.resetAndDestroy();
    return false;
  }
}

class Places {
  readonly #bounds: Bounds;
  /** By address, each with its oldest first. */
  readonly #open = new Map<string, Set<Socket>>();
  readonly #perNetwork = new Map<string, number>();
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Takes a place for a connection, until it is closed; false where there is none for it. */
  take(socket: Socket, from: ClientAddress): boolean {
    if (!this.#hasRoom(from)) return false;
    const own = this.#open.get(from.address) ?? new Set();
    own.add(socket);
    this.#open.set(from.address, own);
    this.#note(from, 1);
    socket.once("close", () => {
      // One that gave its place up was counted out then.
      if (own.delete(socket)) this.#forget(from, own);
    });
    return true;
  }

  #hasRoom(from: ClientAddress): boolean {
    const own = this.#open.get(from.address)?.size ?? 0;
    if (own >= this.#bounds.perAddress) return false;
    const { network } = from;
    if (network !== null && (this.#perNetwork.get(network) ?? 0) >= this.#bounds.perNetwork) return false;
    return this.#count < this.#bounds.inAll || this.#takePlace(own);
  }

  /** Whether the address with the most connections gave one up for one that has so many. */
  #takePlace(own: number): boolean {
    let greediest: readonly [string, Set<Socket>] | undefined;
    for (const entry of this.#open) {
      if (greediest === undefined || entry[1].size > greediest[1].size) greediest = entry;
    }
    if (greediest === undefined || greediest[1].size <= own + 1) return false;
    const [address, sockets] = greediest;
    const [oldest] = sockets;
    if (oldest === undefined) return false;
    sockets.delete(oldest);
    this.#forget(clientAddress(address), sockets);
    oldest.destroy();
    return true;
  }

  #forget(from: ClientAddress, own: ReadonlySet<Socket>): void {
    if (own.size === 0) this.#open.delete(from.address);
    this.#note(from, -1);
  }

  #note({ network }: ClientAddress, change: 1 | -1): void {
    this.#count += change;
    if (network === null) return;
    const count = (this.#perNetwork.get(network) ?? 0) + change;
    if (count === 0) this.#perNetwork.delete(network);
    else this.#perNetwork.set(network, count);
  }
}
