import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, bundleProgram } from "../bundle.ts";
import type { Patch } from "../patch.ts";
import { runShortly } from "../short-run.ts";
import { packArchive } from "./initramfs.ts";

/** Where the guest has the program. */
const INSTALLED_PROGRAM = "/usr/lib/flanco";
/** Where the bundled scripts are, each as NAME.mjs. */
export const INSTALLED_SCRIPTS = "/opt/guest/scripts";

/** What of flanco a guest holds. */
export interface GuestContent {
  /** Scripts by their names, each with its source's path. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Changes of the program's sources, for a control. */
  readonly patches?: readonly Patch[];
}

/**
 * Bundles the program and scripts into an archive, with all that they need and what Node keeps of sources that it
 * has compiled: emulated, compiling takes most of a start. `directory` is for the files that come and go. Gives
 * the archive's path. Throws ScriptFailure when the program does not start on this machine.
 */
export async function packInstalled(directory: string, { scripts, patches }: GuestContent): Promise<string> {
  const work = mkdtempSync(join(directory, "installed-"));
  const file = `${work}.cpio`;
  const program = join(work, "program");
  try {
    await bundleWarm(program, patches);
    mkdirSync(join(work, "scripts"));
    await bundle(join(work, "scripts"), scripts);
    packArchive(file, { [INSTALLED_PROGRAM]: program, [INSTALLED_SCRIPTS]: join(work, "scripts") });
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Bundles the program into a folder and starts it once, with the guest's driver, so that what it compiles is kept beside it.
 * Throws ScriptFailure when it does not start.
 */
export async function bundleWarm(program: string, patches: readonly Patch[] = []): Promise<void> {
  await bundleProgram(program, patches);
  const dataDirectory = mkdtempSync(join(tmpdir(), "flanco-warm-"));
  await runShortly([process.execPath, join(program, "flanco.mjs"), "serve"], {
    FLANCO_DATA_DIR: dataDirectory,
    FLANCO_GPIO_DRIVER: "chardev",
    FLANCO_DEMO: "false",
  }).finally(() => rmSync(dataDirectory, { recursive: true, force: true }));
}
