import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Patch } from "../../scripts/patch.ts";
import { buildBinary } from "../../scripts/release/binary.ts";
import { buildPackage } from "../../scripts/release/debian.ts";
import { isOwn, PROCESSORS, type Processor } from "../../scripts/release/processor.ts";
import { SCHEMA_VERSION } from "../../src/store/migration.ts";
import { CHECKOUT } from "../cli/program.ts";
import { buildSealed, WORK } from "../release/sealed.ts";

const EPOCH_SECONDS = 1_763_000_000;
const LATER = SCHEMA_VERSION + 1;
const LATER_SCHEMA: Patch = {
  file: "src/store/migration.ts",
  from: "[initial, chain, outage, archive, audit];",
  to: `[initial, chain, outage, archive, audit,
    { version: ${LATER}, name: "later", sql: "CREATE TABLE later (later_id INTEGER PRIMARY KEY) STRICT;" }];`,
};
/** It records and answers, and says of itself that it does not work. */
const NEVER_HEALTHY: Patch = {
  file: "src/http/app.ts",
  from: "const healthy = lines.healthy();",
  to: "const healthy = false;",
};
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
  pack(folder, "first", { processor, version: "0.0.1", binary: await buildSealed(processor) });
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
  const newer = await buildVariant("flanco-newer", [LATER_SCHEMA]);
  const failing = await buildVariant("flanco-failing", [LATER_SCHEMA, NEVER_HEALTHY]);
  pack(folder, "other-processor", { processor: other, version: "0.0.1", binary: broken });
  pack(folder, "first", { processor, version: "0.0.1", binary });
  pack(folder, "failing", { processor, version: "0.0.2", binary: failing, schema: LATER });
  pack(folder, "newer", { processor, version: "0.0.3", binary: newer, schema: LATER });
  pack(folder, "newest", { processor, version: "0.0.4", binary: newer, schema: LATER });
  pack(folder, "broken", { processor, version: "0.0.5", binary: broken, schema: LATER });
  return folder;
}

interface Version {
  readonly processor: Processor;
  readonly version: string;
  readonly binary: string;
  readonly schema?: number;
}

function pack(folder: string, name: string, version: Version): void {
  buildPackage({
    ...{ checkout: CHECKOUT, directory: WORK, epochSeconds: EPOCH_SECONDS, quick: true, ...version },
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
