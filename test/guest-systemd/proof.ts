import { join } from "node:path";
import { runInGuest } from "../../scripts/guest/machine.ts";
import { buildSystemdGuest } from "../../scripts/guest/systemd-machine.ts";
import { type Absence, parseReports, type Report } from "./report.ts";

const SCRIPT = join(import.meta.dirname, "inside", "prove.ts");

export type Form = "full" | "short";

/** What the whole proof may take inside the guest, on a machine that has nothing else to do far less. */
const TIMEOUT_MS = { full: 2_400_000, short: 1_500_000 };

/** One boot of the guest with systemd: what each step came to, asked for by the tests one claim at a time. */
export class Proof {
  readonly #form: Form;
  #reports: readonly Report[] = [];

  constructor(form: Form) {
    this.#form = form;
  }

  /** Builds, boots and runs everything. Rejects when the machine failed, or a step did not come to its end. */
  async open(): Promise<void> {
    const guest = await buildSystemdGuest({ scripts: { prove: SCRIPT } });
    const { exitCode, stdout, stderr } = await runInGuest(guest, {
      command: ["node", "prove.mjs", this.#form],
      environment: {},
      timeoutMs: TIMEOUT_MS[this.#form],
    });
    if (exitCode !== 0) throw new Error(`The script in the guest ended with ${exitCode}:\n${stderr}`);
    this.#reports = parseReports(stdout);
  }

  /** Throws when the step never came. */
  report<Step extends Report["step"]>(step: Step): Extract<Report, { step: Step }> {
    const report = this.#reports.find((candidate) => isStep(candidate, step));
    if (report === undefined || !isStep(report, step))
      throw new Error(`The guest did not come to "${step}".`);
    return report;
  }

  /** Every absence of one kind, in order. Throws when there was none. */
  absences(step: Absence["step"]): readonly Absence[] {
    const absences = this.#reports.filter(
      (report): report is Absence => "drives" in report && report.step === step,
    );
    if (absences.length === 0) throw new Error(`The guest did not come to "${step}".`);
    return absences;
  }
}

function isStep<Step extends Report["step"]>(
  report: Report,
  step: Step,
): report is Extract<Report, { step: Step }> {
  return report.step === step;
}
