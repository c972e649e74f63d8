import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { FlancoError } from "../domain/error.ts";

/**
 * Control characters but the line's end and the tab, and what turns the direction of a text: names come from anybody
 * who may post, and e-mails from anybody who tries to sign in, and a terminal would obey them.
 */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** A text in which a terminal finds nothing to obey: `\u001b` and the like stand in their place, as JSON has them. */
export function printable(text: string): string {
  return text.replaceAll(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What a command says and asks. Answers go to standard output, everything else to standard error. */
export class Terminal {
  out(line: string): void {
    process.stdout.write(`${printable(line)}\n`);
  }

  err(line: string): void {
    process.stderr.write(`${printable(line)}\n`);
  }

  json(value: unknown): void {
    this.out(JSON.stringify(value, null, 2));
  }

  /** The same line over and over while long work goes on; a line each where nobody looks. */
  progress(what: string, done: number, total: number): void {
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (process.stderr.isTTY) process.stderr.write(`\r${what} ${percent} %${done >= total ? "\n" : ""}`);
    else if (done === 0 || done >= total) this.err(`${what} ${percent} %`);
  }

  /** One line of standard input, or of the keyboard without echo, asked twice. Never an argument. */
  async newPassword(fromStandardInput: boolean): Promise<string> {
    if (fromStandardInput) return (await this.readAll()).replace(/\r?\n[\s\S]*$/, "");
    if (!process.stdin.isTTY) {
      throw new FlancoError("invalid", "There is no terminal to ask for the password.", {
        hint: "Pass it on standard input with --password-stdin.",
      });
    }
    // Without echo, and key by key, before the first question stands and until the last answer: a quick answer would
    // else be shown, and a Ctrl-D be lost while the terminal changes over.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const keyboard = createInterface({ input: process.stdin, output: silent, terminal: true });
    try {
      const answers = keyboard[Symbol.asyncIterator]();
      const first = await ask("Password (at least 10 characters): ", answers);
      const second = await ask("Once more: ", answers);
      if (first === second) return first;
    } finally {
      keyboard.close();
    }
    throw new FlancoError("invalid", "The two passwords differ.", { hint: "Try again." });
  }

  /** Standard input to its end. */
  async readAll(): Promise<string> {
    return text(process.stdin);
  }
}

/** The next answer; Ctrl-C and Ctrl-D end the answers. */
async function ask(question: string, answers: AsyncIterator<string, unknown>): Promise<string> {
  process.stderr.write(question);
  const answer = await answers.next();
  process.stderr.write("\n");
  if (answer.done !== true) return answer.value;
  throw new FlancoError("invalid", "No password was given.", { hint: "Nothing was changed." });
}
