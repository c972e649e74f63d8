import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { DiskMachine } from "../../scripts/guest/disk-machine.ts";
import { writeImage } from "../../scripts/guest/disk-root.ts";
import { lineName, ROOMS } from "../guest/report.ts";
import { buildFirst } from "../package/versions.ts";
import { BOUNCING, type DayStep, INVERTED, SILENT } from "./report.ts";

const DAY_MS = 5_400_000;
const PART_MS = 1_800_000;
/** What the technician has for all of it. Printed beside what it took, and no more: an emulated processor is a tenth as fast. */
const HALF_AN_HOUR_SECONDS = 1_800;
const INSIDE = join(import.meta.dirname, "inside");
const SOLD = ROOMS.filter((room) => room !== SILENT);

const steps: DayStep[] = [];

/** Runs one half of the day in a machine of its own. */
async function run(part: string, files: string, removable: string): Promise<void> {
  const scripts = { [part]: join(INSIDE, `${part}.ts`) };
  const machine = await DiskMachine.make({ suite: "bookworm", scripts, files, removable });
  try {
    const end = await machine.run({
      command: ["node", `${part}.mjs`],
      timeoutMs: PART_MS,
      onLine: (line) => {
        if (line.startsWith("{")) steps.push(JSON.parse(line));
      },
      onStderr: (chunk) => {
        if (process.env["FLANCO_TEST_TOLD"] === "all") process.stderr.write(chunk);
      },
    });
    if (end?.exitCode !== 0)
      throw new Error(`The part "${part}" ended with ${end?.exitCode}:\n${end?.stderr}`);
  } finally {
    machine.remove();
  }
}

function factsOf<Facts>(step: string): Facts {
  const found = steps.find((one) => one.step === step);
  if (found === undefined) throw new Error(`The day did not come to "${step}".`);
  return found.facts as Facts;
}

interface Tls {
  readonly authority: { readonly fingerprint: readonly string[] };
}

describe("The technician's day", () => {
  const directory = mkdtempSync(join(tmpdir(), "flanco-day-"));

  before(async function () {
    this.timeout(DAY_MS);
    const files = await buildFirst();
    const disk = join(directory, "disk.img");
    const empty = mkdtempSync(join(directory, "empty-"));
    writeImage(empty, disk, "256M");
    await run("clinic", files, disk);
    await run("moved", files, disk);
  });

  after(() => {
    rmSync(directory, { recursive: true, force: true });
    const rows = steps.map(({ step, seconds }) => `  ${String(seconds).padStart(5)} s  ${step}`);
    const sum = steps.reduce((total, { seconds }) => total + seconds, 0);
    process.stdout.write(
      `\n${rows.join("\n")}\n  ${String(sum).padStart(5)} s  in all, of ${HALF_AN_HOUR_SECONDS} s\n\n`,
    );
  });

  it("begins with the package: it installs, and the service is well", () => {
    expect(factsOf("install")).to.include({ health: 0, state: "installed" });
  });

  it("commissions eight lines: those that bounce or are inverted are mended, the silent one is named", () => {
    const { commissioned, counts } = factsOf<{
      commissioned: readonly { room: string; verdicts: readonly string[] }[];
      counts: object;
    }>("commission");
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
    expect(factsOf<{ rooms: string[] }>("first sales").rooms.toSorted()).to.deep.equal(SOLD);
    expect(JSON.stringify(factsOf("report"))).to.include(`"${SOLD[0]}"`);
  });

  it("examines the gateway, and writes a bundle for support", () => {
    expect(factsOf<{ exitCode: number }>("doctor").exitCode).to.be.oneOf([0, 3]);
    expect(factsOf<{ bytes: number }>("bundle").bytes).to.be.greaterThan(1_000);
  });

  it("moves the clinic to a second gateway by one command, and browsers trust that as they trusted the first", () => {
    const moved = factsOf<{
      health: number;
      restored: { records: number; certificates: string };
      tls: Tls;
      wiring: readonly unknown[];
    }>("move");
    expect(moved.health).to.equal(0);
    expect(moved.restored).to.include({ records: SOLD.length, certificates: "restored" });
    const { tls } = factsOf<{ tls: Tls }>("back up to a disk");
    expect(moved.tls.authority.fingerprint).to.deep.equal(tls.authority.fingerprint);
    expect(moved.wiring).to.have.length(ROOMS.length);
  });

  it("goes on there: each switching is one sale, by the settings that the commissioning found", () => {
    expect(factsOf<{ rooms: string[] }>("sales after the move").rooms.toSorted()).to.deep.equal(SOLD);
  });

  it("ends with a simulation of a bouncing contact's trace, which says the debounce that it asks for", () => {
    const { simulated } = factsOf<{
      simulated: { bounces: readonly { line: string; mostEdges: number; debounceMs: number }[] };
    }>("simulate");
    const bounce = simulated.bounces.find(({ line }) => line === lineName(ROOMS.indexOf(BOUNCING[0])));
    expect(bounce?.mostEdges).to.be.greaterThan(1);
    expect(bounce?.debounceMs).to.be.greaterThan(0);
  });
});
