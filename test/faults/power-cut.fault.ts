import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "chai";
import { after, before, describe, it } from "mocha";
import { INSTALLED_SCRIPTS } from "../../scripts/guest/installed.ts";
import { buildGuest } from "../../scripts/guest/machine.ts";
import type { Patch } from "../../scripts/patch.ts";
import { type CutRange, chooseStates, finalState } from "../../scripts/powercut/crash-state.ts";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { MOUNT_POINT, type Workload } from "../../scripts/powercut/recording.ts";
import type { Finding, Judge } from "../../scripts/powercut/survey.ts";
import { CONTROLS } from "../rig/controls.ts";
import { laterSchemaWith } from "../rig/later-schema.ts";
import { Books } from "./power-cut/books.ts";
import { Cuts, faultsIn } from "./power-cut/cuts.ts";
import { FoundFolders } from "./power-cut/found-folders.ts";
import { OldLedger } from "./power-cut/old-ledger.ts";
import { DATA_FOLDER, LATER_VARIABLE, OLD_FOLDER } from "./power-cut/work.ts";
import { Variant } from "./variant.ts";

/** How much the guest does, of how many moments a state is made, and on how many of them the program is started. */
const SIZES = {
  full: { posts: 400, rises: 120, atWork: 500, other: 100, control: 500, controlOther: 60, starts: 8 },
  /** Without the control, whose guest takes as long as the other one. */
  short: { posts: 60, rises: 20, atWork: 60, other: 16, control: 0, controlOther: 0, starts: 2 },
};
/** The promise. */
const READY_MS = 10_000;
/** Of the states of the control, so many at least must have lost something: it was half of them when tried. */
const MIN_CONTROL_LOSSES = 0.1;
const RECORD_MS = 600_000;
const SURVEY_MS = 600_000;
/**
 * Room for backups, and more than the 128 MiB of one ext4 block group: the second group holds the copy of the
 * superblock that e2fsck takes where a cut tore the first one in the middle of its write.
 */
const DISK_MIB = 144;
const SCRIPT = "test/faults/inside/power-cut.ts";

const size = SIZES[process.env["FLANCO_FAULTS"] === "short" ? "short" : "full"];
const seed = Number(process.env["FLANCO_FAULTS_SEED"] ?? randomInt(2 ** 32));

/** What is judged: a name for the figures, a folder of the disk, between which moments, how many of them, and by what. */
type Survey = [what: string, folder: string, range: CutRange, count: number, judge: Judge];

/** The program without its protections. */
const UNSAFE: readonly Patch[] = [
  ...CONTROLS["commits and files wait in the disk's cache"],
  ...CONTROLS["an upgrade is written over the ledger, page by page"],
];

describe("A power cut", function () {
  this.timeout(SURVEY_MS);
  const random = new SeededRandom(seed);
  const figures: string[] = [];
  const disk = mkdtempSync(join(tmpdir(), "flanco-power-cut-disk-"));
  const oldLedger = new OldLedger();
  const later = new Variant(CONTROLS["the ledger has a later schema"]);
  let safe: Cuts;
  let unsafe: Cuts;
  let books: Books;

  before(async function () {
    this.timeout(RECORD_MS * 2);
    await oldLedger.make(join(disk, OLD_FOLDER));
    const began = performance.now();
    // One after the other: a guest that gets too little of the processors stands still, and its clients' requests time out.
    safe = await record("full", []);
    if (size.control > 0) unsafe = await record("normal", UNSAFE);
    figures.push(`seed ${seed}; recorded in ${secondsSince(began)} s`);
    books = new Books(safe.recording, safe.log);
  });

  after(() => {
    safe?.close();
    unsafe?.close();
    later.remove();
    rmSync(disk, { recursive: true, force: true });
    for (const line of figures) console.log(`  power cut: ${line}`);
  });

  function record(name: string, patches: readonly Patch[]): Promise<Cuts> {
    const work: Workload = {
      command: [
        "node",
        `${INSTALLED_SCRIPTS}/power-cut.mjs`,
        `${MOUNT_POINT}${DATA_FOLDER}`,
        `${MOUNT_POINT}${OLD_FOLDER}`,
        String(size.posts),
        String(size.rises),
      ],
      diskMib: DISK_MIB,
      diskContent: disk,
      timeoutMs: RECORD_MS,
    };
    const guest = () =>
      buildGuest({
        scripts: { "power-cut": SCRIPT },
        patches: [laterSchemaWith(LATER_VARIABLE), ...patches],
      });
    return Cuts.record(name, guest, work);
  }

  /** Has states judged by a folder of the disk, and notes the figures. */
  async function surveyed(
    cuts: Cuts,
    ...[what, folder, range, count, judge]: Survey
  ): Promise<readonly Finding[]> {
    const states = chooseStates(cuts.log, range, count, random);
    const began = performance.now();
    const findings = await cuts.survey(folder, states, judge, cuts === safe);
    const seconds = secondsSince(began);
    const wrong = findings.filter((finding) => finding.wrong.length > 0).length;
    const repaired = findings.filter((finding) => finding.repaired).length;
    const pending = findings.filter(({ state }) => state.cut > state.durable).length;
    figures.push(
      `${what}${cuts === safe ? "" : " (control)"}: ${wrong} of ${findings.length} states wrong, ${pending} with unflushed writes, ` +
        `${repaired} beyond the journal's repair, ${(findings.length / seconds).toFixed(1)} states/s`,
    );
    return findings;
  }

  /** Of the program under test no state may be wrong. */
  async function prove(...survey: Survey): Promise<void> {
    assert.equal(faultsIn(safe.name, await surveyed(safe, ...survey)), "");
  }

  /** Starts the program on some of the folders that a power cut left. */
  async function proveReady(what: string, found: FoundFolders, signIn: boolean): Promise<void> {
    const { started, slowestMs } = await found.startOnEach(signIn);
    figures.push(
      `${what}: ${found.count} different folders, program started on ${started}, ready in ${slowestMs} ms at most`,
    );
    assert.isAbove(started, 1, "the power cuts left more than one state");
    assert.isBelow(slowestMs, READY_MS);
  }

  it("that never comes finds everything recorded: the measure for the others", async () => {
    const judge: Judge = (folder) => books.takeFinal(folder);
    const findings = await safe.survey(DATA_FOLDER, [finalState(safe.log)], judge);
    assert.equal(faultsIn(safe.name, findings), "");
  });

  it("at work loses no acknowledged record, doubles none, and leaves a sound ledger, ready within 10 s", async () => {
    const found = new FoundFolders(safe.scratch, Math.ceil(size.atWork / size.starts));
    const signedUp = books.entryOf("user");
    const range = {
      from: books.entryOf("ready"),
      to: books.entryOf("upgrading"),
      favoured: books.acknowledgements,
    };
    await prove("at work", DATA_FOLDER, range, size.atWork, (folder, { cut }) => {
      if (cut >= signedUp) found.keep(folder);
      return books.compare(folder, cut);
    });
    await proveReady("at work", found, true);
  });

  it("during the first start leaves no ledger or a good one, and the program is ready on each within 10 s", async () => {
    const found = new FoundFolders(safe.scratch, Math.ceil(size.other / size.starts));
    const range = { from: books.entryOf("starting"), to: books.entryOf("user"), favoured: [] };
    await prove("first start", DATA_FOLDER, range, size.other, (folder, { cut }) => {
      found.keep(folder);
      return books.compare(folder, cut);
    });
    await proveReady("first start", found, false);
  });

  it("during a backup hurts neither the ledger nor what counts as a backup", async () => {
    const end = books.entryOf("backed-up");
    const range = { from: books.entryOf("backing-up"), to: end + 1, favoured: [end] };
    await prove("backup", DATA_FOLDER, range, size.other, (folder, { cut }) => [
      ...books.compareBackups(folder, cut),
      ...books.compare(folder, cut),
    ]);
  });

  it("during an upgrade leaves the old ledger or the new one, with the same totals, ready within 10 s", async () => {
    const found = new FoundFolders(safe.scratch, Math.ceil(size.other / size.starts), later.program);
    const end = books.entryOf("upgraded");
    const range = { from: books.entryOf("upgrading"), to: end + 1, favoured: [end] };
    await prove("upgrade", OLD_FOLDER, range, size.other, (folder, { cut }) => {
      found.keep(folder);
      return oldLedger.compare(folder, cut >= end);
    });
    await proveReady("upgrade", found, false);
  });

  if (size.control > 0)
    describe("in the control, whose commits and files wait in the disk's cache and whose upgrade is made in place", () => {
      let control: Books;

      before(async () => {
        control = new Books(unsafe.recording, unsafe.log);
        const judge: Judge = (folder) => control.takeFinal(folder);
        const first = await unsafe.survey(DATA_FOLDER, [finalState(unsafe.log)], judge, false);
        assert.equal(faultsIn(unsafe.name, first), "", "without a power cut the control loses nothing");
      });

      async function wrongIn(...survey: Survey): Promise<readonly string[]> {
        const findings = await surveyed(unsafe, ...survey);
        return findings.flatMap(({ wrong }) => (wrong.length === 0 ? [] : [wrong.join("; ")]));
      }

      it("loses acknowledged records", async () => {
        const favoured = control.acknowledgements;
        const range = { from: control.entryOf("user"), to: control.entryOf("upgrading"), favoured };
        const judge: Judge = (folder, { cut }) => control.compare(folder, cut);
        const wrong = await wrongIn("at work", DATA_FOLDER, range, size.control, judge);
        const lost = wrong.filter((text) => text.includes("are lost"));
        assert.isAtLeast(lost.length, size.control * MIN_CONTROL_LOSSES);
      });

      it("loses an acknowledged backup", async () => {
        const end = control.entryOf("backed-up");
        const range = { from: end, to: end + 1, favoured: [end] };
        const judge: Judge = (folder, { cut }) => control.compareBackups(folder, cut);
        assert.isNotEmpty(await wrongIn("backup", DATA_FOLDER, range, size.controlOther, judge));
      });

      it("leaves a ledger that is neither the old one nor the new one", async () => {
        const end = control.entryOf("upgraded");
        const range = { from: control.entryOf("upgrading"), to: end + 1, favoured: [] };
        const judge: Judge = (folder, { cut }) => oldLedger.compare(folder, cut >= end);
        const wrong = await wrongIn("upgrade", OLD_FOLDER, range, size.controlOther, judge);
        assert.isNotEmpty(wrong);
      });
    });
});

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
