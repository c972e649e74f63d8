import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Suite, writeImage } from "../../scripts/guest/disk-root.ts";
import { lineName, ROOMS } from "../guest/report.ts";
import { StepReports } from "../guest/told.ts";
import { ToldMachine } from "../guest/told-machine.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { BOUNCING, INVERTED, type Reports, SILENT } from "./day-report.ts";
import { buildFirst } from "./versions.ts";

const DAY_MS = 5_400_000;
/** What the technician has for all of it. Printed beside what it took, and no more: an emulated processor is a tenth as fast. */
const HALF_AN_HOUR_SECONDS = 1_800;
const SCRIPT = join(import.meta.dirname, "inside", "day.ts");
const SOLD = ROOMS.filter((room) => room !== SILENT);

const told = new StepReports<Reports>();

describe("The technician's day", () => {
  const directory = new TemporaryDirectory();

  before(async function () {
    this.timeout(DAY_MS);
    const files = await buildFirst();
    const disk = directory.file("disk.img");
    mkdirSync(directory.file("empty"));
    writeImage(directory.file("empty"), disk, "256M");
    // Each half of the day has a machine of its own, and each a release of Debian.
    const halves: readonly (readonly [string, Suite])[] = [
      ["clinic", "trixie"],
      ["moved", "bookworm"],
    ];
    for (const [part, suite] of halves) {
      const options = { suite, script: SCRIPT, files, removable: disk, told };
      await ToldMachine.use(options, (machine) => machine.run(part));
    }
  });

  after(() => {
    directory.remove();
    const rows = told.lines.map(({ step, seconds }) => `  ${String(seconds).padStart(5)} s  ${step}`);
    const sum = told.lines.reduce((total, { seconds }) => total + seconds, 0);
    process.stdout.write(
      `\n${rows.join("\n")}\n  ${String(sum).padStart(5)} s  in all, of ${HALF_AN_HOUR_SECONDS} s\n\n`,
    );
  });

  it("begins with the package, on Debian trixie: it installs, the service is well, and shows address and link", () => {
    const { said, ...installed } = told.one("install");
    expect(installed, said).to.include({ exitCode: 0, health: 0, state: "installed" });
    expect(said).to.match(/http:\/\/localhost:8080\/primer-uso#\S+/);
  });

  it("commissions eight lines: those that bounce or are inverted are mended, the silent one is named", () => {
    const { commissioned, counts } = told.one("commission");
    const verdictsOf = new Map(commissioned.map(({ room, verdicts }) => [room, verdicts]));
    for (const room of ROOMS) {
      const [first, last] = [verdictsOf.get(room)?.[0], verdictsOf.get(room)?.at(-1)];
      if (BOUNCING.some((one) => one === room))
        expect([first, last], room).to.deep.equal(["chattering", "good"]);
      else if (room === INVERTED) expect([first, last], room).to.deep.equal(["inverted", "good"]);
      else
        expect([first, last], room).to.deep.equal(room === SILENT ? ["silent", "silent"] : ["good", "good"]);
    }
    expect(counts).to.include({ rooms: ROOMS.length, good: SOLD.length, attention: 1, untested: 0 });
  });

  it("has one sale of each room that was switched, and reports them", () => {
    expect(told.one("first sales").rooms.toSorted()).to.deep.equal(SOLD);
    expect(JSON.stringify(told.one("report"))).to.include(`"${SOLD[0]}"`);
  });

  it("examines the gateway, and writes a bundle for support", () => {
    expect(told.one("doctor").exitCode).to.be.oneOf([0, 3]);
    expect(told.one("bundle").bytes).to.be.greaterThan(1_000);
  });

  it("prepares a disk for backups by one command, which is mounted again when it is put in again", () => {
    const { prepared, again } = told.one("back up to a disk");
    expect(prepared).to.contain("/dev/vdc is formatted");
    expect(prepared).to.match(/\/mnt\/backup\/flanco\/\S+\.db: \d+ records, checked in full/);
    expect(again).to.contain("/mnt/backup/flanco/");
  });

  it("moves the clinic to a second gateway by one command, and browsers trust that as they trusted the first", () => {
    const moved = told.one("move");
    expect(moved.health).to.equal(0);
    expect(moved.restored).to.include({ records: SOLD.length, certificates: "restored" });
    const { tls } = told.one("back up to a disk");
    expect(moved.tls.authority.fingerprint).to.deep.equal(tls.authority.fingerprint);
    expect(moved.wiring).to.have.length(ROOMS.length);
    expect(moved.taken).to.contain("/mnt/backup/flanco/").and.not.contain("formatted");
  });

  it("goes on there: each switching is one sale, by the settings that the commissioning found", () => {
    expect(told.one("sales after the move").rooms.toSorted()).to.deep.equal(SOLD);
  });

  it("ends with a simulation of a bouncing contact's trace, which says the debounce that it asks for", () => {
    const bounce = told
      .one("simulate")
      .bounces.find(({ line }) => line === lineName(ROOMS.indexOf(BOUNCING[0])));
    expect(bounce?.mostEdges).to.be.greaterThan(1);
    expect(bounce?.debounceMs).to.be.greaterThan(0);
  });
});
