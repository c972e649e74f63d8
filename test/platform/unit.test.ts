import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { installFor } from "../../scripts/debian.ts";
import { MAX_LINES } from "../../src/domain/line.ts";
import { CHECKOUT } from "../rig/program.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const UNIT = join(CHECKOUT, "systemd", "flanco.service");
/** Of 10, as systemd-analyze counts it, in tenths. */
const MOST_EXPOSED = 15;
/** What systemd-analyze does not judge. */
const DIRECTIVES = {
  User: "flanco",
  LimitCORE: "0",
  LimitNOFILE: "4096",
  FileDescriptorStoreMax: String(2 * MAX_LINES),
  UMask: "0077",
  StateDirectoryMode: "0700",
  DeviceAllow: "char-gpiochip rw",
  SystemCallErrorNumber: "EPERM",
} as const;

/** How systemd-analyze judges a unit. */
function exposure(unit: string): { readonly isLittle: boolean; readonly said: string } {
  installFor("unit check");
  const args = ["security", "--offline=true", `--threshold=${MOST_EXPOSED}`, unit];
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { isLittle: status === 0, said: stdout + stderr };
}

describe("the unit", () => {
  const text = readFileSync(UNIT, "utf8");

  it("bounds memory dumps, files and devices", () => {
    for (const [name, value] of Object.entries(DIRECTIVES)) {
      expect(text.split("\n"), name).to.include(`${name}=${value}`);
    }
  });

  it("permits the JIT compiler, the host's name and the GPIO chips", () => {
    const said = text.split("\n").filter((line) => !line.startsWith("#"));
    for (const name of ["MemoryDenyWriteExecute", "ProtectHostname", "PrivateDevices", "ProcSubset"]) {
      expect(said.filter((line) => line.startsWith(`${name}=`))).to.deep.equal([]);
    }
  });

  it("has a low exposure by systemd-analyze, which rises without its directives (control)", () => {
    const judged = exposure(UNIT);
    expect(judged.isLittle, judged.said).to.equal(true);
    using directory = new TemporaryDirectory();
    const control = directory.file("flanco.service");
    const lax = text.replaceAll(/^(SystemCallFilter|CapabilityBoundingSet|Private\w+)=.*$/gm, "");
    writeFileSync(control, lax);
    expect(exposure(control).isLittle).to.equal(false);
  });
});
