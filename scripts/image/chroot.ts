import { join } from "node:path";
import { runCommand } from "../command.ts";

const MOUNTS = [
  ["proc", "proc"],
  ["sysfs", "sys"],
] as const;

/** Runs `work` while the tree has the kernel's own file systems, as its programs expect. */
export function withKernelFiles(tree: string, work: () => void): void {
  const mounted: string[] = [];
  try {
    for (const [type, path] of MOUNTS) {
      runCommand(["mount", "-t", type, type, join(tree, path)]);
      mounted.push(join(tree, path));
    }
    work();
  } finally {
    for (const path of mounted.reverse()) runCommand(["umount", path]);
  }
}

/** Runs a program of the tree, emulated where it is for another processor. Throws ScriptFailure unless it ends with 0. */
export function runInTree(
  tree: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): void {
  runCommand(["chroot", tree, ...command], {
    environment: {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      DEBIAN_FRONTEND: "noninteractive",
      TMPDIR: "/tmp",
      ...environment,
    },
  });
}
