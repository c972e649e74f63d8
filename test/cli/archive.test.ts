import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { RetentionPlan } from "../../src/domain/archive.ts";
import { openForReading } from "../../src/store/open.ts";
import { ArchiveTrial, OLD_MONTHS } from "../faults/archive-trial.ts";
import { onlyLine, PROCESS_TEST_MS } from "./program.ts";

const PER_MONTH = 20;
/** Around the ends of months: the clock is believed for the day two days before. */
const MOMENTS = [
  "2026-12-01T10:00Z",
  "2026-12-01T18:00Z",
  "2026-12-02T06:00Z",
  "2026-12-03T00:00Z",
  "2027-01-01T18:00Z",
  "2027-03-01T00:30Z",
  "2028-02-29T12:00Z",
];

describe("The trial of archiving", function () {
  this.timeout(PROCESS_TEST_MS);

  it("has as many old months on any day, and no sale to come", async () => {
    for (const moment of MOMENTS) {
      const nowMs = Date.parse(moment);
      const trial = await ArchiveTrial.make(1, { nowMs });
      try {
        const { months, waits } = trial.plan();
        expect({ waits, months: months.length }, moment).to.deep.equal({ waits: null, months: OLD_MONTHS });
        const db = openForReading(trial.appliance.ledgerFile);
        const newest = db.prepare<[], number>("SELECT max(created_ms) FROM record").pluck().get();
        db.close();
        expect(newest, moment).to.equal(nowMs);
      } finally {
        await trial.close();
      }
    }
  });
});

describe("flanco archive", function () {
  this.timeout(PROCESS_TEST_MS);
  let trial: ArchiveTrial;

  beforeEach(async () => {
    trial = await ArchiveTrial.make(PER_MONTH);
  });

  afterEach(() => trial.close());

  const run = (...args: string[]) => trial.appliance.call(args);

  it("needs the service, which alone knows the clock", async () => {
    const ended = await run("archive");
    expect(ended.exitCode).to.equal(1);
    expect(onlyLine(ended)).to.match(/service is not running/);
  });

  it("keeps everything without keep_months", async () => {
    const service = await trial.appliance.start({ FLANCO_KEEP_MONTHS: "0" });
    expect((await run("archive")).stdout).to.equal("keep_months is 0: everything is kept.\n");
    expect(trial.progress()).to.include({ archived: 0, rows: trial.seeded });
    await service.end("SIGTERM");
  });

  it("tells in a dry run what it then does, shows how far it is, and verify looks at the files", async () => {
    const service = await trial.appliance.start();
    const dry = JSON.parse((await run("archive", "--dry-run", "--json")).stdout) as RetentionPlan;
    expect(dry.months).to.have.length(OLD_MONTHS);
    expect(dry.months.map(({ waits }) => waits)).to.deep.equal(dry.months.map(() => null));
    expect((await run("archive", "--dry-run")).stdout.trimEnd().split("\n")).to.have.length(
      dry.months.length,
    );
    expect(trial.progress()).to.deep.equal({ archived: 0, unfinished: 0, rows: trial.seeded });

    const done = await run("archive");
    expect(done.exitCode).to.equal(0);
    expect(done.stderr).to.equal("Archiving 0 %\nArchiving 100 %\n");
    expect(done.stdout).to.contain(readdirSync(trial.archives)[0]);
    const archived = dry.months.reduce((sum, { records }) => sum + records, 0);
    expect(trial.progress()).to.deep.equal({
      ...{ archived: dry.months.length, unfinished: 0, rows: trial.seeded - archived },
    });
    expect(trial.faults()).to.deep.equal([]);
    expect((await run("archive")).stdout).to.match(/^Nothing to archive/);
    await service.end("SIGTERM");

    const right = await run("verify");
    expect(right).to.deep.include({ exitCode: 0, stderr: "" });
    const [file = ""] = readdirSync(trial.archives);
    const path = join(trial.archives, file);
    renameSync(path, `${path}.moved`);
    const moved = await run("verify");
    expect(moved.exitCode).to.equal(0);
    expect(onlyLine(moved)).to.contain(file);
    const bytes = readFileSync(`${path}.moved`);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const altered = await run("verify");
    expect(altered.exitCode).to.equal(1);
    expect(onlyLine(altered)).to.contain(`altered: ${file}`);
  });
});
