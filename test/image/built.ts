import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";
import type { CardKind } from "../../scripts/image/base.ts";
import { buildCardImage } from "../../scripts/image/card-image.ts";
import { buildPackage } from "../../scripts/release/package.ts";
import { ARM64 } from "../../scripts/release/processor.ts";
import { buildSealed, WORK } from "../release/sealed.ts";
import { CHECKOUT } from "../rig/program.ts";

const VERSION = "0.0.1";
const EPOCH_SECONDS = 1_763_000_000;

/**
 * Builds an image of this checkout, and gives its path. FLANCO_TEST_IMAGES names a folder of images that are built already,
 * to save the time of a build while the test is changed.
 */
export async function builtImage(kind: CardKind): Promise<string> {
  installFor("card in a machine");
  const built = process.env["FLANCO_TEST_IMAGES"];
  if (built !== undefined) {
    const image = join(built, testedName(kind));
    if (!existsSync(image)) throw new Error(`FLANCO_TEST_IMAGES: ${image} is not there.`);
    return image;
  }
  const binary = await buildSealed(ARM64);
  const deb = join(WORK, "card.deb");
  const common = { processor: ARM64, version: VERSION, epochSeconds: EPOCH_SECONDS };
  await buildPackage({ ...common, checkout: CHECKOUT, directory: WORK, binary, target: deb, quick: true });
  const directory = join(CHECKOUT, "build", "image");
  mkdirSync(directory, { recursive: true });
  const target = join(directory, testedName(kind));
  buildCardImage({
    kind,
    version: VERSION,
    deb,
    directory,
    target,
    epochSeconds: EPOCH_SECONDS,
    reuse: true,
  });
  return target;
}

function testedName(kind: CardKind): string {
  return `tested-${kind}.img`;
}
