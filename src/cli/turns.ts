import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that one connection may have waiting for their answers, the one that is being answered included. */
const MAX_UNANSWERED = 16;

type Waiting = readonly [IncomingMessage, ServerResponse];

/**
 * A listener that begins with a connection's next request when the one before is answered, to the last byte that the
 * client takes. Node parses whatever a client sends without waiting for answers, and would begin with all of it at once:
 * more than a thousand requests of one connection. Who sends that many beyond what is answered is cut off, and what
 * had not begun never does. Answers come in the order of their requests anyway, so that nobody waits longer.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** Present while a request of the connection is being answered. */
  const queues = new WeakMap<Socket, Waiting[]>();

  function begin(queue: Waiting[], request: IncomingMessage, response: ServerResponse): void {
    response.once("close", () => next(queue, request.socket));
    listener(request, response);
  }

  function next(queue: Waiting[], socket: Socket): void {
    const waiting = queue.shift();
    if (waiting === undefined || !socket.writable) queues.delete(socket);
    else begin(queue, ...waiting);
  }

  return (request, response) => {
    const { socket } = request;
    // The rest of what had been parsed when it was cut off.
    if (socket.destroyed) return;
    const queue = queues.get(socket);
    if (queue === undefined) {
      const empty: Waiting[] = [];
      queues.set(socket, empty);
      begin(empty, request, response);
    } else if (queue.push([request, response]) >= MAX_UNANSWERED) {
      socket.destroy();
    }
  };
}
