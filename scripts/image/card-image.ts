import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../release/command.ts";
import { ReleaseFailure } from "../release/failure.ts";
import { buildBase } from "./base.ts";
import { joinPartitions, makeBoot, makeData, makeRoot } from "./partition.ts";
import { installCard } from "./tree.ts";

/** Programs that building takes, each with the Debian package that brings it. */
const TOOLS: Readonly<Record<string, string>> = {
  mmdebstrap: "mmdebstrap",
  mke2fs: "e2fsprogs",
  "mkfs.vfat": "dosfstools",
  mcopy: "mtools",
  sfdisk: "fdisk",
  xz: "xz-utils",
  "qemu-aarch64-static": "qemu-user-static",
  "update-binfmts": "binfmt-support",
};
const BINFMT = "/proc/sys/fs/binfmt_misc";

export interface CardImageOptions {
  readonly version: string;
  /** flanco's package for arm64. */
  readonly deb: string;
  /** For what comes and goes, and for what is kept for the next build. */
  readonly directory: string;
  /** The image's path; with `.xz` at its end it is packed. */
  readonly target: string;
  /** Time of the release, in seconds. */
  readonly epochSeconds: number;
  /** Takes Debian's packages of an earlier build, if there is one: for a test. */
  readonly reuse?: boolean;
}

/** Debian packages without which no image can be built on this machine; none when all is there. */
export function missingForImage(): readonly string[] {
  const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;
  const missing = Object.keys(TOOLS).filter(
    (tool) => spawnSync("sh", ["-c", `command -v ${tool}`], { env: { PATH: path } }).status !== 0,
  );
  return missing.map((tool) => TOOLS[tool] ?? tool);
}

/**
 * Builds the image of a memory card: firmware, Debian and flanco, in partitions of their own. Takes root, because it makes
 * files of many users. Throws ReleaseFailure.
 */
export function buildCardImage(options: CardImageOptions): void {
  requireMachine();
  // What is copied to the card is for all of its users, however private the builder's own files are.
  const umask = process.umask(0o022);
  try {
    build(options);
  } finally {
    process.umask(umask);
  }
}

function build(options: CardImageOptions): void {
  const { version, deb, directory, target, epochSeconds, reuse = false } = options;
  const base = buildBase(directory, reuse);
  const work = join(directory, "card");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const tree = join(work, "root");
  runCommand(["cp", "--archive", base, tree]);
  installCard(tree, deb, epochSeconds);
  // What lies on partitions of its own is not on the root's.
  const boot = moveOut(tree, "boot/firmware", join(work, "boot"));
  const data = moveOut(tree, "var", join(work, "data"));
  const identity = `flanco ${version}`;
  const partitions = [
    makeBoot(join(work, "boot.img"), boot, identity),
    makeRoot(join(work, "root.img"), tree, { label: "flanco-root", epochSeconds }),
    makeData(join(work, "data.img"), data, { label: "flanco-data", epochSeconds }),
  ];
  const image = join(work, "card.img");
  joinPartitions(image, partitions);
  if (target.endsWith(".xz")) runCommand(["xz", "--threads=0", "-6", "--force", image]);
  runCommand(["mv", target.endsWith(".xz") ? `${image}.xz` : image, target]);
  rmSync(work, { recursive: true, force: true });
}

function moveOut(tree: string, path: string, target: string): string {
  const folder = join(tree, path);
  runCommand(["mv", folder, target]);
  mkdirSync(folder);
  return target;
}

function requireMachine(): void {
  const missing = missingForImage();
  if (missing.length > 0)
    throw new ReleaseFailure(`The card image needs more packages: apt install ${missing.join(" ")}`);
  if (process.getuid?.() !== 0)
    throw new ReleaseFailure("The card image is built as root: sudo npm run image");
  // Where no systemd mounts it, nobody has.
  if (!existsSync(join(BINFMT, "status"))) runCommand(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT]);
  if (process.arch !== "arm64" && !existsSync(join(BINFMT, "qemu-aarch64")))
    runCommand(["update-binfmts", "--enable", "qemu-aarch64"]);
}
