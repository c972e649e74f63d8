// Builds the page from src/web into dist/web: hashed files in assets/, which never change and may be
// cached without a limit, and index.html, which names them. A server that starts meanwhile
// finds files of one build, unless the sources changed since the build before: assets come first, index.html is renamed
// into place, and only then are unused assets removed. The guides lie in help/.
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { build } from "esbuild";
import { helpFiles } from "./help-pages.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "src", "web");
const target = join(root, "dist", "web");
const assetFolder = join(target, "assets");
// A clinic's tablet may be years old: what its browser lacks is written in older syntax.
const BROWSERS = ["chrome87", "firefox98", "safari15.4"];
const HASH_DIGITS = 10;
// Tells V8 to compile a file's functions beside the page's thread while it comes. An opening calls nearly all of
// those it waits for; the other views' file comes when nothing waits.
// https://github.com/WICG/explicit-javascript-compile-hints-file-based
const COMPILE_HINT = "//# allFunctionsCalledOnLoad";

const assets = new Map<string, string | Uint8Array>();
const icons = await addIcons();
const manifest = addAsset(
  "manifest",
  "webmanifest",
  fill(await readFile(join(source, "manifest.json"), "utf8"), icons),
);
const warmUp = addAsset("warm-up", "js", await bundleWorker("worker/warm-up.ts", {}));
const { script, style, shared } = await bundle({ WARM_UP_WORKER: JSON.stringify(warmUp) });
const html = fill(await readFile(join(source, "index.html"), "utf8"), {
  ...icons,
  manifest,
  script,
  shared,
  style,
});

await mkdir(assetFolder, { recursive: true });
await mkdir(join(target, "help"), { recursive: true });
const present = new Set(await readdir(assetFolder));
const serviceWorker = await buildServiceWorker(html);
// On the same file system, and not where a server would find what is about to go.
const drafts = await mkdtemp(join(target, "..", ".web-"));
try {
  for (const [name, content] of assets) {
    if (!present.has(name)) await writeWhole(join(assetFolder, name), content);
  }
  for (const [name, content] of helpFiles()) await writeWhole(join(target, "help", name), content);
  await writeWhole(join(target, "index.html"), html);
  await writeWhole(join(target, "service-worker.js"), serviceWorker);
} finally {
  await rm(drafts, { recursive: true });
}
for (const name of present) {
  if (!assets.has(name)) await rm(join(assetFolder, name), { force: true });
}

/** The addresses of the icons by their files' names. */
async function addIcons(): Promise<Record<string, string>> {
  const folder = join(source, "icon");
  const files = (await readdir(folder)).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
  return Object.fromEntries(
    files.map((file, index) => {
      const extension = extname(file);
      return [file, addAsset(basename(file, extension), extension.slice(1), contents[index] ?? "")];
    }),
  );
}

/**
 * The page's script is three files: what every opening needs, the views that it seldom begins with, and what both use. `define`
 * is what stands in the source for what only the build knows. Gives addresses.
 */
async function bundle(define: Record<string, string>) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: source,
    entryPoints: { app: "main.tsx", style: "style/app.css" },
    outdir: target,
    entryNames: `assets/[name]-[hash]`,
    chunkNames: `assets/[name]-[hash]`,
    bundle: true,
    splitting: true,
    metafile: true,
    minify: true,
    write: false,
    format: "esm",
    target: BROWSERS,
    legalComments: "none",
    banner: { js: COMPILE_HINT },
    jsx: "automatic",
    jsxImportSource: "preact",
    define,
    logLevel: "warning",
  });
  const outputs = Object.entries(metafile.outputs);
  const madeOf = (entry: string) => {
    const found = outputs.find(([, { entryPoint }]) => entryPoint === entry);
    if (found === undefined) throw new Error(`esbuild made nothing of ${entry}`);
    return found;
  };
  const [script, { imports }] = madeOf("main.tsx");
  const [shared, ...more] = imports.filter(({ kind }) => kind === "import-statement");
  if (shared === undefined || more.length > 0) throw new Error(`${script} needs ${more.length + 1} files`);
  const [style] = madeOf("style/app.css");
  for (const { path, contents } of outputFiles) assets.set(basename(path), contents);
  const address = (file: string) => `/assets/${basename(file)}`;
  return { script: address(script), style: address(style), shared: address(shared.path) };
}

/**
 * Bundles the worker that keeps the page's files in the browser. Its version is that of index.html, whose content changes with
 * every build that changes anything.
 */
function buildServiceWorker(page: string): Promise<Uint8Array> {
  const files = [...assets.keys()].map((file) => `/assets/${file}`);
  return bundleWorker("worker/service-worker.ts", {
    ASSETS: JSON.stringify(files),
    VERSION: JSON.stringify(hashOf(page)),
  });
}

async function bundleWorker(entry: string, define: Record<string, string>): Promise<Uint8Array> {
  const result = await build({
    absWorkingDir: source,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: BROWSERS,
    define,
    legalComments: "none",
    logLevel: "warning",
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error("esbuild made no worker");
  return file.contents;
}

/** Names a file by its content, and gives its address on the server. */
function addAsset(name: string, extension: string, content: string | Uint8Array): string {
  const file = `${name}-${hashOf(content)}.${extension}`;
  assets.set(file, content);
  return `/assets/${file}`;
}

function hashOf(content: string | Uint8Array): string {
  return hash("sha256", content).slice(0, HASH_DIGITS);
}

/** Puts values in the place of %names%. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/%([\w.-]+)%/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`the template asks for %${name}%, which the build does not make`);
    return value;
  });
}

/** Writes a file elsewhere and renames it, so that a reader never sees half of it. One that has the content is left alone. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null);
  if (before?.equals(Buffer.from(content)) === true) return;
  const draft = join(drafts, basename(path));
  await writeFile(draft, content);
  await rename(draft, path);
}
