import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { FlancoError } from "../domain/error.ts";
import type { ControlAnswer, ControlRequest, SightingMessage } from "./message.ts";
import type { OperationInput, OperationName, OperationOutputs, Operations } from "./operation.ts";
import { requireSocketPath } from "./socket-path.ts";

/** No socket, none that anybody listens on any more, or no directory to hold one. */
const NOBODY_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

/** Runs operations in the service that has the ledger, through its control socket. */
export class RemoteOperations implements Operations {
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string>;
  readonly #by: string;

  private constructor(socket: Socket, by: string) {
    this.#socket = socket;
    this.#by = by;
    this.#answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  /**
   * Undefined when no service listens at this path. `by` is the system's user that runs the command, for the audit
   * log. Throws `forbidden` when this user may not talk to
   * it, `config` when the path is too long.
   */
  static async connect(path: string, by = ""): Promise<RemoteOperations | undefined> {
    requireSocketPath(path);
    const socket = connect(path);
    return new Promise((resolve, reject) => {
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        socket.on("error", () => socket.destroy());
        resolve(new RemoteOperations(socket, by));
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        if (NOBODY_THERE.has(error.code)) resolve(undefined);
        else
          reject(
            new FlancoError(
              "forbidden",
              `The service's control socket ${path} cannot be opened (${error.code}).`,
              {
                hint: "Run the command as the service's user or as root.",
                cause: error,
              },
            ),
          );
      });
    });
  }

  async call<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationOutputs[N]> {
    this.#send({ kind: "call", name, input, by: this.#by });
    return (await this.#output()) as OperationOutputs[N];
  }

  /** Levels of the wired lines from this moment on, until the service ends or the loop is left. */
  async *watch(): AsyncGenerator<SightingMessage> {
    this.#send({ kind: "watch" });
    await this.#output();
    for (let next = await this.#answers.next(); next.done !== true; next = await this.#answers.next()) {
      const answer = JSON.parse(next.value) as ControlAnswer;
      if (answer.kind === "sighting") yield answer;
    }
  }

  close(): void {
    this.#socket.end();
    this.#socket.unref();
  }

  #send(request: ControlRequest): void {
    this.#socket.write(`${JSON.stringify(request)}\n`);
  }

  async #output(): Promise<unknown> {
    const next = await this.#answers.next();
    if (next.done === true) throw new FlancoError("unavailable", "The service ended before it answered.");
    const answer = JSON.parse(next.value) as ControlAnswer;
    if (answer.kind === "error") {
      const { code, message, hint } = answer;
      throw new FlancoError(code, message, hint === undefined ? {} : { hint });
    }
    return answer.kind === "output" ? answer.output : null;
  }
}
