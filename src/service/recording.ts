import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Change, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { LineDriver } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import { Recorder, type RecorderDependencies } from "../gpio/recorder.ts";
import type { Synchronized } from "./clock-trust.ts";
import { ClockWatch } from "./clock-watch.ts";

export interface RecordingDependencies {
  readonly clock: Clock;
  /** The kernel's id of this boot. */
  readonly bootId: string;
  readonly writer: RecorderDependencies["writer"] & Pick<LedgerWriter, "noteBoot" | "settleTimes" | "purge">;
  readonly reader: RecorderDependencies["reader"] & Pick<LedgerReader, "boots" | "provisional" | "lastAlive">;
  readonly driver: LineDriver;
  readonly log: Log;
  /** When the wall clock is right: once this says so, or always. */
  readonly synchronized: Synchronized | "always";
  readonly unwatched?: NonNullable<RecorderDependencies["unwatched"]>;
  /** Called when the ledger knows the boots better than before: sessions are aged by them. */
  readonly onBoots: () => void;
}

/** What turns edges into records: the watch over the clock, and the recorder of the wired lines. */
export class Recording {
  readonly trust: ClockWatch;
  readonly #dependencies: RecordingDependencies;
  #recorder: Recorder | undefined;

  constructor(dependencies: RecordingDependencies) {
    this.#dependencies = dependencies;
    this.trust = new ClockWatch(dependencies);
  }

  /** Throws before `open`. */
  get recorder(): Recorder {
    if (this.#recorder === undefined) throw new FlancoError("internal", "The service is not open.");
    return this.#recorder;
  }

  /** Stores this boot, then watches the wired lines. Closed again when it throws. */
  async open(): Promise<void> {
    // Read before this process is stored as alive.
    const lastAlive = this.#dependencies.reader.lastAlive();
    await this.trust.open();
    this.#recorder = new Recorder({ ...this.#dependencies, trust: this.trust, lastAlive });
    await this.#recorder.open();
  }

  /** Releases the lines. Every edge that they have told is committed when this resolves. */
  async close(): Promise<void> {
    await this.#recorder?.close();
    await this.trust.close();
  }

  /** Call after each commit. */
  apply(changes: readonly Change[]): void {
    if (changes.some(({ kind }) => kind === "wiring")) void this.#recorder?.reconcile();
  }
}
