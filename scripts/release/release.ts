import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releaseImage } from "../image/release-step.ts";
import { buildBinary } from "./binary.ts";
import { runCommand } from "./command.ts";
import { buildPackage } from "./debian.ts";
import { ReleaseFailure } from "./failure.ts";
import { manifestFiles, signManifest } from "./manifest.ts";
import { isOwn, PROCESSORS, type Processor, toolFor } from "./processor.ts";
import { sumsOf } from "./sums.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
const KEY_VARIABLE = "FLANCO_RELEASE_KEY";

/**
 * Builds the release of this checkout into dist/release: for each processor the binary and the package, for arm64 the card
 * image, then checksums, SBOM and manifest. A processor of another kind is left out where its tools are not there, and that is said.
 */
async function release(): Promise<void> {
  const directory = join(CHECKOUT, "build", "release");
  const target = join(CHECKOUT, "dist", "release");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  mkdirSync(directory, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { version: string };
  const commit = runCommand(["git", "rev-parse", "HEAD"], { directory: CHECKOUT }).trim();
  const epochSeconds = Number(
    runCommand(["git", "log", "-1", "--format=%ct"], { directory: CHECKOUT }).trim(),
  );
  runCommand([process.execPath, join(CHECKOUT, "scripts", "build-web.mjs")]);
  const files: string[] = [];
  for (const processor of PROCESSORS) {
    const missing = missingTools(processor);
    if (missing.length > 0) {
      say(
        `not for ${processor.debian}: ${missing.join(", ")} not found (apt install ${processor.packages.join(" ")})`,
      );
      continue;
    }
    const binary = join(target, `flanco-${version}-${processor.debian}`);
    await buildBinary({ processor, checkout: CHECKOUT, directory, target: binary });
    say(binary);
    const deb = join(target, `flanco_${version}_${processor.debian}.deb`);
    buildPackage({ processor, version, checkout: CHECKOUT, directory, binary, target: deb, epochSeconds });
    say(deb);
    files.push(binary, deb);
  }
  if (files.length === 0) throw new ReleaseFailure("There is nothing to release.");
  files.push(...releaseImage({ version, target, directory, epochSeconds, say }));
  const sbom = join(target, `flanco-${version}.cdx.json`);
  writeFileSync(
    sbom,
    runCommand(["npm", "sbom", "--omit=dev", "--sbom-format=cyclonedx"], { directory: CHECKOUT }),
  );
  files.push(sbom);
  writeFileSync(join(target, "SHA256SUMS"), sumsOf(files));
  const facts = { name: "flanco", version, commit, epochSeconds, node: process.versions.node };
  const manifest = `${JSON.stringify({ ...facts, files: manifestFiles(files) }, null, 2)}\n`;
  writeFileSync(join(target, "manifest.json"), manifest);
  const key = process.env[KEY_VARIABLE];
  if (key === undefined) say(`manifest.json is not signed: ${KEY_VARIABLE} names no key (docs/packaging.md)`);
  else writeFileSync(join(target, "manifest.json.sig"), signManifest(manifest, key));
}

/** Tools that building for a processor takes and that this machine has not. */
function missingTools(processor: Processor): string[] {
  const tools = ["strip", "gcc", "g++"].map((tool) => toolFor(processor, tool));
  if (!isOwn(processor)) tools.push(processor.emulator);
  return tools.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
}

function say(text: string): void {
  console.log(`release: ${text}`);
}

try {
  await release();
} catch (error) {
  if (!(error instanceof ReleaseFailure)) throw error;
  console.error(`release: ${error.message}`);
  process.exit(1);
}
