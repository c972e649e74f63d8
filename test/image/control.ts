import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";

const answerSchema = z.looseObject({ return: z.unknown().optional(), error: z.looseObject({}).optional() });

/** qemu's own control socket (QMP): what a hand does to a machine from outside. */
export class Control {
  readonly #socket: Socket;
  readonly #waiting: ((answer: z.infer<typeof answerSchema>) => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => {
      const answer = answerSchema.parse(JSON.parse(line));
      // Events and the greeting answer nothing.
      if ("return" in answer || "error" in answer) this.#waiting.shift()?.(answer);
    });
    // A machine that is killed takes its socket along; the reader of its lines tells of it once more.
    for (const one of [socket, lines]) one.on("error", () => {});
  }

  static async open(path: string): Promise<Control> {
    const socket = connect(path);
    await once(socket, "connect");
    const control = new Control(socket);
    await control.execute("qmp_capabilities");
    return control;
  }

  async execute(command: string): Promise<void> {
    const answered = new Promise<z.infer<typeof answerSchema>>((resolve) => this.#waiting.push(resolve));
    this.#socket.write(`${JSON.stringify({ execute: command })}\n`);
    const { error } = await answered;
    if (error !== undefined) throw new Error(`${command}: ${JSON.stringify(error)}`);
  }

  close(): void {
    this.#socket.destroy();
  }
}
