import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Program } from "../rig/program.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { seededProgram } from "./ledger.ts";

interface Examination {
  readonly fine: boolean;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly check: string;
  readonly fine: boolean;
  readonly message: string;
  readonly why: string;
  readonly mend: string | null;
}

describe("flanco doctor", () => {
  const program = forEachTest(() => seededProgram([Date.now()]));
  const unwired = forSuite(() => Program.make({ FLANCO_GPIO_DRIVER: "chardev" }));

  /** The findings by their check; the one of the name is left out, because it tells of the machine that runs the test. */
  async function examine(
    environment: Readonly<Record<string, string>> = {},
  ): Promise<{ exitCode: number | null; found: ReadonlyMap<string, Finding> }> {
    const { exitCode, stdout } = await program.call(["doctor", "--json"], "", environment);
    const { fine, findings } = JSON.parse(stdout) as Examination;
    expect(exitCode).to.equal(fine ? 0 : 3);
    const others = findings.filter(({ check }) => check !== "name");
    return { exitCode, found: new Map(others.map((finding) => [finding.check, finding])) };
  }

  /** On another file system than that of the root, as a mounted disk is. */
  const disk = forSuite(() => new TemporaryDirectory("/dev/shm/flanco-doctor-"));

  it("finds nothing wrong with a sound appliance, and shows the state of each part", async () => {
    const environment = { FLANCO_BACKUP_DISK_DIR: disk.path };
    await program.start(environment);
    const { found } = await examine(environment);
    for (const { check, fine, message, mend } of found.values()) {
      expect({ check, fine, mend }, message).to.deep.equal({ check, fine: true, mend: null });
    }
    expect(found.get("lines")?.message).to.equal("8 of 8 wired lines are watched, by the driver simulated.");
    expect(found.get("disk")?.message).to.match(/free; the ledger takes/);
  });

  it("names a line that is not watched, why that matters and what to do, and ends with 3", async () => {
    await program.start({ FLANCO_SIMULATED_LINES: "6" });
    const { exitCode, found } = await examine();
    expect(exitCode).to.equal(3);
    const { fine, message, why, mend } = found.get("lines") ?? {};
    expect(fine).to.equal(false);
    expect(message).to.contain("The line SIM6 is not watched").and.to.contain("The line SIM7 is not watched");
    expect(why).to.equal("A line that is not watched records no sale.");
    expect(mend).to.contain("flanco gpio detect");
    const { stdout, stderr } = await program.call(["doctor"]);
    expect(stdout).to.match(/^LOOK {2}lines {7}The line SIM6/m);
    expect(stdout).to.match(/^ok {4}ledger/m);
    expect(stderr).to.match(/^flanco: \d of 14 checks need attention: .*lines/);
  });

  it("says that a card which fails takes all backups with it, and that a backup disk is not there", async () => {
    await program.start();
    const alone = (await examine()).found.get("backup");
    expect(alone).to.include({ fine: false, message: "All backups lie on the card that they are for." });
    const without = (await examine({ FLANCO_BACKUP_DISK_DIR: "/nowhere/disk" })).found.get("backup");
    expect(without?.fine).to.equal(false);
    expect(without?.message).to.contain("No disk is mounted at /nowhere/disk");
  });

  it("says that no line is wired yet, and that no GPIO chip is there, and so does status of the lines", async () => {
    await unwired.start();
    const { stdout } = await unwired.call(["doctor", "--json"]);
    const lines = (JSON.parse(stdout) as Examination).findings.find(({ check }) => check === "lines");
    const hasChip = (await unwired.succeed(["gpio", "detect", "--json"])).trim() !== "[]";
    const message = `${hasChip ? "" : "No GPIO chip was found. "}No line is wired yet.`;
    expect(lines).to.include({ fine: false, message });
    expect((await unwired.call(["status"])).stdout).to.contain("\nLines: no line is wired yet");
  });

  it("names lines whose internal resistor pulls them to on, and what to set", async () => {
    await program.start();
    const room = ["--device", "7234", "--valor", "4.5", "--active-low", "--bias", "pull-down"];
    for (const line of ["SIM0", "SIM1"]) {
      const [wired] = JSON.parse(await program.succeed(["wiring", "list", "--json"])).filter(
        (row: { readonly line: string }) => row.line === line,
      );
      await program.succeed(["wiring", "set", line, "--room", wired.actuator, ...room]);
    }
    const lines = (await examine()).found.get("lines");
    expect(lines).to.include({
      fine: false,
      message: "SIM0, SIM1: pull-down and active-low, so that a cut wire reads as on.",
    });
    expect(lines?.mend).to.contain("Give the line pull-up");
  });

  it("says that no program sets the clock, where systemd knows of none and nothing else has set it", async () => {
    const folder = join(program.directory, "bin");
    mkdirSync(folder);
    const answer = async (canSet: string, isSet: string, trust = "auto") => {
      const text = `#!/bin/sh\nprintf 'CanNTP=${canSet}\\nNTPSynchronized=${isSet}\\n'\n`;
      writeFileSync(join(folder, "timedatectl"), text, { mode: 0o755 });
      const PATH = `${folder}:${process.env["PATH"]}`;
      const { stdout } = await program.run(["doctor", "--json"], {
        environment: { PATH, FLANCO_CLOCK_TRUST: trust },
      });
      const { findings } = JSON.parse(stdout) as Examination;
      return findings.find(({ check }) => check === "clock")?.message;
    };
    const unknown = "Not examined: no service runs.";
    expect(await answer("no", "no")).to.equal("No program sets the clock from the network.");
    expect(await answer("yes", "no")).to.equal(unknown);
    expect(await answer("no", "yes")).to.equal(unknown);
    expect(await answer("no", "no", "always"), "it keeps its own time").to.equal(unknown);
  });

  it("says that no service runs", async () => {
    const { found } = await examine();
    expect(found.get("service")).to.include({ fine: false });
    expect(found.get("ledger")).to.include({ fine: true });
  });
});
