import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";
import type { CardKind } from "../../scripts/image/base.ts";
import { buildCardImage } from "../../scripts/image/card-image.ts";
import { buildPackage } from "../../scripts/release/package.ts";
import { ARM64 } from "../../scripts/release/processor.ts";
import { buildSealed, WORK } from "../release/sealed.ts";
import { CHECKOUT } from "../rig/program.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { Card } from "./card.ts";
import { Gateway } from "./gateway.ts";
import { Technician } from "./technician.ts";

/** What a test or a hook may take: a build of an image, or starts of an emulated machine. */
export const LONGEST_MS = 2_400_000;
export const ANSWER_MS = 300_000;
export const CARD_MIB = 6_000;
export const ADDRESS = "192.168.77.20";
/** Of the chip that the machine has for its power button, the button's line. */
export const LINE = "gpiochip0:3";
const VERSION = "0.0.1";
const EPOCH_SECONDS = 1_763_000_000;

/** A technician with an image of this checkout, its cards and their gateways. */
export class Bench {
  readonly technician: Technician;
  readonly #directory = new TemporaryDirectory();
  readonly #image: string;
  readonly #gateways = new Set<Gateway>();

  private constructor(image: string) {
    this.#image = image;
    const own = this.#directory.file("technician");
    mkdirSync(own);
    this.technician = new Technician(own);
  }

  static async make(kind: CardKind): Promise<Bench> {
    return new Bench(await builtImage(kind));
  }

  /** A card that the image was written to. It has a name of its own. */
  card(name: string): Card {
    return Card.write(this.#image, this.#directory.file(name), CARD_MIB);
  }

  async switchOn(card: Card, address: string): Promise<Gateway> {
    const gateway = await Gateway.switchOn(card, address);
    this.#gateways.add(gateway);
    return gateway;
  }

  /** Cuts the power of all gateways. */
  async switchOff(): Promise<void> {
    for (const gateway of this.#gateways) await gateway.close();
    this.#gateways.clear();
  }

  async close(): Promise<void> {
    await this.switchOff();
    this.#directory.remove();
  }
}

/**
 * Builds an image of this checkout, and gives its path. FLANCO_TEST_IMAGES names a folder of images that are built already,
 * to save the time of a build while the test is changed.
 */
async function builtImage(kind: CardKind): Promise<string> {
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
