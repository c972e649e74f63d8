import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../command.ts";
import { installFor } from "../debian.ts";

const BINFMT = "/proc/sys/fs/binfmt_misc";

/** A kind of processor that a release is made for. */
export interface Processor {
  /** As Node and npm call it. */
  readonly node: "x64" | "arm64";
  /** As Debian calls it. */
  readonly debian: "amd64" | "arm64";
  /** Prefix of the GNU tools for it, on a machine of another kind. */
  readonly triplet: string;
  /** The emulator that runs its programs on a machine of another kind, as Debian's binfmt-support calls it. */
  readonly emulator: string;
}

export const X64: Processor = {
  node: "x64",
  debian: "amd64",
  triplet: "x86_64-linux-gnu",
  emulator: "qemu-x86_64",
};
export const ARM64: Processor = {
  node: "arm64",
  debian: "arm64",
  triplet: "aarch64-linux-gnu",
  emulator: "qemu-aarch64",
};
export const PROCESSORS: readonly Processor[] = [X64, ARM64];

/** Whether this machine runs the processor's programs itself. */
export function isOwn({ node }: Processor): boolean {
  return node === process.arch;
}

/** A GNU tool for the processor. */
export function toolFor(processor: Processor, tool: string): string {
  return isOwn(processor) ? tool : `${processor.triplet}-${tool}`;
}

/** What programs of a processor of another kind find their libraries by: those that its compiler brought. */
export function environmentFor(processor: Processor): Readonly<Record<string, string>> {
  return isOwn(processor) ? {} : { QEMU_LD_PREFIX: `/usr/${processor.triplet}` };
}

/**
 * Installs what building for the processor needs, and has the kernel start its programs, emulated where it is of another kind.
 * Only root can do so where something is missing. Throws ScriptFailure.
 */
export function prepareFor(processor: Processor): void {
  installFor("binary");
  if (isOwn(processor)) return;
  installFor("binary for another processor");
  if (!existsSync(join(BINFMT, "status"))) runCommand(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT]);
  if (!existsSync(join(BINFMT, processor.emulator))) {
    runCommand(["update-binfmts", "--enable", processor.emulator]);
  }
}
