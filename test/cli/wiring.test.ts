import { join } from "node:path";
import { expect } from "chai";
import { parse } from "smol-toml";
import { ControlClient } from "../../src/cli/api-access.ts";
import { driveLine } from "../../src/contract/line.ts";
import { PASSWORD } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { EMAIL, lineRow, recordRows, seededProgram, seedSecondUser } from "./ledger.ts";

const EVA = "eva@example.org";
const SEEDED_LINES = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => `SIM${number}`);

interface ListedRow {
  readonly line: string;
  readonly device: string;
  readonly actuator: string;
  readonly valor: number;
  readonly debounce_ms: number;
  readonly state: string;
}

function setting(line: string, device: string, room: string, ...more: string[]): string[] {
  return ["wiring", "set", line, "--device", device, "--room", room, "--valor", "4.50", ...more];
}

const OWN = ["--account", EMAIL];

describe("flanco wiring, while no service runs", () => {
  const program = forSuite(() => seededProgram());

  before(() => seedSecondUser(program.ledgerFile, EVA));

  it("exports what import wires again, equal to the last letter, also where two users have one dId", async () => {
    const settings = ["--active-low", "--bias", "pull-up", "--debounce-ms", "7", "--rearm-ms", "900"];
    settings.push("--paid-minutes", "1440");
    await program.succeed(setting("GPIO17", "7234", "101", "--account", EVA, ...settings));
    const exported = await program.succeed(["wiring", "export"]);
    for (const line of ["GPIO17", "SIM0", "SIM5"]) await program.succeed(["wiring", "remove", line]);
    expect(await program.succeed(["wiring", "import", "-"], exported)).to.equal("9 line(s) wired.\n");
    expect(await program.succeed(["wiring", "export"])).to.equal(exported);
    const { wiring } = parse(exported) as { wiring: { line: string; user: string }[] };
    expect(wiring[0]).to.deep.equal({
      line: "GPIO17",
      device: "7234",
      actuator: "101",
      valor: 4.5,
      user: EVA,
      active_low: true,
      bias: "pull-up",
      debounce_ms: 7,
      rearm_ms: 900,
      paid_minutes: 1_440,
    });
    expect(wiring[1]).to.include({ line: "SIM0", user: EMAIL });
  });

  it("lists the lines as people count them, and says where none is wired", async () => {
    const exported = await program.succeed(["wiring", "export"]);
    for (const line of ["SIM6", "SIM7"]) await program.succeed(["wiring", "remove", line]);
    await program.succeed(setting("SIM10", "7235", "203", ...OWN));
    await program.succeed(setting("SIM9", "7235", "204", ...OWN));
    const lines = (await program.succeed(["wiring", "list"])).split("\n").map((text) => text.split("\t")[0]);
    expect(lines.slice(-3)).to.deep.equal(["SIM9", "SIM10", ""]);
    for (const line of ["SIM9", "SIM10"]) await program.succeed(["wiring", "remove", line]);
    await program.succeed(["wiring", "import", "-"], exported);
    const bare = { environment: { FLANCO_DATA_DIR: join(program.directory, "bare") } };
    const adding = ["user", "add", "--email", EVA, "--name", "Eva", "--password-stdin"];
    expect((await program.run(adding, { ...bare, input: `${PASSWORD}\n` })).exitCode).to.equal(0);
    expect((await program.run(["wiring", "list"], bare)).stdout).to.equal("No line is wired.\n");
  });

  it("says how to move what is paid of a room, and that nothing is", async () => {
    const moved = await program.run([
      "wiring",
      "move-paid",
      "--device",
      "7234",
      "--room",
      "101",
      "--to-room",
      "102",
      ...OWN,
    ]);
    expect(moved.exitCode).to.equal(1);
    expect(moved.stderr).to.contain("Nothing is paid of room 101");
  });

  it("lists whose a device is where there are two accounts", async () => {
    const lines = (await program.succeed(["wiring", "list"])).split("\n");
    const shown = (line: string) => lines.find((text) => text.startsWith(`${line}\t`))?.split("\t")[1];
    expect(shown("GPIO17")).to.equal(`device 7234 of ${EVA}, room 101`);
    expect(shown("SIM0")).to.equal(`device 7234 of ${EMAIL}, room 101`);
  });

  it("says with which settings a line is wired: what an option leaves out has its default", async () => {
    const inverted = await program.succeed(
      setting("SIM5", "7235", "202", ...OWN, "--active-low", "--bias", "pull-up"),
    );
    expect(inverted).to.equal(
      "SIM5 is wired to room 202 of device 7235: valor 4.5, active low, pull-up, debounce 50 ms.\n",
    );
    expect(await program.succeed(setting("SIM5", "7235", "202", ...OWN, "--rearm-ms", "900"))).to.equal(
      "SIM5 is wired to room 202 of device 7235: valor 4.5, debounce 50 ms, rearm 900 ms.\n",
    );
  });

  it("asks whose a device is where there are several accounts", async () => {
    expect(await program.refused(setting("GPIO27", "7234", "101"))).to.match(
      /It is not clear which account is meant\. .*--account/,
    );
  });

  it("shows every line as not watched", async () => {
    const rows = JSON.parse(await program.succeed(["wiring", "list", "--json"])) as ListedRow[];
    expect(rows.map(({ state }) => state)).to.deep.equal(Array(9).fill("not watched"));
  });
});

describe("flanco wiring, while the service runs", () => {
  const program = forSuite(() => seededProgram([], { FLANCO_SIMULATED_LINES: "10" }));
  const remote = forSuite(async () => {
    await program.start();
    return (await ControlClient.connect(program.controlSocket)) ?? expect.fail("no control socket");
  });

  async function listed(): Promise<ListedRow[]> {
    return JSON.parse((await program.call(["wiring", "list", "--json"])).stdout) as ListedRow[];
  }

  async function refusal(args: readonly string[], input = ""): Promise<string> {
    const before = await listed();
    const ended = await program.call(args, input);
    expect(ended.exitCode).to.equal(1);
    expect(await listed()).to.deep.equal(before);
    return ended.stderr;
  }

  async function pulse(line: string): Promise<void> {
    await remote.ask(driveLine, { body: { line, level: true } });
    await remote.ask(driveLine, { body: { line, level: false } });
  }

  function recordsOf(line: string): number {
    return recordRows(program.ledgerFile).filter((row) => row.line === line).length;
  }

  it("lists every line with its room, its price and whether it is watched", async () => {
    const rows = await listed();
    expect(rows.map(({ line }) => line)).to.deep.equal(SEEDED_LINES);
    expect(rows.map(({ state }) => state)).to.deep.equal(Array(8).fill("watched"));
    expect(rows[4]).to.include({ device: "7235", actuator: "201", valor: 5.5, user: EMAIL });
    const text = (await program.call(["wiring", "list"])).stdout.split("\n")[4];
    expect(text).to.equal("SIM4\tdevice 7235, room 201\tvalor 5.5, debounce 50 ms\twatched");
  });

  it("takes up changes without a restart, while the other lines go on recording undisturbed", async () => {
    expect((await program.call(setting("SIM7", "7235", "204", "--debounce-ms", "0"))).exitCode).to.equal(0);
    await pulse("SIM7");
    await until("SIM7 has its first record", () => recordsOf("SIM7") === 1);
    const before = lineRow(program.ledgerFile, "SIM7");

    const removed = await program.call(["wiring", "remove", "simchip0:6"]);
    expect(removed.stdout).to.equal("simchip0:6 is not wired any more.\n");
    await pulse("SIM6");
    await pulse("SIM7");
    const wired = await program.call(setting("SIM8", "7235", "203", "--debounce-ms", "0"));
    expect(wired.stdout).to.equal("SIM8 is wired to room 203 of device 7235: valor 4.5, debounce 0 ms.\n");
    await pulse("SIM8");
    await pulse("SIM7");
    await until("both lines have their records", () => recordsOf("SIM7") === 3 && recordsOf("SIM8") === 1);

    expect(recordsOf("SIM6")).to.equal(0);
    const after = lineRow(program.ledgerFile, "SIM7");
    expect(after?.request).to.equal(before?.request);
    await until("every edge of SIM7 is in", () => lineRow(program.ledgerFile, "SIM7")?.sequence === 6);
    await program.call(["wiring", "remove", "SIM8"]);
    await program.call(setting("SIM6", "7235", "203"));
  });

  it("changes a wired line's price while it is watched by the same request", async () => {
    await until("SIM5 was seen", () => lineRow(program.ledgerFile, "SIM5") !== undefined);
    const before = lineRow(program.ledgerFile, "SIM5");
    const set = setting("SIM5", "7235", "202").with(-1, "-1.25");
    expect((await program.call(set)).stderr).to.equal("");
    expect((await listed()).find(({ line }) => line === "SIM5")?.valor).to.equal(-1.25);
    expect(lineRow(program.ledgerFile, "SIM5")).to.deep.equal(before);
  });

  it("imports all rows of a file or none of them", async () => {
    const row = (line: string, actuator: string) =>
      `[[wiring]]\nline = "${line}"\ndevice = "7234"\nactuator = "${actuator}"\nvalor = 9\n`;
    const text = row("SIM0", "101") + row("SIM8", "999");
    expect(await refusal(["wiring", "import", "-"], text)).to.contain('has no actuator "999"');
  });

  it("takes as many rows as there can be lines, which an export then has, and no more", async () => {
    const rows = (count: number) =>
      Array.from(
        { length: count },
        (_, line) => `[[wiring]]\nline = "L${line}"\ndevice = "none"\nactuator = "1"\nvalor = 9\n`,
      ).join("");
    expect(await refusal(["wiring", "import", "-"], rows(1_024))).to.contain("No line is called L0.");
    expect(await refusal(["wiring", "import", "-"], rows(1_025))).to.contain(
      "must have at most 1024 entries",
    );
  });

  it("reports every mistake of an imported file with its place", async () => {
    const file = program.write("wiring.toml", '[[wiring]]\nline = "SIM0"\nprice = 4\nvalor = "4"\n');
    const lines = (await refusal(["wiring", "import", file])).trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith(`flanco: ${file}: wiring.0`))).to.have.length(4);
    expect(lines[0]).to.match(/\.$/);
    expect(lines.at(-1)).to.equal("flanco: `flanco wiring export` shows the form.");
  });

  it("says which imported file is not there, and where one is not TOML", async () => {
    expect(await program.refused(["wiring", "import", "/nowhere/wiring.toml"])).to.match(
      /^flanco: \/nowhere\/wiring\.toml: cannot be read \(ENOENT\): /,
    );
    const file = program.write("broken.toml", '[[wiring]]\nline = "SIM0\n');
    expect(await refusal(["wiring", "import", file])).to.match(
      new RegExp(`^flanco: ${file}, line 2, column \\d+: [^\n]*\n$`),
    );
  });
});
