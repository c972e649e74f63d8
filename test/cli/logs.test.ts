import { chmodSync } from "node:fs";
import { expect } from "chai";
import { onlyLine, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";

const TIME_MS = Date.UTC(2026, 10, 21, 17, 40, 2);
const SAID = [
  "Started flanco.service.",
  { level: 30, time: TIME_MS, pid: 1, hostname: "gw", msg: "ready" },
  { level: 40, time: TIME_MS, pid: 1, hostname: "gw", line: "GPIO17", msg: "The line is not watched." },
  {
    level: 50,
    time: TIME_MS,
    pid: 1,
    hostname: "gw",
    err: { stack: "at x" },
    msg: "the disk \u001b[2J failed",
  },
].map((line) => (typeof line === "string" ? line : JSON.stringify(line)));

describe("flanco logs", () => {
  const program = forSuite(() => Program.make({ TZ: "Europe/Madrid" }));

  /** Runs the command with a program in the place of journalctl. */
  function logs(journalctl: string, ...args: string[]) {
    const file = program.write("journalctl", `#!/bin/sh\n${journalctl}\n`);
    chmodSync(file, 0o755);
    const environment = { PATH: `${program.directory}:${process.env["PATH"]}` };
    return program.run(["logs", ...args], { environment });
  }

  const printed = `cat <<'END'\n${SAID.join("\n")}\nEND`;

  it("shows each line as a sentence with its local time, and nothing that a terminal obeys", async () => {
    const { exitCode, stdout } = await logs(printed);
    expect(exitCode).to.equal(0);
    expect(stdout.trimEnd().split("\n")).to.deep.equal([
      "Started flanco.service.",
      "2026-11-21 18:40:02  info     ready",
      '2026-11-21 18:40:02  warning  The line is not watched.  (line="GPIO17")',
      "2026-11-21 18:40:02  error    the disk \\u001b[2J failed",
    ]);
  });

  it("shows warnings and errors alone, and the lines as they were written", async () => {
    const { stdout } = await logs(printed, "--warnings", "--json");
    expect(stdout.trimEnd().split("\n")).to.deep.equal(SAID.slice(2));
  });

  it("asks the journal for the last day of the service, or for the options' time and unit", async () => {
    const said = 'for word in "$@"; do echo "$word"; done';
    expect((await logs(said)).stdout.split("\n")).to.include("--since=24 hours ago");
    const { stdout } = await logs(said, "--since", "3 days ago", "--unit", "other.service");
    expect(stdout.split("\n")).to.include.members(["--since=3 days ago", "--unit=other.service"]);
  });

  it("says in one line that the journal cannot be read, or has no matching line", async () => {
    const refused = await logs("echo 'No permission' >&2; exit 1");
    expect(refused.exitCode).to.equal(1);
    expect(onlyLine(refused))
      .to.contain("journalctl failed: No permission. Times are written as")
      .and.to.contain("sudo flanco logs");
    expect((await logs("exit 0")).stderr).to.match(
      /The journal has no matching line since .*sudo flanco logs/,
    );
  });
});
