import { once } from "node:events";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { FlancoError, systemCode } from "../domain/error.ts";

/**
 * Characters that a terminal obeys: control characters other than the line's
 * end and the tab, and characters that turn the direction of a text. Clients
 * of the API choose names and e-mails, which may have such characters in them.
 */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** The text with each character that a terminal obeys escaped as in JSON: `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A time in UTC, as ISO 8601 has it; `timeMs` is in Unix milliseconds. */
export function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Local date and time: 2026-11-21 17:40:02. */
export function moment(timeMs: number, timeZone: string): string {
  // Swedish dates are written as ISO 8601 has them.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    timeMs,
  );
}

/** A question to the keyboard. The answer to a secret one is not shown. */
interface Question {
  readonly text: string;
  readonly isSecret: boolean;
}

/** A command's output and questions. Results go to standard output, everything else to standard error. */
export class Terminal {
  #endsUnread = false;
  /** Node keeps no error of standard output. */
  #error: Error | undefined;

  /**
   * Handles errors of the output, by which a process would otherwise
   * end: the reader is gone, or the disk is full. Call it once.
   */
  open(): void {
    process.stdout.on("error", (error) => {
      this.#error ??= error;
      if (this.#endsUnread) this.#leave(error);
    });
    // There is no place left to report it.
    process.stderr.on("error", () => {});
  }

  /**
   * Waits until all output is written. Throws `unavailable` where it could
   * not be written; a reader that has ended (`| head`) is no failure.
   */
  async end(): Promise<void> {
    await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
    const mistake = this.#error && unwritten(this.#error);
    if (mistake !== undefined) throw mistake;
  }

  /**
   * For a command that only shows what comes: from here on the
   * process ends when its output can no longer be written.
   */
  endUnread(): void {
    this.#endsUnread = true;
  }

  #leave(error: Error): never {
    const mistake = unwritten(error);
    if (mistake !== undefined) this.err(`flanco: ${mistake.message}`);
    process.exit(mistake === undefined ? 0 : 1);
  }

  out(line: string): void {
    process.stdout.write(`${printable(line)}\n`);
  }

  err(line: string): void {
    process.stderr.write(`${printable(line)}\n`);
  }

  json(value: unknown): void {
    process.stdout.write(`${printable(JSON.stringify(value, null, 2))}\n`);
  }

  /** A result: as JSON where that is asked for, else in these lines. */
  show(asJson: boolean, value: unknown, lines: readonly string[]): void {
    if (asJson) this.json(value);
    else for (const line of lines) this.out(line);
  }

  /**
   * Writes a line of a result that is a file's content: unchanged, unless a terminal
   * shows it. Waits for a slow reader, and ends the process as `endUnread` says.
   */
  async data(line: string): Promise<void> {
    this.endUnread();
    const text = process.stdout.isTTY ? printable(line) : line;
    if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
  }

  /** Rewrites one line on a terminal; writes only the first and the last state to a file. */
  progress(what: string, done: number, total: number): void {
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
    const text = `${what} ${percent} %`;
    if (process.stderr.isTTY) process.stderr.write(`\r${text}${done >= total ? "\n" : ""}`);
    else if (done === 0 || done >= total) this.err(text);
  }

  /** One line of standard input, or of the keyboard without echo, asked twice. Never an argument. */
  async newPassword(fromStandardInput: boolean): Promise<string> {
    // The first line of standard input.
    const asked = fromStandardInput
      ? [(await this.readAll()).replace(/\r?\n[\s\S]*$/, "")]
      : await this.answers(
          ["Password (at least 10 characters): ", "Once more: "].map((text) => ({ text, isSecret: true })),
          "password",
          "Pass it on standard input with --password-stdin.",
        );
    const [first = "", second = first] = asked;
    if (first === second) return first;
    throw new FlancoError("invalid", "The two passwords differ.", { hint: "Try again." });
  }

  /** The keyboard's answers, without the echo of a secret. Throws `invalid`, with this hint where there is no keyboard. */
  async answers(questions: readonly Question[], what: string, hint: string): Promise<readonly string[]> {
    if (!process.stdin.isTTY) {
      throw new FlancoError("invalid", `There is no terminal to ask for the ${what}.`, { hint });
    }
    // Echo is off from before the first question until after the last answer: otherwise a
    // quick answer would be shown, and a Ctrl-D lost while the terminal changes its mode.
    let isSilent = questions[0]?.isSecret ?? true;
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!isSilent) process.stderr.write(chunk);
        done();
      },
    });
    const keyboard = createInterface({ input: process.stdin, output, terminal: true });
    const given: string[] = [];
    try {
      const answers = keyboard[Symbol.asyncIterator]();
      for (const { text, isSecret } of questions) {
        isSilent = isSecret;
        given.push(await ask(what, text, answers));
        if (isSecret) process.stderr.write("\n");
      }
    } finally {
      keyboard.close();
    }
    return given;
  }

  /** Standard input to its end. */
  async readAll(): Promise<string> {
    return text(process.stdin);
  }
}

/** The error for output that cannot be written; undefined where its reader has ended. */
function unwritten(error: Error): FlancoError | undefined {
  if (systemCode(error) === "EPIPE") return undefined;
  const message = `The output could not be written: ${error.message}.`;
  return new FlancoError("unavailable", message, { cause: error });
}

/** The next answer. Throws `invalid` after Ctrl-C and Ctrl-D. */
async function ask(what: string, question: string, answers: AsyncIterator<string, unknown>): Promise<string> {
  process.stderr.write(question);
  const answer = await answers.next();
  if (answer.done !== true) return answer.value;
  process.stderr.write("\n");
  throw new FlancoError("invalid", `No ${what} was given.`, { hint: "Nothing was changed." });
}
