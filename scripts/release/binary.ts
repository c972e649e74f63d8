import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { addonFiles, bundleSealed } from "../bundle.ts";
import { runCommand } from "../command.ts";
import type { Patch } from "../patch.ts";
import { makeCodeCaches } from "./code-cache.ts";
import { environmentFor, type Processor, prepareFor, toolFor } from "./processor.ts";
import type { SealRequest } from "./seal.ts";
import { modulesFor } from "./tree.ts";

/**
 * Options of Node that the released program always runs with; there are no others, whatever NODE_OPTIONS says.
 * docs/packaging.md has what each brings.
 */
export const NODE_FLAGS: readonly string[] = ["--max-semi-space-size=8"];
/** Endings of the page's files that are served compressed. */
const COMPRESSIBLE = /\.(js|css|svg|webmanifest)$/;

const SMALLEST = { [constants.ZSTD_c_compressionLevel]: 19 };

export interface BinaryOptions {
  readonly processor: Processor;
  readonly checkout: string;
  /** For what comes and goes, and for what is kept for the next build. */
  readonly directory: string;
  /** The binary's path. */
  readonly target: string;
  /** Changes of the program's sources, for a test's other version. */
  readonly patches?: readonly Patch[];
}

/**
 * Seals the program, its threads, addons, page and version into one file with the locked Node. The page must have been
 * built (scripts/build-web.ts). Throws ScriptFailure.
 */
export async function buildBinary({
  processor,
  checkout,
  directory,
  target,
  patches,
}: BinaryOptions): Promise<void> {
  prepareFor(processor);
  const modules = modulesFor(processor, checkout, directory);
  const work = join(directory, `binary-${processor.node}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const node = join(modules, `node-linux-${processor.node}`, "bin", "node");
  const stripped = join(work, "node");
  copyFileSync(node, stripped);
  chmodSync(stripped, 0o755);
  // Before the program is put into it: afterwards it would not start.
  runCommand([toolFor(processor, "strip"), stripped]);
  const source = join(work, "source");
  await bundleSealed(source, processor.node, patches);
  const draft = join(work, "flanco");
  const start = join(source, "start.cjs");
  const parts = {
    start,
    ...modulesIn(source, work),
    ...addonsFor(processor, modules, work),
    ...pageIn(join(checkout, "dist", "web"), work),
    "demo/relays.trace": join(checkout, "demo", "relays.trace"),
    "package.json": manifestOf(checkout, work),
  };
  const environment = environmentFor(processor);
  const caches = await makeCodeCaches({
    node: stripped,
    flags: NODE_FLAGS,
    environment,
    start,
    parts,
    directory: join(work, "code-cache"),
  });
  const request: SealRequest = {
    main: join("source", "start.cjs"),
    node: stripped,
    target: draft,
    execArgv: NODE_FLAGS,
    assets: { ...parts, ...packedIn(work, caches) },
  };
  const seal = join(import.meta.dirname, "seal.ts");
  runCommand([process.execPath, seal, JSON.stringify(request)], {
    directory: work,
    environment: { TMPDIR: work, ...environment },
  });
  renameSync(draft, target);
}

type Assets = Readonly<Record<string, string>>;

/** The program, each thread and each library. */
function modulesIn(source: string, work: string): Assets {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  const scripts = files.filter((name) => name.endsWith(".cjs") && name !== "start.cjs");
  const modules = scripts.map((name) => [`module/${name.slice(0, -".cjs".length)}`, join(source, name)]);
  return packedIn(work, Object.fromEntries(modules));
}

/** What is read once and whole, compressed: what is mapped of the binary counts as the program's memory. */
function packedIn(work: string, assets: Assets): Assets {
  const packed = Object.entries(assets).map(([name, file]) => {
    const target = join(work, "packed", `${name}.zst`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, zstdCompressSync(readFileSync(file), { params: SMALLEST }));
    return [name, target];
  });
  return Object.fromEntries(packed);
}

function addonsFor(processor: Processor, modules: string, work: string): Assets {
  const assets: Record<string, string> = {};
  for (const [name, original] of Object.entries(addonFiles(processor.node, modules))) {
    const file = join(work, `${name}.node`);
    copyFileSync(original, file);
    runCommand([toolFor(processor, "strip"), "--strip-unneeded", file]);
    // It is unpacked once for each version, and read from there.
    const packed = `${file}.gz`;
    writeFileSync(packed, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
    const sum = join(work, `${name}.sha256`);
    writeFileSync(sum, hash("sha256", readFileSync(file)));
    assets[`addon/${name}.node.gz`] = packed;
    assets[`addon/${name}.sha256`] = sum;
  }
  return assets;
}

/** The page's files, each that compresses well with its compressed form. */
function pageIn(page: string, work: string): Assets {
  const assets: Record<string, string> = {};
  mkdirSync(join(work, "page"));
  for (const entry of readdirSync(page, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const file = join(entry.parentPath, entry.name);
    const name = `web/${relative(page, file)}`;
    assets[name] = file;
    if (!COMPRESSIBLE.test(name)) continue;
    const compressed = join(work, "page", `${entry.name}.gz`);
    writeFileSync(compressed, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
    assets[`${name}.gz`] = compressed;
  }
  return assets;
}

function manifestOf(checkout: string, work: string): string {
  const { name, version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    name: string;
    version: string;
  };
  const file = join(work, "package.json");
  writeFileSync(file, `${JSON.stringify({ name, version })}\n`);
  return file;
}
