import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { compileLibrary } from "../../scripts/debian.ts";
import { CHECKPOINT_PAGES } from "../../src/ledger/engine/open.ts";
import { CONTROLS, failureOf } from "../rig/controls.ts";
import { forEachTest } from "../rig/standing.ts";
import { DiskTrial } from "./disk-trial.ts";
import { Variants } from "./variant.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
const END_MS = 10_000;
const SOURCE = join(import.meta.dirname, "failing-disk.c");

/** What a disk may refuse to do. */
type DiskCall = "sync" | "write";

/** Lets a process meet a disk that fails from a moment on, by a library that stands before its C library. */
class FailingDisk {
  /** Runs a command so that it can be failed. */
  readonly wrapper: readonly string[];
  readonly #begun: string;

  /**
   * gcc makes the library in this directory.
   * @param file the one that the disk fails for; without it, for all
   */
  constructor(directory: string, call: DiskCall, file?: string) {
    const library = join(directory, "failing-disk.so");
    this.#begun = join(directory, "disk-fails");
    compileLibrary(SOURCE, library);
    const only = file === undefined ? [] : [`FAIL_OF=${file}`];
    const what = [`FAIL_CALLS=${call}`, `FAIL_WHEN=${this.#begun}`, ...only];
    this.wrapper = ["env", `LD_PRELOAD=${library}`, ...what];
  }

  begin(): void {
    writeFileSync(this.#begun, "");
  }
}

describe("A failing disk", () => {
  const trial = forEachTest(() => DiskTrial.make());
  const variants = forEachTest(() => new Variants());

  /** Some posts go well, then the disk fails; the process must end, and the next one know what was answered. */
  async function stopsAndKeeps(call: DiskCall, program?: string): Promise<void> {
    const disk = new FailingDisk(trial.appliance.directory, call);
    const service = await trial.start({ wrapper: disk.wrapper, program });
    for (let left = 20; left > 0; left -= 1) expect((await trial.post()).status).to.equal(201);
    disk.begin();
    const refused = await Promise.all(
      Array.from({ length: 8 }, () =>
        trial.post().then(
          ({ status }) => status,
          () => "no answer",
        ),
      ),
    );
    for (const status of refused) expect(status).to.be.oneOf([503, "no answer"]);
    const { exitCode, stderr } = await service.ended(END_MS);
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(
      /flanco: The ledger takes no writes \(SQLITE_IOERR_\w+\)\. The disk or card may be/,
    );

    await trial.start({ program });
    trial.expectAcknowledgedOnce();
    expect((await trial.post()).status).to.equal(201);
    trial.expectAcknowledgedOnce();
    await trial.expectSound();
  }

  it("at fsync: nothing is acknowledged, the process ends with 1, and what was refused is not stored", async () => {
    await stopsAndKeeps("sync");
  });

  it("at a write: likewise", async () => {
    await stopsAndKeeps("write");
  });

  /** Commits go well, but what they wrote to the log cannot be brought into the file. */
  async function stopsAtCheckpoint(program?: string): Promise<void> {
    const disk = new FailingDisk(trial.appliance.directory, "sync", trial.ledgerFile);
    const service = await trial.start({ wrapper: disk.wrapper, program });
    expect((await trial.post()).status).to.equal(201);
    disk.begin();
    await trial.postWhile(() => trial.logFrames < CHECKPOINT_PAGES);
    expect(trial.logFrames, "frames, so many that they are brought in").to.be.at.least(CHECKPOINT_PAGES);
    const { exitCode, stderr } = await service.ended(END_MS);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain("flanco: The ledger takes no writes (SQLITE_IOERR_FSYNC).");
    await trial.start({ program });
    trial.expectAcknowledged();
    await trial.expectSound();
  }

  it("at the fsync of a checkpoint: the process ends with 1, and all that was acknowledged is there", async () => {
    await stopsAtCheckpoint();
  });

  describe("without what protects from it (controls)", () => {
    it("goes on in the same process, whose next commits contradict what the log has", async () => {
      const changed = variants.program(CONTROLS["the process outlives a disk error"]);
      expect(await failureOf(stopsAndKeeps("sync", changed))).to.contain("expected 500 to be");
    });

    if (!SHORT) {
      it("goes on where a checkpoint may fail unheard, as SQLite's own do", async () => {
        const changed = variants.program(CONTROLS["the process outlives a failed checkpoint"]);
        expect(await failureOf(stopsAtCheckpoint(changed))).to.contain("the service ends");
      });

      it("stores what it refused, so that a client that sends it again is counted twice", async () => {
        const changed = variants.program(CONTROLS["what was refused stays in the log"]);
        const message = await failureOf(stopsAndKeeps("sync", changed));
        expect(message).to.contain("to have the same members");
      });
    }
  });
});
