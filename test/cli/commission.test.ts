import type { ChildProcess } from "node:child_process";
import { expect } from "chai";
import type { AcceptanceReport, Commission } from "../../src/contract/commission.ts";
import { SWITCHING_MS } from "../../src/domain/verdict.ts";
import { listen, PROCESS_TEST_MS } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { recordRows, seededProgram } from "./ledger.ts";

describe("flanco commission, beside the service", function () {
  this.timeout(PROCESS_TEST_MS);
  const program = forSuite(() => seededProgram());
  let walk: ChildProcess;
  let screen: { stdout: string; stderr: string };

  before(() => program.start());

  function begin(): void {
    walk = program.spawn(["commission"]);
    screen = listen(walk);
  }

  const shows = (text: string) => until(`it shows "${text}"`, () => screen.stdout.includes(text));
  const type = (...lines: readonly string[]) => walk.stdin?.write(lines.map((line) => `${line}\n`).join(""));
  const set = (line: string, level: string) => program.succeed(["gpio", "set", line, level]);

  async function ended(): Promise<number | null> {
    await until("the command ends", () => walk.exitCode !== null);
    return walk.exitCode;
  }

  it("asks for a room, shows which line moves, and ticks the room off with Enter", async () => {
    begin();
    await shows("0 of 8 rooms are ticked off. Nothing is a sale until ");
    await shows("Room 101 of Pasillo A, Clínica Norte: switch its relay on");
    await set("SIM0", "high");
    await shows("  SIM0 is on (room 101 of Pasillo A).");
    // No hand switches a relay off sooner: it would be one switching that bounces.
    const shownMs = performance.now();
    await until("the switching is over", () => performance.now() - shownMs > SWITCHING_MS);
    await set("SIM0", "low");
    await shows("101 of Pasillo A, SIM0: GOOD; 2 switchings, no bounce, low at rest");
    await shows("Enter ticks it off");
    type("");
    await shows("Room 102 of Pasillo A");
  });

  it("names the line that moved in place of the room's own, and proposes it", async () => {
    await set("SIM2", "high");
    await shows("102 of Pasillo A, SIM1: SWAPPED: another line moved; proposed: line SIM2");
    await shows("Enter gives the room the line SIM2, t ticks it off as it is");
    type("q");
    expect(await ended()).to.equal(3);
    expect(screen.stdout).to.match(/What was ticked off stays, and nothing is a sale until 20\d\d-/);
    expect(screen.stderr).to.equal("flanco: 7 of 8 rooms are not good, or were not switched.\n");
  });

  it("says at Ctrl-C too that nothing is a sale yet, and so does the status", async () => {
    begin();
    await shows("Room 102 of Pasillo A");
    walk.kill("SIGINT");
    expect(await ended()).to.equal(3);
    const told = /nothing is a sale until (.{19})\. flanco commission goes on/.exec(screen.stdout);
    expect(told).not.to.equal(null);
    for (const form of [[], ["--short"]]) {
      const { stdout } = await program.call(["status", ...form]);
      expect(stdout).to.contain(`\nLines under test: 8, until ${told?.[1]}. What they do is no sale`);
    }
  });

  it("shows as JSON what is known of each room", async () => {
    const { exitCode, stdout } = await program.call(["commission", "show", "--json"]);
    expect(exitCode).to.equal(3);
    const { rooms } = JSON.parse(stdout) as Commission;
    expect(rooms.map(({ room, tick }) => [room, tick?.verdict ?? null]).slice(0, 2)).to.deep.equal([
      ["101", "good"],
      ["102", null],
    ]);
  });

  it("goes on where it was left, and ends with a report that the ledger keeps", async () => {
    begin();
    await shows("1 of 8 rooms are ticked off.");
    type("s", "s", "s", "s", "s", "s", "s", "Luis Pérez", "Ana Gil");
    expect(await ended()).to.equal(3);
    expect(screen.stdout).to.contain("rooms        1 of 8 good, 0 need attention, 7 not switched");
    const { exitCode, stdout } = await program.call(["commission", "report", "--json"]);
    expect(exitCode).to.equal(3);
    const report = JSON.parse(stdout) as AcceptanceReport;
    expect(report).to.deep.include({ technician: "Luis Pérez", clinic: "Ana Gil" });
    expect(report.hash).to.match(/^[0-9a-f]{64}$/);
    const list = await program.succeed(["commission", "report", "--list"]);
    expect(list).to.match(new RegExp(`^${report.number}\t.+\tLuis Pérez, Ana Gil\t1 of 8 rooms good\n$`));
  });

  it("made no sale, and after it the rooms sell again", async () => {
    expect(recordRows(program.ledgerFile)).to.deep.equal([]);
    await set("SIM0", "high");
    await until("a sale is in", () => recordRows(program.ledgerFile).length === 1);
    const none = await program.call(["commission", "end"]);
    expect(none.exitCode).to.equal(0);
  });
});

describe("A room that is commissioned", function () {
  this.timeout(PROCESS_TEST_MS);
  const program = forSuite(() => seededProgram());

  it("sells nothing, also after the service was killed", async () => {
    const service = await program.start();
    await program.run(["commission", "--lines", "SIM2"], { input: "q\n" });
    await service.end("SIGKILL");
    await program.start();
    for (const line of ["SIM2", "SIM3"]) await program.succeed(["gpio", "set", line, "high"]);
    const sales = (line: string) => recordRows(program.ledgerFile).filter((row) => row.line === line).length;
    await until("the sale of the other line is in", () => sales("SIM3") === 1);
    expect(sales("SIM2")).to.equal(0);
    const { stdout } = await program.call(["commission", "show", "--json"]);
    const { begunTime, moved } = JSON.parse(stdout) as Commission;
    expect(begunTime).to.be.a("number");
    expect(moved[0]).to.deep.include({ line: "SIM2", level: true });
  });
});
