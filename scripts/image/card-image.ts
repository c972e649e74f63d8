import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import { installFor } from "../debian.ts";
import { ARM64, prepareFor } from "../release/processor.ts";
import { buildBase, type CardKind } from "./base.ts";
import { joinPartitions, makeBoot, makeData, makeRoot } from "./partition.ts";
import { installCard } from "./tree.ts";

export interface CardImageOptions {
  readonly kind: CardKind;
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

/** The image's file name in a release. */
export function imageName(version: string, kind: CardKind): string {
  return `flanco-${version}-${kind}-arm64.img.xz`;
}

/**
 * Builds the image of a memory card: firmware, Debian and flanco, in partitions of their own. Only root can, because the image
 * has files of many users. Installs the Debian packages that are missing. Throws ScriptFailure.
 */
export function buildCardImage(options: CardImageOptions): void {
  if (process.getuid?.() !== 0)
    throw new ScriptFailure("The card image is built as root: sudo npm run release");
  prepareFor(ARM64);
  installFor("Debian tree");
  installFor("card image");
  // All users of the card must be able to read these files, also if the builder's umask is stricter.
  const umask = process.umask(0o022);
  try {
    build(options);
  } finally {
    process.umask(umask);
  }
}

function build(options: CardImageOptions): void {
  const { kind, version, deb, directory, target, epochSeconds, reuse = false } = options;
  const base = buildBase(kind, directory, reuse);
  const work = join(directory, "card");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const tree = join(work, "root");
  runCommand(["cp", "--archive", base, tree]);
  installCard(tree, deb, epochSeconds);
  // Folders with a partition of their own leave the root's.
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
