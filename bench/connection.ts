import { connect, type Socket } from "node:net";
import { ScriptFailure } from "../scripts/command.ts";

const HEADER_END = "\r\n\r\n";
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
/** "HTTP/1.1 " */
const STATUS_AT = 9;

/**
 * One keep-alive connection of a client that does nothing but ask: requests are bytes made beforehand,
 * an answer is its status. Cheap, so that the load takes little of the machine from the server.
 */
export class Connection {
  readonly #socket: Socket;
  #partial = "";
  #onAnswer: (status: number) => void = () => {};
  #onFailure: (error: ScriptFailure) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#take(text));
    socket.on("error", (error: Error) => this.#onFailure(new ScriptFailure(`connection: ${error.message}`)));
    socket.on("end", () => this.#onFailure(new ScriptFailure("the server closed a connection")));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new Connection(socket);
  }

  /** Sends one request; one at a time. `onAnswer` gets the status once the whole answer is there. */
  ask(request: Buffer, onAnswer: (status: number) => void, onFailure: (error: ScriptFailure) => void): void {
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
    this.#socket.write(request);
  }

  close(): void {
    this.#onFailure = () => {};
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#partial += text;
    const headerEnd = this.#partial.indexOf(HEADER_END);
    if (headerEnd < 0) return;
    const length = CONTENT_LENGTH.exec(this.#partial)?.[1];
    if (length === undefined) {
      this.#onFailure(new ScriptFailure("an answer without Content-Length"));
      return;
    }
    if (this.#partial.length < headerEnd + HEADER_END.length + Number(length)) return;
    const status = Number(this.#partial.slice(STATUS_AT, STATUS_AT + 3));
    this.#partial = "";
    this.#onAnswer(status);
  }
}
