import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { inspect } from "node:util";

/** How a program ended, and what it wrote. */
export interface Said {
  readonly exitCode: number | null;
  readonly said: string;
}

/** Resolves once a program has ended. */
export async function outcomeOf(program: ChildProcessByStdio<null, Readable, Readable>): Promise<Said> {
  let said = "";
  for (const stream of [program.stdout, program.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [exitCode] = (await once(program, "close")) as [number | null];
  return { exitCode, said };
}

/** What a script in a guest tells its host, as one line of its standard output. */
interface Line {
  /** Names the steps of one script among others. */
  readonly part: string;
  readonly step: string;
  /** From the end of the step before, in the guest's own time. */
  readonly seconds: number;
  readonly report: unknown;
}

let endedMs = 0;

/**
 * Gives the function by which a script in a guest tells the host what a step came to. The report's outline goes to
 * standard error, with how long the step took: it shows where a run was slow or went wrong.
 */
export function teller<Reports>() {
  return <Step extends string & keyof Reports>(step: Step, report: Reports[Step], part = ""): void => {
    const beganMs = endedMs;
    endedMs = performance.now();
    const line: Line = { part, step, seconds: Math.round((endedMs - beganMs) / 1_000), report };
    console.error(`${part} ${step}: ${line.seconds} s ${inspect(report, { depth: 0 })}`);
    console.log(JSON.stringify(line));
  };
}

/** What scripts in guests have told, by the names of their steps. */
export class Told<Reports> {
  readonly #lines: Line[] = [];

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** Takes a line of a script's standard output. Gives the name of the step that it tells, if any. */
  take(line: string): string | undefined {
    if (!line.startsWith("{")) return undefined;
    const told: Line = JSON.parse(line);
    this.#lines.push(told);
    return told.step;
  }

  /** The reports of a step, in order. Throws where no guest came to it. */
  all<Step extends string & keyof Reports>(step: Step, part = ""): readonly Reports[Step][] {
    const found = this.#lines.filter((line) => line.step === step && line.part === part);
    if (found.length === 0) throw new Error(`The guest did not come to "${step}" ${part}.`);
    return found.map(({ report }) => report as Reports[Step]);
  }

  /** The report of a step that came once. Throws where no guest came to it. */
  one<Step extends string & keyof Reports>(step: Step, part = ""): Reports[Step] {
    const [report] = this.all(step, part);
    return report as Reports[Step];
  }
}
