import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, ScriptFailure } from "../command.ts";
import { CARD_KINDS } from "../image/base.ts";
import { buildCardImage, imageName } from "../image/card-image.ts";
import { type AptSource, aptSource, buildAptSource } from "./apt-source.ts";
import { buildBinary } from "./binary.ts";
import { manifestFiles, signManifest, sumsOf } from "./manifest.ts";
import { buildPackage } from "./package.ts";
import { ARM64, PROCESSORS, type Processor } from "./processor.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
const KEY_VARIABLE = "FLANCO_RELEASE_KEY";
const APT_KEY_VARIABLE = "FLANCO_APT_KEY";
const APT_URL_VARIABLE = "FLANCO_APT_URL";

/**
 * Builds the release of this checkout into dist/release: for each of the processors the binary and the package, for arm64 the card
 * images, then checksums, SBOM and manifest. Installs the Debian packages that are missing.
 */
async function release(processors: readonly Processor[]): Promise<void> {
  const directory = join(CHECKOUT, "build", "release");
  const released = join(CHECKOUT, "dist", "release");
  // The release of before stays until this one is whole.
  const target = `${released}.new`;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  mkdirSync(directory, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { version: string };
  const commit = runCommand(["git", "rev-parse", "HEAD"], { directory: CHECKOUT }).trim();
  const epochSeconds = Number(
    runCommand(["git", "log", "-1", "--format=%ct"], { directory: CHECKOUT }).trim(),
  );
  const { keyFile, source } = chosenSource();
  runCommand([process.execPath, join(CHECKOUT, "scripts", "build-web.ts")]);
  const files: string[] = [];
  const debs: string[] = [];
  for (const processor of processors) {
    const binary = join(target, `flanco-${version}-${processor.debian}`);
    await buildBinary({ processor, checkout: CHECKOUT, directory, target: binary });
    say(binary);
    const deb = join(target, `flanco_${version}_${processor.debian}.deb`);
    await buildPackage({
      processor,
      version,
      checkout: CHECKOUT,
      directory,
      binary,
      target: deb,
      epochSeconds,
      source,
    });
    say(deb);
    files.push(binary, deb);
    debs.push(deb);
  }
  if (!processors.includes(ARM64)) say("no card images: they are for arm64");
  else if (process.getuid?.() === 0) {
    const deb = join(target, `flanco_${version}_${ARM64.debian}.deb`);
    for (const kind of CARD_KINDS) {
      const image = join(target, imageName(version, kind));
      const folder = join(directory, "image");
      buildCardImage({ kind, version, deb, directory: folder, target: image, epochSeconds });
      say(image);
      files.push(image);
    }
  } else say("no card images: only root can build them");
  if (keyFile === undefined) say(`no apt source: ${APT_KEY_VARIABLE} names no key (docs/packaging.md)`);
  else {
    buildAptSource({ debs, target: join(target, "apt"), keyFile, epochSeconds });
    say(join(target, "apt"));
  }
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
  rmSync(released, { recursive: true, force: true });
  renameSync(target, released);
  say(released);
}

/** The apt source that the environment names, if any. Throws ScriptFailure where its address is missing. */
function chosenSource(): { readonly keyFile?: string; readonly source?: AptSource } {
  const { [APT_KEY_VARIABLE]: keyFile, [APT_URL_VARIABLE]: url } = process.env;
  if (keyFile === undefined) return {};
  if (url === undefined)
    throw new ScriptFailure(`${APT_URL_VARIABLE} must say where the apt source is going to be.`);
  return { keyFile, source: aptSource(keyFile, url) };
}

/** The processors that `--processor` names, or all. Throws ScriptFailure for one that is none. */
function chosenProcessors(): readonly Processor[] {
  const { values } = parseArgs({ options: { processor: { type: "string" } } });
  if (values.processor === undefined) return PROCESSORS;
  const chosen = PROCESSORS.filter(({ debian }) => debian === values.processor);
  if (chosen.length > 0) return chosen;
  const known = PROCESSORS.map(({ debian }) => debian).join(" or ");
  throw new ScriptFailure(`--processor is ${known}, not ${values.processor}`);
}

function say(text: string): void {
  console.log(`release: ${text}`);
}

try {
  await release(chosenProcessors());
} catch (error) {
  if (!(error instanceof ScriptFailure)) throw error;
  console.error(`release: ${error.message}`);
  process.exit(1);
}
