// Temporary files of the quick tests stand in memory where the system has room there: on a disk the tests wait for
// its syncs for half of their time, and no promise of theirs is about a disk. TMPDIR, where it is set, stands.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/** False where there is no such file system. */
function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

if (process.env["TMPDIR"] === undefined && hasRoom()) {
  const folder = mkdtempSync(`${MEMORY}/flanco-test-`);
  // Mocha's processes for single files inherit it.
  process.env["TMPDIR"] = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
