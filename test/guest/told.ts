import { inspect } from "node:util";

/** How a program ended, and what it wrote. */
export interface ProgramOutput {
  readonly exitCode: number | null;
  readonly said: string;
}

/** What a script in a guest tells its host, as one line of its standard output. */
interface Line {
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
  return <Step extends string & keyof Reports>(step: Step, report: Reports[Step]): void => {
    const beganMs = endedMs;
    endedMs = performance.now();
    const line: Line = { step, seconds: Math.round((endedMs - beganMs) / 1_000), report };
    console.error(`${step}: ${line.seconds} s ${inspect(report, { depth: 0 })}`);
    console.log(JSON.stringify(line));
  };
}

/** What scripts in guests have told, by the names of their steps. */
export class StepReports<Reports> {
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
  all<Step extends string & keyof Reports>(step: Step): readonly Reports[Step][] {
    const found = this.#lines.filter((line) => line.step === step);
    if (found.length === 0) throw new Error(`The guest did not come to "${step}".`);
    return found.map(({ report }) => report as Reports[Step]);
  }

  /** The report of a step that came once. Throws where no guest came to it. */
  one<Step extends string & keyof Reports>(step: Step): Reports[Step] {
    const [report] = this.all(step);
    return report as Reports[Step];
  }
}
