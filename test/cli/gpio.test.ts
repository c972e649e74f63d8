import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { watchLines } from "../../src/cli/gpio.ts";
import type { ShownSighting } from "../../src/contract/line.ts";
import { HandDriver } from "../gpio/recorder-rig.ts";
import { SetClock } from "../http/fakes.ts";
import { change } from "../rig/ledger-file.ts";
import { listen, onlyLine, Program } from "../rig/program.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { lineRow, recordRows, seededProgram, seedLedger } from "./ledger.ts";

interface ShownEdge {
  readonly line: string;
  readonly active: boolean;
  readonly timeMs: number;
  readonly sequence: number;
}

describe("flanco gpio, while the service runs simulated lines", () => {
  const program = forSuite(() => seededProgram());

  before(async () => {
    await program.succeed(["wiring", "remove", "SIM7"]);
    await program.start();
  });

  function recordsOf(line: string) {
    return recordRows(program.ledgerFile).filter((row) => row.line === line);
  }

  it("detects the chip with its lines, and says which of them flanco itself holds", async () => {
    const text = (await program.call(["gpio", "detect"])).stdout.split("\n");
    expect(text[0]).to.equal("simchip0 [flanco simulation] (24 lines)");
    expect(text[1]).to.equal('  simchip0:0\tSIM0\tin use by "flanco"');
    expect(text[8]).to.equal("  simchip0:7\tSIM7\tfree");
    const chips = JSON.parse((await program.call(["gpio", "detect", "--json"])).stdout) as {
      lines: object[];
    }[];
    expect(chips[0]?.lines[0]).to.deep.equal({ chip: "simchip0", offset: 0, name: "SIM0", holder: "flanco" });
  });

  it("shows one line by its name or by chip and offset", async () => {
    const byName = await program.call(["gpio", "info", "SIM7"]);
    expect(byName.stdout).to.equal("simchip0:7\tSIM7\tfree\n");
    const byOffset = await program.call(["gpio", "info", "simchip0:7", "--json"]);
    expect(JSON.parse(byOffset.stdout)).to.deep.equal({
      chip: "simchip0",
      offset: 7,
      name: "SIM7",
      holder: null,
    });
    expect(await program.refused(["gpio", "info", "SIM24"])).to.match(
      /^flanco: No line is called SIM24\. Free lines: SIM7, SIM8, /,
    );
  });

  it("records a line that is set high, ends the record when it is set low, and shows both edges", async () => {
    const watch = program.spawn(["gpio", "watch", "SIM0", "--json"]);
    const shown = listen(watch);
    // A watch hears edges from its start on: pulses go on until it shows one.
    const beganMs = Date.now();
    const high = await program.call(["gpio", "set", "SIM0", "high"]);
    expect(high).to.deep.equal({ exitCode: 0, stdout: "SIM0 is high.\n", stderr: "" });
    await until("a record for the rise", () => recordsOf("SIM0").length === 1);
    expect(recordsOf("SIM0")[0]).to.deep.include({ room: "101", origin: "edge", endedMs: null });
    await until("the watch shows an edge", async () => {
      if (shown.stdout.includes('"SIM0"')) return true;
      const { active = 0, sequence = 0 } = lineRow(program.ledgerFile, "SIM0") ?? {};
      await program.call(["gpio", "set", "SIM0", active === 1 ? "low" : "high"]);
      await until(
        "the edge is in the ledger",
        () => lineRow(program.ledgerFile, "SIM0")?.sequence !== sequence,
      );
      return false;
    });
    await program.call(["gpio", "set", "SIM0", "low"]);
    await until("every record has ended", () => recordsOf("SIM0").every(({ endedMs }) => endedMs !== null));

    const [edge] = shown.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ShownEdge);
    expect(edge?.line).to.equal("SIM0");
    expect(edge?.active).to.equal((edge?.sequence ?? 0) % 2 === 1);
    expect(edge?.timeMs).to.be.within(beganMs, Date.now());
    for (const { createdMs, endedMs } of recordsOf("SIM0")) {
      expect(createdMs).to.be.within(beganMs, endedMs ?? 0);
    }
  });

  it("refuses to watch or to record a line that the service does not watch, whose silence would look like a dead line", async () => {
    for (const verb of ["watch", "record"]) {
      expect(await program.refused(["gpio", verb, "SIM0", "SIM7"]), verb).to.match(
        /^flanco: The running service watches no line called SIM7\. flanco wiring list shows/,
      );
    }
  });

  it("writes a trace of what the service sees, of which a simulation makes the same sales", async () => {
    const before = recordsOf("SIM3").length;
    const recording = program.spawn(["gpio", "record", "SIM3"]);
    const trace = listen(recording);
    await until("the trace begins", () => trace.stdout.includes("wire SIM3 "));
    await until("the trace has a rise, and the fall after it", async () => {
      for (const [high, active] of [
        ["high", 1],
        ["low", 0],
      ] as const) {
        await program.call(["gpio", "set", "SIM3", high]);
        await until(`SIM3 is ${high}`, () => lineRow(program.ledgerFile, "SIM3")?.active === active);
      }
      return /\d SIM3 high\n\d+ SIM3 low\n/.test(trace.stdout);
    });
    recording.kill("SIGINT");
    await once(recording, "close");
    const rises = trace.stdout.match(/ SIM3 high$/gm)?.length ?? 0;
    expect(rises).to.be.within(1, recordsOf("SIM3").length - before);

    const file = join(program.directory, "relays.trace");
    writeFileSync(file, trace.stdout);
    const shown = await program.succeed(["simulate", file]);
    expect(shown.match(/ ms\t\S+Z\tSIM3\thigh\tsale$/gm)).to.have.length(rises);
    expect(shown).to.match(new RegExp(`\nSales: ${rises}\\.\n$`));
    const answer = JSON.parse(await program.succeed(["simulate", file, "--json"])) as { sales: number };
    expect(answer.sales).to.equal(rises);
  });

  it("says how much a contact bounces in a trace, and which debounce that asks for", async () => {
    const file = join(program.directory, "bounce.trace");
    const rows = ["1000 SIM0 high", "1004 SIM0 low", "1031 SIM0 high", "9000 SIM0 low", "9000 SIM1 high"];
    writeFileSync(file, `${rows.join("\n")}\n`);
    const shown = (await program.succeed(["simulate", file])).trim().split("\n").slice(-3);
    expect(shown).to.deep.equal([
      "SIM0: 2 switchings, at most 3 edges in 31 ms: a debounce of 70 ms or more.",
      "SIM1: 1 switchings, no bounce.",
      "Sales: 2.",
    ]);
  });

  it("ends with 1 for a trace that is not there, or is none: it is no setting", async () => {
    expect(await program.refused(["simulate", "/nowhere/day.trace"])).to.contain("cannot be read");
    const ended = await program.call(["simulate", program.write("no.trace", "high\n")]);
    expect(ended.exitCode).to.equal(1);
    expect(ended.stderr).to.contain("has mistakes");
  });

  it("refuses an unknown line and an unknown level", async () => {
    expect(await program.refused(["gpio", "set", "GPIO17", "high"])).to.match(
      /^flanco: There is no line GPIO17\./,
    );
    const level = await program.call(["gpio", "set", "SIM0", "up"]);
    expect(level.exitCode).to.equal(2);
    expect(level.stderr).to.contain("Allowed choices are high, low.");
  });
});

describe("flanco gpio, while no service runs", () => {
  const program = forSuite(() => Program.make());

  it("sets no line, and says how to start the service", async () => {
    expect(await program.refused(["gpio", "set", "SIM0", "high"])).to.equal(
      "flanco: The flanco service is not running on this data directory. Start it first: npm start from a checkout, or systemctl start flanco.",
    );
  });

  it("watches the driver's lines, beginning with their levels, until it is interrupted, even at once", async () => {
    const watch = program.spawn(["gpio", "watch", "SIM0", "SIM3"]);
    const shown = listen(watch);
    // In the event itself: later than that the words would hold in any case.
    watch.stderr?.on("data", () => {
      if (shown.stderr.includes("Ctrl-C ends it.")) watch.kill("SIGINT");
    });
    const [exitCode, signal] = await once(watch, "close");
    expect({ exitCode, signal }).to.deep.equal({ exitCode: 0, signal: null });
    expect(shown.stderr).to.equal("Watching SIM0, SIM3. Ctrl-C ends it.\n");
    expect(shown.stdout).to.match(/^\S+Z\tSIM0\tlow\tat start\n\S+Z\tSIM3\tlow\tat start\n$/);
  });

  it("finds no chip with the driver that has no lines", async () => {
    const found = await program.call(["gpio", "detect", "--gpio-driver", "none"]);
    expect(found).to.deep.equal({ exitCode: 0, stdout: "No GPIO chip was found.\n", stderr: "" });
  });
});

describe("A trace file that the configuration names", () => {
  const program = forEachTest(() => Program.make());

  it("drives the simulated lines, and each rise is a record", async () => {
    await seedLedger(program.ledgerFile);
    // A busy process plays late steps together: without debounce each of them counts all the same.
    change(program.ledgerFile, "UPDATE wiring SET debounce_ms = 0");
    const trace = program.write("day.trace", "0 SIM0 high\n100 SIM4 high\n200 SIM0 low\n300 SIM0 high\n");
    await program.start({ FLANCO_SIMULATED_TRACE: trace });
    const rows = await until("three records", () => {
      const all = recordRows(program.ledgerFile);
      return all.length >= 3 && all;
    });
    expect(rows.map(({ line }) => line)).to.deep.equal(["SIM0", "SIM4", "SIM0"]);
  });

  it("is named when it is missing", async () => {
    const refused = await program.run(["serve", "--simulated-trace", "/nowhere/day.trace"]);
    expect(refused.exitCode).to.equal(78);
    expect(onlyLine(refused)).to.match(/^flanco: The trace \/nowhere\/day\.trace cannot be read\. /);
  });
});

describe("a watch of lines for a person", () => {
  it("ends with the error of its lost line, and releases the others", async () => {
    const driver = new HandDriver();
    driver.held.add("B").add("C");
    const shown: string[] = [];
    const show = ({ line }: ShownSighting) => void shown.push(line);
    const ended = watchLines(driver, new SetClock(1), [], show, async (names) => {
      expect(names).to.deep.equal(["A"]);
      setImmediate(() => driver.losses.get("A")?.(new Error("gpiochip0 was removed")));
      await new Promise(() => {});
    });
    expect(await ended.catch((error: Error) => error.message)).to.equal("gpiochip0 was removed");
    expect(shown).to.deep.equal(["A"]);
    expect(driver.closed).to.equal(true);
  });
});
