import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Exit codes of the script below. */
const REPAIRED = 10;
const BEYOND_REPAIR = 11;
/**
 * As at boot: replay the journal, then look closer only where the file system asks for it. One shell for all of it,
 * because each process that this large one starts takes longer than the programs themselves. e2fsck ends
 * with 0 or 1 when the file system is right, before or after; debugfs says nothing with its exit code.
 */
const SCRIPT = `
  PATH=/usr/sbin:/sbin:$PATH
  end=0
  e2fsck -p "$1"
  if [ $? -gt 1 ]; then
    e2fsck -fy "$1"
    [ $? -le 1 ] || exit ${BEYOND_REPAIR}
    end=${REPAIRED}
  fi
  mkdir -p "$3"
  debugfs -R "rdump $2 $3" "$1"
  exit $end
`;

/** What a boot's file system check did to a disk. */
export type FileSystemCheck = "journal" | "repaired";

/**
 * Takes a folder out of a disk that lost its power, the way a boot comes to it: the journal is replayed, and
 * what the replay leaves wrong is repaired. Needs no mount and no privilege. The folder is new at `target`,
 * whether the disk has it or not. Changes the image. Throws when the file system is beyond repair.
 */
export async function extractFolder(image: string, folder: string, target: string): Promise<FileSystemCheck> {
  const dump = `${target}.dump`;
  for (const path of [target, dump]) rmSync(path, { recursive: true, force: true });
  const { code, output } = await runScript([image, folder, dump]);
  if (code !== 0 && code !== REPAIRED) {
    throw new Error(`The file system ${image} is beyond repair:\n${output}`);
  }
  // debugfs names what it dumps by its last part, and leaves nothing where there is no such folder.
  const [dumped] = readdirSync(dump);
  if (dumped === undefined) mkdirSync(target);
  else renameSync(join(dump, dumped), target);
  rmSync(dump, { recursive: true, force: true });
  return code === REPAIRED ? "repaired" : "journal";
}

async function runScript(options: readonly string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await run("/bin/sh", ["-c", SCRIPT, "extract", ...options]);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "number")) throw error;
    const output = "stdout" in error && "stderr" in error ? `${error.stdout}${error.stderr}` : "";
    return { code: error.code, output };
  }
}
