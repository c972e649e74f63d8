import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CpioArchive } from "./cpio.ts";
import { type Installed, packInstalled } from "./installed.ts";
import { buildKernel } from "./kernel.ts";
import { CHECKOUT, type Guest, ownDirectory } from "./machine.ts";
import { buildSystemdRoot } from "./systemd-root.ts";

/** The whole system lies in memory, twice while it is unpacked. */
const MEMORY_MIB = 2048;
/** Where a package puts the unit. */
const UNIT = "/usr/lib/systemd/system/flanco.service";

/**
 * Builds, in the checkout's build/guest, a guest that runs systemd, with flanco installed as a package would
 * do it; the slow parts only where something changed. Throws ScriptFailure.
 */
export async function buildSystemdGuest(installed: Installed): Promise<Guest> {
  const directory = join(CHECKOUT, "build", "guest");
  mkdirSync(directory, { recursive: true });
  const kernel = buildKernel(directory);
  const root = buildSystemdRoot(directory, CHECKOUT, kernel);
  const own = ownDirectory(directory);
  const unit = join(own, "unit.cpio");
  const archive = new CpioArchive(unit);
  archive.copy(UNIT, join(CHECKOUT, "systemd", "flanco.service"), 0o644);
  archive.close();
  const archives = [root, await packInstalled(own, installed), unit];
  // Not in /lib, where the other guest has it: in Debian that is a link, and would become a folder.
  return { directory: own, kernel, archives, commandFolder: "/opt/guest", memoryMib: MEMORY_MIB };
}
