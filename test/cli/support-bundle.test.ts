import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { onlyLine } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { EMAIL, seededProgram } from "./ledger.ts";

const FILES = ["about", "findings", "status", "wiring", "chips", "settings"].map((name) => `${name}.json`);
const CANARY = "Habitación de Carmen";
const JOURNAL = [
  { level: 30, time: 1, pid: 1, hostname: "gateway-canary", msg: "ready" },
  { level: 40, time: 2, code: "backup_foreign", clinic: CANARY, msg: `The disk has a backup of ${CANARY}.` },
  {
    level: 50,
    time: 3,
    line: "SIM1",
    address: "simchip0:1",
    room: CANARY,
    msg: "line lost",
    err: { type: "Error", message: CANARY, stack: `Error: ${CANARY}\n    at watch (recorder.ts:1:2)` },
  },
].map((line) => JSON.stringify(line));

describe("The bundle of flanco doctor", () => {
  const program = forSuite(async () => {
    const made = await seededProgram([Date.now()]);
    await made.start();
    const file = made.write(
      "journalctl",
      `#!/bin/sh\ncat <<'END'\n${JOURNAL.join("\n")}\nmmc0: card error\nusb 1-1: SerialNumber: ${CANARY}\nEND\n`,
    );
    chmodSync(file, 0o755);
    return made;
  });

  function bundle(file: string) {
    const environment = { PATH: `${program.directory}:${process.env["PATH"]}` };
    return program.run(["doctor", "--bundle", file], { environment });
  }

  it("holds what support needs, shown first, and no name, secret or money", async () => {
    const file = join(program.directory, "support.tar.gz");
    const { stderr } = await bundle(file);
    const names = [...FILES, "log.txt", "kernel.txt"];
    expect([...stderr.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name)).to.deep.equal(names);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const read = (name: string) => execFileSync("tar", ["-xzOf", file, name], { encoding: "utf8" });
    expect(execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n")).to.deep.equal(names);

    expect(JSON.parse(read("status.json"))).to.include({
      linesWired: 8,
      linesWatched: 8,
      driver: "simulated",
    });
    expect(JSON.parse(read("status.json")).machine).to.include.keys("temperature", "memory", "syncMs");
    expect(JSON.parse(read("wiring.json"))).to.have.lengthOf(8);
    expect(JSON.parse(read("wiring.json"))[1]).to.deep.equal({
      line: "SIM1",
      active_low: false,
      bias: "as-is",
      debounce_ms: 50,
      rearm_ms: 0,
      paid_minutes: 0,
    });
    expect(JSON.parse(read("findings.json"))).to.have.lengthOf(14);
    expect(read("kernel.txt")).to.equal("mmc0: card error\n");
    const [ready, foreign, lost, ...rest] = read("log.txt")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(rest).to.deep.equal([]);
    expect(ready).to.include({ msg: "ready" });
    expect(foreign).to.deep.equal({ level: 40, time: 2, code: "backup_foreign" });
    expect(lost).to.deep.include({
      line: "SIM1",
      address: "simchip0:1",
      msg: "line lost",
      stack: ["    at watch (recorder.ts:1:2)"],
    });

    const whole = names.map(read).join("\n");
    const secret = readFileSync(dataDirectoryOf(program.dataDir).secret, "utf8").trim();
    const { stdout: known } = await program.call(["status", "--json"]);
    for (const canary of ["Pasillo A", "revenue"]) expect(known).to.contain(canary);
    const canaries = [
      CANARY,
      "gateway-canary",
      EMAIL,
      "Pasillo",
      "Clínica",
      "revenue",
      "valor",
      program.directory,
      secret,
    ];
    for (const canary of [...canaries, hostname()]) expect(whole).not.to.contain(canary);
    for (const canary of [/\bAna\b/, /\b7234\b/, /"10[1-4]"/]) expect(whole).not.to.match(canary);
  });

  it("takes the place of no file, and nothing is examined then", async () => {
    const file = program.write("mine.tar.gz", "mine");
    const refused = await bundle(file);
    expect(refused.exitCode).to.equal(1);
    expect(onlyLine(refused)).to.contain("mine.tar.gz").and.to.contain("Name a file that does not exist yet");
    expect(readFileSync(file, "utf8")).to.equal("mine");
  });

  it("says in its place that the journal cannot be read", async () => {
    const file = join(program.directory, "no-journal.tar.gz");
    program.write("journalctl", "#!/bin/sh\necho 'No permission' >&2; exit 1\n");
    await bundle(file);
    expect(existsSync(file)).to.equal(true);
    expect(execFileSync("tar", ["-xzOf", file, "log.txt"], { encoding: "utf8" })).to.contain("No permission");
  });
});
