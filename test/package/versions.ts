import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Patch } from "../../scripts/patch.ts";
import { buildBinary } from "../../scripts/release/binary.ts";
import { buildPackage } from "../../scripts/release/package.ts";
import { isOwn, PROCESSORS, type Processor } from "../../scripts/release/processor.ts";
import { buildSealed, WORK } from "../release/sealed.ts";
import { CONTROLS } from "../rig/controls.ts";
import { LATER_MIGRATIONS } from "../rig/later-schema.ts";
import { CHECKOUT } from "../rig/program.ts";

const EPOCH_SECONDS = 1_763_000_000;
const DOES_NOT_START = "#!/bin/sh\necho 'this version does not start' >&2\nexit 1\n";

/** The processor that this machine is of. Throws where there is no package for it. */
export function ownProcessor(): Processor {
  const processor = PROCESSORS.find(isOwn);
  if (processor === undefined) throw new Error("There is no package for this machine's processor.");
  return processor;
}

/** The first version alone: its folder. */
export async function buildFirst(): Promise<string> {
  const folder = emptyFolder("package-first");
  const processor = ownProcessor();
  await pack(folder, "first", { processor, version: "0.0.1", binary: await buildSealed(processor) });
  return folder;
}

/**
 * Packages of versions that follow one another: `first`, `failing` (changes the schema, records, and is never healthy), `newer`
 * (that schema), `newest`, `broken` (does not start); and `other-processor`. Gives their folder.
 */
export async function buildVersions(): Promise<string> {
  const folder = emptyFolder("packages");
  const processor = ownProcessor();
  const other = PROCESSORS.find((one) => one !== processor) ?? processor;
  const binary = await buildSealed(processor);
  const broken = join(WORK, "flanco-broken");
  writeFileSync(broken, DOES_NOT_START, { mode: 0o755 });
  const laterSchema = CONTROLS["the ledger has a later schema"];
  const newer = await buildVariant("flanco-newer", laterSchema);
  const failing = await buildVariant("flanco-failing", [
    ...laterSchema,
    ...CONTROLS["it records and answers, but is never healthy"],
  ]);
  const later = { processor, schema: LATER_MIGRATIONS.length };
  await pack(folder, "other-processor", { processor: other, version: "0.0.1", binary: broken });
  await pack(folder, "first", { processor, version: "0.0.1", binary });
  await pack(folder, "failing", { ...later, version: "0.0.2", binary: failing });
  await pack(folder, "newer", { ...later, version: "0.0.3", binary: newer });
  await pack(folder, "newest", { ...later, version: "0.0.4", binary: newer });
  await pack(folder, "broken", { ...later, version: "0.0.5", binary: broken });
  return folder;
}

interface Version {
  readonly processor: Processor;
  readonly version: string;
  readonly binary: string;
  readonly schema?: number;
}

function pack(folder: string, name: string, version: Version): Promise<void> {
  return buildPackage({
    checkout: CHECKOUT,
    directory: WORK,
    epochSeconds: EPOCH_SECONDS,
    quick: true,
    ...version,
    target: join(folder, `${name}.deb`),
  });
}

async function buildVariant(name: string, patches: readonly Patch[]): Promise<string> {
  const target = join(WORK, name);
  await buildBinary({ processor: ownProcessor(), checkout: CHECKOUT, directory: WORK, target, patches });
  return target;
}

function emptyFolder(name: string): string {
  const folder = join(WORK, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}
