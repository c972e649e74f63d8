import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../platform/socket.ts";
import { Turns } from "./turns.ts";

/** The most requests of one connection that wait for their answers, including the one that is being answered. */
const MAX_UNANSWERED = 16;
/** The slowest pace at which a client may take its answer. */
const LEAST_BYTES_PER_MS = 1;

type Waiting = readonly [IncomingMessage, ServerResponse];

/** For how long a client could take bytes of an answer. */
interface Taking {
  /** Bytes that were written to the connection before this answer. */
  readonly bytesBefore: number;
  readonly ms: number;
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
  /** The waiting requests of each connection; an entry exists while one of its requests is being answered. */
  readonly #queues = new WeakMap<Socket, Waiting[]>();
  /** The connections with a request that is being answered. */
  readonly #busy = new Map<Socket, Taking>();
  #timer: NodeJS.Timeout | undefined;

  /** @param paceMs time between two looks at the pace of clients */
  constructor(paceMs: number) {
    this.#paceMs = paceMs;
  }

  open(): void {
    this.#timer = setInterval(() => this.#cutSlow(), this.#paceMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  through(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // Requests that were parsed before the connection was closed still arrive.
      if (socket.destroyed) return;
      const queue = this.#queues.get(socket);
      if (queue === undefined) {
        const empty: Waiting[] = [];
        this.#queues.set(socket, empty);
        this.#begin(listener, empty, [request, response]);
      } else if (queue.push([request, response]) >= MAX_UNANSWERED) {
        socket.destroy();
      }
    };
  }

  #begin(listener: RequestListener, queue: Waiting[], [request, response]: Waiting): void {
    const { socket } = request;
    this.#busy.set(socket, { bytesBefore: socket.bytesWritten, ms: 0 });
    response.once("close", () => {
      this.#busy.delete(socket);
      this.#next(listener, queue, socket);
    });
    this.#turns.begin(clientAddress(socket.remoteAddress), () => {
      if (!response.destroyed) listener(request, response);
    });
  }

  #next(listener: RequestListener, queue: Waiting[], socket: Socket): void {
    const waiting = queue.shift();
    if (waiting === undefined || !socket.writable) this.#queues.delete(socket);
    else this.#begin(listener, queue, waiting);
  }

  #cutSlow(): void {
    for (const [socket, { bytesBefore, ms }] of this.#busy) {
      // With nothing to take, the answer is slow, not the client.
      if (socket.writableLength === 0) continue;
      if (socket.bytesWritten - bytesBefore < LEAST_BYTES_PER_MS * ms) socket.destroy();
      else this.#busy.set(socket, { bytesBefore, ms: ms + this.#paceMs });
    }
  }
}
