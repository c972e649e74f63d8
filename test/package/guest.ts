import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CpioArchive } from "../../scripts/guest/cpio.ts";
import { addFolder } from "../../scripts/guest/installed.ts";
import { CHECKOUT } from "../../scripts/guest/machine.ts";
import { buildSystemdGuest, runInSystemdGuest } from "../../scripts/guest/systemd-machine.ts";
import { buildPackage } from "../../scripts/release/debian.ts";
import { isOwn, PROCESSORS } from "../../scripts/release/processor.ts";
import { buildSealed, WORK } from "../release/sealed.ts";
import type { PackageReport } from "./report.ts";

const TIMEOUT_MS = 1_800_000;
const EPOCH_SECONDS = 1_763_000_000;
/** What dpkg needs and the guests leave out. */
const TOOLS = /^(dpkg.*|deb-systemd-.*|perl)$/;
const FOLDERS = ["/usr/lib/dpkg", "/var/lib/dpkg", "/usr/share/dpkg", "/usr/lib/x86_64-linux-gnu/perl-base"];

/** Installs, upgrades, breaks, removes and purges the package in a guest. Rejects when the guest failed. */
export async function provePackage(): Promise<readonly PackageReport[]> {
  const processor = PROCESSORS.find(isOwn);
  if (processor === undefined) throw new Error("There is no package for this machine's processor.");
  const binary = await buildSealed(processor);
  const broken = join(WORK, "flanco-broken");
  writeFileSync(broken, "#!/bin/sh\necho 'this version does not start' >&2\nexit 1\n", { mode: 0o755 });
  const packages = join(WORK, "packages");
  mkdirSync(packages, { recursive: true });
  const common = { processor, checkout: CHECKOUT, directory: WORK, epochSeconds: EPOCH_SECONDS, quick: true };
  buildPackage({ ...common, version: "0.0.1", binary, target: join(packages, "first.deb") });
  buildPackage({ ...common, version: "0.0.2", binary, target: join(packages, "second.deb") });
  buildPackage({ ...common, version: "0.0.3", binary: broken, target: join(packages, "broken.deb") });
  const guest = await buildSystemdGuest({
    scripts: { prove: join(import.meta.dirname, "inside", "prove.ts") },
  });
  const file = join(guest.directory, "packages.cpio");
  const archive = new CpioArchive(file);
  addFolder(archive, packages, "/opt/guest/packages");
  addDpkg(archive);
  archive.close();
  let stdout = "";
  let stderr = "";
  const exitCode = await runInSystemdGuest(
    { ...guest, archives: [...guest.archives, file] },
    {
      command: ["node", "prove.mjs"],
      environment: {},
      timeoutMs: TIMEOUT_MS,
      onStdout: (chunk) => {
        stdout += chunk.toString();
      },
      onStderr: (chunk) => {
        stderr += chunk.toString();
      },
    },
  );
  if (exitCode !== 0) throw new Error(`The script in the guest ended with ${exitCode}:\n${stderr}`);
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as PackageReport);
}

/** From the same Debian that the guest is made of. */
function addDpkg(archive: CpioArchive): void {
  const guests = join(CHECKOUT, "build", "guest");
  const name = readdirSync(guests).find((entry) => /^debian-bookworm-\d+$/.test(entry));
  if (name === undefined) throw new Error("The guest's Debian is not there.");
  const debian = join(guests, name);
  for (const tool of readdirSync(join(debian, "usr", "bin"))) {
    if (TOOLS.test(tool)) archive.copy(`/usr/bin/${tool}`, join(debian, "usr", "bin", tool), 0o755);
  }
  for (const tool of ["ldconfig", "ldconfig.real"]) {
    const file = join(debian, "usr", "sbin", tool);
    if (existsSync(file)) archive.copy(`/usr/sbin/${tool}`, file, 0o755);
  }
  for (const folder of FOLDERS) addFolder(archive, join(debian, folder), folder);
}
