// Builds the page from src/web into dist/web: hashed files in assets/, which never change and may be
// cached without a limit, and index.html, which names them. A server that starts meanwhile
// finds files of one build, unless the sources changed since the build before: assets come first, index.html is renamed
// into place, and only then are unused assets removed.
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
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

const assets = new Map();
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
const present = new Set(await readdir(assetFolder));
const serviceWorker = await buildServiceWorker(html);
// On the same file system, and not where a server would find what is about to go.
const drafts = await mkdtemp(join(target, "..", ".web-"));
try {
  for (const [name, content] of assets) {
    if (!present.has(name)) await writeWhole(join(assetFolder, name), content);
  }
  await writeWhole(join(target, "index.html"), html);
  await writeWhole(join(target, "service-worker.js"), serviceWorker);
} finally {
  await rm(drafts, { recursive: true });
}
for (const name of present) {
  if (!assets.has(name)) await rm(join(assetFolder, name), { force: true });
}

/** @returns {Promise<Record<string, string>>} the icons' file names to their addresses */
async function addIcons() {
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
 * The page's script is three files: what every opening needs, the views that it seldom begins with, and what both use.
 * @param {Record<string, string>} define what stands in the source for what only the build knows
 * @returns {Promise<{ script: string, style: string, shared: string }>} addresses
 */
async function bundle(define) {
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
  /** @param {string} entry */
  const madeOf = (entry) => {
    const found = outputs.find(([, { entryPoint }]) => entryPoint === entry);
    if (found === undefined) throw new Error(`esbuild made nothing of ${entry}`);
    return found;
  };
  const [script, { imports }] = madeOf("main.tsx");
  const [shared, ...more] = imports.filter(({ kind }) => kind === "import-statement");
  if (shared === undefined || more.length > 0) throw new Error(`${script} needs ${more.length + 1} files`);
  const [style] = madeOf("style/app.css");
  for (const { path, contents } of outputFiles) assets.set(basename(path), contents);
  /** @param {string} file */
  const address = (file) => `/assets/${basename(file)}`;
  return { script: address(script), style: address(style), shared: address(shared.path) };
}

/**
 * Bundles the worker that keeps the page's files in the browser.
 * @param {string} page index.html, whose content changes with every build that changes anything
 * @returns {Promise<Uint8Array>}
 */
function buildServiceWorker(page) {
  const files = [...assets.keys()].map((file) => `/assets/${file}`);
  return bundleWorker("worker/service-worker.ts", {
    ASSETS: JSON.stringify(files),
    VERSION: JSON.stringify(hashOf(page)),
  });
}

/**
 * @param {string} entry
 * @param {Record<string, string>} define
 * @returns {Promise<Uint8Array>}
 */
async function bundleWorker(entry, define) {
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

/**
 * Names a file by its content.
 * @param {string} name
 * @param {string} extension
 * @param {string | Uint8Array} content
 * @returns {string} its address on the server
 */
function addAsset(name, extension, content) {
  const file = `${name}-${hashOf(content)}.${extension}`;
  assets.set(file, content);
  return `/assets/${file}`;
}

/** @param {string | Uint8Array} content */
function hashOf(content) {
  return hash("sha256", content).slice(0, HASH_DIGITS);
}

/**
 * Puts values in the place of %names%.
 * @param {string} template
 * @param {Record<string, string>} values
 */
function fill(template, values) {
  return template.replace(/%([\w.-]+)%/g, (_, name) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`the template asks for %${name}%, which the build does not make`);
    return value;
  });
}

/**
 * Writes a file elsewhere and renames it, so that a reader never sees half of it.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
async function writeWhole(path, content) {
  const draft = join(drafts, basename(path));
  await writeFile(draft, content);
  await rename(draft, path);
}
