import { createHash, randomInt } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { after, before, describe, it } from "mocha";
import { withCompileCache } from "../../scripts/guest/compile-cache.ts";
import { buildGuest, type Guest } from "../../scripts/guest/machine.ts";
import { chooseStates, finalState } from "../../scripts/powercut/crash-state.ts";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { MOUNT_POINT, type Workload } from "../../scripts/powercut/recording.ts";
import { replaced } from "../../scripts/powercut/replacement.ts";
import type { Finding } from "../../scripts/powercut/survey.ts";
import { Appliance } from "../cli/program.ts";
import { Books } from "./power-cut/books.ts";
import { Cuts, faultsIn } from "./power-cut/cuts.ts";
import { DATA_FOLDER, EMAIL, PASSWORD } from "./power-cut/work.ts";

/** How much the guest does, and of how many moments a state is made. */
const SIZES = {
  full: { posts: 400, rises: 120, atWork: 500, atFirstStart: 100, control: 500, starts: 24 },
  short: { posts: 100, rises: 32, atWork: 110, atFirstStart: 40, control: 60, starts: 4 },
};
/** The promise. */
const READY_MS = 10_000;
/** Of the states of the control, so many at least must have lost something: it was half of them when tried. */
const MIN_CONTROL_LOSSES = 0.1;
const RECORD_MS = 600_000;
const SURVEY_MS = 600_000;
const DISK_MIB = 32;
const SCRIPT = "test/faults/inside/power-cut.ts";
const SHARED_MEMORY_INDEX = "flanco.db-shm";

const size = SIZES[process.env["FLANCO_FAULTS"] === "short" ? "short" : "full"];
const seed = Number(process.env["FLANCO_FAULTS_SEED"] ?? randomInt(2 ** 32));

const WORK: Workload = {
  command: ["node", SCRIPT, `${MOUNT_POINT}${DATA_FOLDER}`, String(size.posts), String(size.rises)],
  diskMib: DISK_MIB,
  timeoutMs: RECORD_MS,
};
/** The program without its protection: what a commit wrote may stay in the disk's cache. */
const UNSAFE_WORK = (): Workload => ({
  ...WORK,
  replacements: replaced("src/store/open.ts", {
    'db.pragma("synchronous = FULL");': 'db.pragma("synchronous = NORMAL");',
    "const SYNCHRONOUS_FULL = 2;": "const SYNCHRONOUS_FULL = 1;",
  }),
});

describe("A power cut", function () {
  this.timeout(SURVEY_MS);
  const random = new SeededRandom(seed);
  const figures: string[] = [];
  let safe: Cuts;
  let unsafe: Cuts;
  let books: Books;

  before(async function () {
    this.timeout(RECORD_MS * 2);
    let guest: Promise<Guest> | undefined;
    const theGuest = () => {
      guest ??= withCompileCache(buildGuest(), [SCRIPT]);
      return guest;
    };
    const began = performance.now();
    [safe, unsafe] = await Promise.all([
      Cuts.record("full", theGuest, WORK, DATA_FOLDER),
      Cuts.record("normal", theGuest, UNSAFE_WORK(), DATA_FOLDER),
    ]);
    figures.push(`seed ${seed}; recorded in ${secondsSince(began)} s`);
    books = new Books(safe.recording, safe.log);
  });

  after(() => {
    safe?.close();
    unsafe?.close();
    for (const line of figures) console.log(`  power cut: ${line}`);
  });

  it("that never comes finds everything recorded: the measure for the others", async () => {
    const findings = await safe.survey([finalState(safe.log)], (folder) => books.takeFinal(folder));
    assert.equal(faultsIn(safe.name, findings), "");
  });

  it("at work loses no acknowledged record, doubles none, and leaves a sound ledger", async () => {
    const range = {
      from: books.entryOf("ready"),
      to: safe.log.entries.length,
      favoured: books.acknowledgements,
    };
    const states = chooseStates(safe.log, range, size.atWork, random);
    const began = performance.now();
    const findings = await safe.survey(states, (folder, { cut }) => books.compare(folder, cut));
    report("synchronous=FULL", findings, began);
    assert.equal(faultsIn(safe.name, findings), "");
  });

  it("during the first start leaves no ledger or a good one, and the program starts on each", async () => {
    const range = { from: books.entryOf("starting"), to: books.entryOf("user"), favoured: [] };
    const states = chooseStates(safe.log, range, size.atFirstStart, random);
    const folders = new Map<string, string>();
    const began = performance.now();
    const findings = await safe.survey(states, (folder, { cut }) => {
      const key = fingerprint(folder);
      if (!folders.has(key)) {
        const copy = join(safe.scratch, `first-${key}`);
        cpSync(folder, copy, { recursive: true });
        folders.set(key, copy);
      }
      return books.compare(folder, cut);
    });
    report("first start", findings, began);
    assert.equal(faultsIn(safe.name, findings), "");
    const chosen = sample([...folders.values()], size.starts);
    assert.isAbove(chosen.length, 1, "the first start has more than one state");
    const slowest = await startOnEach(chosen, false);
    figures.push(
      `first start: ${folders.size} different folders, program started on ${chosen.length}, ready in ${slowest} ms at most`,
    );
  });

  it("at work is over once the program is ready again, within 10 s, for who was signed up before", async () => {
    const range = { from: books.entryOf("user"), to: books.entryOf("done"), favoured: [] };
    const states = chooseStates(safe.log, range, Math.max(2, size.starts / 4), random);
    const folders: string[] = [];
    const findings = await safe.survey(states, (folder, { cut }) => {
      const copy = join(safe.scratch, `work-${cut}-${folders.length}`);
      cpSync(folder, copy, { recursive: true });
      folders.push(copy);
      return [];
    });
    assert.equal(faultsIn(safe.name, findings), "");
    figures.push(
      `at work: program started on ${folders.length}, ready in ${await startOnEach(folders, true)} ms at most`,
    );
  });

  it("loses acknowledged records in the control, which commits without a sync", async () => {
    const control = new Books(unsafe.recording, unsafe.log);
    const first = await unsafe.survey([finalState(unsafe.log)], (folder) => control.takeFinal(folder), false);
    assert.equal(faultsIn(unsafe.name, first), "", "without a power cut the control loses nothing");
    const { entries } = unsafe.log;
    const range = { from: control.entryOf("user"), to: entries.length, favoured: control.acknowledgements };
    const states = chooseStates(unsafe.log, range, size.control, random);
    const began = performance.now();
    const findings = await unsafe.survey(states, (folder, { cut }) => control.compare(folder, cut), false);
    report("synchronous=NORMAL (control)", findings, began);
    const lost = findings.filter(({ wrong }) => wrong.some((text) => text.includes("are lost")));
    assert.isAtLeast(lost.length, findings.length * MIN_CONTROL_LOSSES);
  });

  function report(what: string, findings: readonly Finding[], began: number): void {
    const seconds = secondsSince(began);
    const wrong = findings.filter((finding) => finding.wrong.length > 0).length;
    const repaired = findings.filter((finding) => finding.repaired).length;
    const pending = findings.filter(({ state }) => state.cut > state.durable).length;
    figures.push(
      `${what}: ${wrong} of ${findings.length} states wrong, ${pending} with unflushed writes, ` +
        `${repaired} beyond the journal's repair, ${(findings.length / seconds).toFixed(1)} states/s`,
    );
  }
});

/** Starts the real program on each folder; gives the longest time to ready, in whole milliseconds. */
async function startOnEach(folders: readonly string[], signIn: boolean): Promise<number> {
  let slowestMs = 0;
  for (const folder of folders) {
    const appliance = await Appliance.make();
    try {
      cpSync(folder, appliance.dataDir, { recursive: true });
      const began = performance.now();
      const service = await appliance.start();
      const tookMs = performance.now() - began;
      assert.isBelow(tookMs, READY_MS, folder);
      slowestMs = Math.max(slowestMs, tookMs);
      if (signIn) await service.signIn(EMAIL, PASSWORD);
    } finally {
      await appliance.close();
    }
  }
  return Math.round(slowestMs);
}

/** Names a folder by what is in it. SQLite makes its index of the log anew at each start. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const isFile = statSync(join(folder, path)).isFile();
    hash.update(`${path} ${isFile}\n`);
    if (isFile && path !== SHARED_MEMORY_INDEX) hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Evenly from the whole list, its ends included. */
function sample<T>(list: readonly T[], count: number): readonly T[] {
  if (list.length <= count) return list;
  return Array.from(
    { length: count },
    (_, index) => list[Math.floor((index * (list.length - 1)) / (count - 1))],
  ).filter((item) => item !== undefined);
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
