import { createHash } from "node:crypto";
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
import { join, relative } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { inject } from "postject";
import { addonFiles, bundleSealed } from "../bundle.mjs";
import type { Patch } from "../patch.ts";
import { runCommand } from "./command.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import { type Processor, runnerFor, toolFor } from "./processor.ts";
import { modulesFor } from "./tree.ts";

/** What Node looks for in its own file to find whether a program is sealed in it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const SECTION = "NODE_SEA_BLOB";
/** Endings of the page's files that are served compressed. */
const COMPRESSIBLE = /\.(js|css|svg|webmanifest)$/;

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
 * built (scripts/build-web.mjs). Throws ReleaseFailure.
 */
export async function buildBinary({
  processor,
  checkout,
  directory,
  target,
  patches,
}: BinaryOptions): Promise<void> {
  const modules = modulesFor(processor, checkout, directory);
  const work = join(directory, `binary-${processor.node}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const node = join(modules, `node-linux-${processor.node}`, "bin", "node");
  const draft = join(work, "flanco");
  copyFileSync(node, draft);
  chmodSync(draft, 0o755);
  // Before anything is put into it: afterwards it would not start.
  runCommand([toolFor(processor, "strip"), draft]);
  const source = join(work, "source");
  await bundleSealed(source, processor.node, patches);
  const assets = {
    ...threadsIn(source),
    ...addonsFor(processor, modules, work),
    ...pageIn(join(checkout, "dist", "web"), work),
    "demo/relays.trace": join(checkout, "demo", "relays.trace"),
    "package.json": manifestOf(checkout, work),
  };
  const config = {
    // Relative, because stack traces show it.
    main: join("source", "main.cjs"),
    output: "blob",
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: NODE_FLAGS,
    execArgvExtension: "none",
    assets: Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, relative(work, file)])),
  };
  writeFileSync(join(work, "config.json"), JSON.stringify(config, null, 2));
  // By the target's own Node with the same options: what any other compiles would be rejected.
  const seal = [...runnerFor(processor), node, ...NODE_FLAGS, "--experimental-sea-config", "config.json"];
  runCommand(seal, { directory: work });
  await inject(draft, SECTION, readFileSync(join(work, "blob")), { sentinelFuse: FUSE });
  renameSync(draft, target);
}

type Assets = Readonly<Record<string, string>>;

function threadsIn(source: string): Assets {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  const threads = files.filter((name) => name.endsWith("-thread.cjs"));
  return Object.fromEntries(
    threads.map((name) => [`thread/${name.slice(0, -".cjs".length)}`, join(source, name)]),
  );
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
    writeFileSync(sum, createHash("sha256").update(readFileSync(file)).digest("hex"));
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
