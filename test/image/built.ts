import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { installMissing } from "../../scripts/guest/debian.ts";
import { buildCardImage } from "../../scripts/image/card-image.ts";
import { buildPackage } from "../../scripts/release/debian.ts";
import { PROCESSORS } from "../../scripts/release/processor.ts";
import { CHECKOUT } from "../cli/program.ts";
import { buildSealed, WORK } from "../release/sealed.ts";

const VERSION = "0.0.1";
const EPOCH_SECONDS = 1_763_000_000;
/** Debian packages that building for arm64, the image and its gateway take. */
const PACKAGES = [
  ...["g++-aarch64-linux-gnu", "qemu-user-static", "binfmt-support", "mmdebstrap", "mtools", "dosfstools"],
  ...["fdisk", "e2fsprogs", "xz-utils", "qemu-system-arm", "openssh-client"],
];

/**
 * Builds the image of this checkout, and gives its path. FLANCO_TEST_IMAGE names one that is built already: whoever works on
 * the test does not wait for it.
 */
export async function builtImage(): Promise<string> {
  installMissing(PACKAGES);
  const built = process.env["FLANCO_TEST_IMAGE"];
  if (built !== undefined) {
    if (!existsSync(built)) throw new Error(`FLANCO_TEST_IMAGE: ${built} is not there.`);
    return built;
  }
  const processor = PROCESSORS.find(({ debian }) => debian === "arm64");
  if (processor === undefined) throw new Error("There is no release for arm64.");
  const binary = await buildSealed(processor);
  const deb = join(WORK, "card.deb");
  const common = { processor, version: VERSION, epochSeconds: EPOCH_SECONDS };
  buildPackage({ ...common, checkout: CHECKOUT, directory: WORK, binary, target: deb, quick: true });
  const directory = join(CHECKOUT, "build", "image");
  mkdirSync(directory, { recursive: true });
  const target = join(directory, "tested.img");
  buildCardImage({ version: VERSION, deb, directory, target, epochSeconds: EPOCH_SECONDS, reuse: true });
  return target;
}
