import { INSTALLED_SCRIPTS } from "../../scripts/guest/installed.ts";
import { buildGuest, runInGuest } from "../../scripts/guest/machine.ts";
import { type Part, parseParts, parseReports, type Report, type ReportOf } from "./report.ts";

export type Form = "full" | "short";

/** What the whole proof may take inside the guest, on a machine that has nothing else to do far less. */
const TIMEOUT_MS = { full: 900_000, short: 600_000 };
const SHOWN_CHARACTERS = 4_000;
const SCRIPTS = { all: "test/guest/inside/all.ts", prove: "test/guest/inside/prove.ts" };

/** One boot of the guest: what each part came to, asked for by the tests one claim at a time. */
export class Proof {
  readonly #form: Form;
  #parts: readonly Part[] = [];

  constructor(form: Form) {
    this.#form = form;
  }

  /** Builds, boots and runs everything. Rejects with GuestFailure when the machine failed, not when a part did. */
  async open(): Promise<void> {
    const guest = await buildGuest({ checkout: true, scripts: SCRIPTS });
    const { stdout } = await runInGuest(guest, {
      command: ["node", `${INSTALLED_SCRIPTS}/all.mjs`, this.#form],
      environment: {},
      timeoutMs: TIMEOUT_MS[this.#form],
      onStderr: (chunk) => process.stderr.write(chunk),
    });
    this.#parts = parseParts(stdout);
  }

  /** Throws when the part never came to its end. */
  part(name: Part["part"]): Part {
    const part = this.#parts.find((candidate) => candidate.part === name);
    if (part === undefined) throw new Error(`The guest told nothing of ${name}.`);
    return part;
  }

  /** Throws, with what the part wrote, when it did not come to the step. */
  report<Step extends Report["step"]>(name: Part["part"], step: Step): ReportOf<Step> {
    const part = this.part(name);
    const report = parseReports(part.stdout).find((candidate) => isStep(candidate, step));
    if (report === undefined || !isStep(report, step)) {
      throw new Error(`${name} did not come to "${step}":\n${part.stderr.slice(-SHOWN_CHARACTERS)}`);
    }
    return report;
  }
}

function isStep<Step extends Report["step"]>(report: Report, step: Step): report is ReportOf<Step> {
  return report.step === step;
}
