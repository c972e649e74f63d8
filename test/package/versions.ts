import { hash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { CARD_FILES } from "../../scripts/image/base.ts";
import type { Patch } from "../../scripts/patch.ts";
import { type AptSource, aptSource, buildAptSource } from "../../scripts/release/apt-source.ts";
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

/** Makes a key as docs/packaging.md says. Gives the file of its secret half. */
export function makeKey(folder: string, name: string): string {
  installFor("apt source");
  const home = join(folder, `${name}.home`);
  const gpg = ["gpg", "--homedir", home, "--batch", "--passphrase", ""];
  mkdirSync(home, { mode: 0o700 });
  runCommand([...gpg, "--quick-generate-key", name, "ed25519", "sign", "never"]);
  const file = join(folder, name);
  writeFileSync(file, runCommand([...gpg, "--armor", "--export-secret-keys"]));
  runCommand(["gpgconf", "--homedir", home, "--kill", "all"]);
  return file;
}

/**
 * What updates come from, as folders: `first.deb`, which takes its source from `url`; apt sources with one later version each,
 * `good` (0.0.2), `stranger` (the same, signed by another), `broken` (0.0.3, does not start) and `mended` (0.0.4); `debian-security`
 * with version 2 of a package of Debian's; and what a card has beside the package. Gives their folder.
 */
export async function buildSources(url: string): Promise<string> {
  const folder = emptyFolder("sources");
  const keys = emptyFolder("keys");
  const [ours, theirs] = [makeKey(keys, "ours"), makeKey(keys, "theirs")];
  const source = aptSource(ours, url);
  const processor = ownProcessor();
  const binary = await buildSealed(processor);
  const broken = join(WORK, "flanco-broken");
  writeFileSync(broken, DOES_NOT_START, { mode: 0o755 });
  await pack(folder, "first", { processor, version: "0.0.1", binary, source });
  const later = [
    ["good", "0.0.2", binary, ours],
    ["stranger", "0.0.2", binary, theirs],
    ["broken", "0.0.3", broken, ours],
    ["mended", "0.0.4", binary, ours],
  ] as const;
  for (const [name, version, program, keyFile] of later) {
    await pack(folder, name, { processor, version, binary: program, source });
    const deb = join(folder, `${name}.deb`);
    buildAptSource({ debs: [deb], target: join(folder, name), keyFile, epochSeconds: EPOCH_SECONDS });
    rmSync(deb);
  }
  packDebians(folder);
  cpSync(join(CARD_FILES, "usr/lib/flanco-card/root-writable"), join(folder, "root-writable"));
  // No firmware's partition is there.
  const hooks = readFileSync(join(CARD_FILES, "etc/dpkg/dpkg.cfg.d/60-flanco-card"), "utf8").split("\n");
  writeFileSync(
    join(folder, "dpkg.cfg"),
    `${hooks.filter((hook) => hook.includes("root-writable")).join("\n")}\n`,
  );
  return folder;
}

/** A package of Debian's in two versions, the later one as the security team brings it. */
function packDebians(folder: string): void {
  const security = join(folder, "debian-security");
  mkdirSync(security);
  for (const version of ["1", "2"]) {
    const tree = join(WORK, `mended-${version}`);
    mkdirSync(join(tree, "DEBIAN"), { recursive: true });
    const fields = [
      "Package: mended",
      `Version: ${version}`,
      "Architecture: all",
      "Maintainer: Debian <d@example.org>",
    ];
    writeFileSync(join(tree, "DEBIAN", "control"), `${fields.join("\n")}\nDescription: a program\n`);
    chmodSync(join(tree, "DEBIAN"), 0o755);
    const deb = version === "1" ? join(folder, "mended.deb") : join(security, "mended.deb");
    runCommand(["dpkg-deb", "--root-owner-group", "--build", tree, deb]);
  }
  const deb = readFileSync(join(security, "mended.deb"));
  const control = runCommand(["dpkg-deb", "--field", join(security, "mended.deb")]).trim();
  const list = `${control}\nFilename: ./mended.deb\nSize: ${deb.length}\nSHA256: ${hash("sha256", deb)}\n`;
  writeFileSync(join(security, "Packages"), list);
  const names =
    "Origin: Debian\nLabel: Debian-Security\nCodename: bookworm-security\nSuite: oldstable-security\n";
  const sums = `SHA256:\n ${hash("sha256", list)} ${list.length} Packages\n`;
  writeFileSync(join(security, "Release"), `${names}Date: Thu, 13 Nov 2025 00:00:00 UTC\n${sums}`);
}

interface Version {
  readonly processor: Processor;
  readonly version: string;
  readonly binary: string;
  readonly schema?: number;
  readonly source?: AptSource;
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
