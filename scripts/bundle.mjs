// Builds the program from src into dist/program: a few files that start several times faster than the sources do, and
// need nothing but Node.
//
//   node scripts/bundle.mjs [FOLDER]
//
//   flanco.mjs       the entry: what bin/flanco.mjs is in a checkout
//   main.cjs         the program
//   store/ auth/     its threads, as src/thread.ts finds them
//   addon/           the native addons, for this machine's processor
//   package.json     the version
//   demo/ web/       the demonstration's trace, and the page where it was built before (npm run build:web)
//
// Run from here the program takes itself for an installed one: its defaults are those of an appliance.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { requireRuntime } from "../bin/runtime.mjs";

requireRuntime();
const { THREAD_SOURCES } = await import("../src/thread.ts");
const { patched } = await import("./patch.ts");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

const SHARED = {
  absWorkingDir: root,
  assetNames: "addon/[name]",
  bundle: true,
  platform: /** @type {const} */ ("node"),
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  loader: { ".node": /** @type {const} */ ("copy") },
  logLevel: /** @type {const} */ ("warning"),
};
/**
 * The program's format is CommonJS: importing Node's own modules calls every getter that they have, and node:http
 * alone then loads its whole client, a tenth of a start. These stand for what a module asks of itself.
 */
const COMMON_JS = {
  format: /** @type {const} */ ("cjs"),
  outExtension: { ".js": ".cjs" },
  define: {
    "import.meta.dirname": "__dirname",
    "import.meta.filename": "__filename",
    "import.meta.url": "flancoUrl",
  },
  banner: { js: 'const flancoUrl = require("node:url").pathToFileURL(__filename).href;' },
};
/** A script may wait at its top, which only a module can; packages of CommonJS in it expect what a module has not. */
const MODULE = {
  format: /** @type {const} */ ("esm"),
  outExtension: { ".js": ".mjs" },
  banner: {
    js: `import { createRequire as flancoCreateRequire } from "node:module";
const require = flancoCreateRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;`,
  },
};

/** Compiled sources are kept beside the program where it may write there; portable, so that they may be made elsewhere. */
const ENTRY = `import { createRequire, enableCompileCache } from "node:module";
import { join } from "node:path";
const directory = join(import.meta.dirname, ".cache");
enableCompileCache({ directory, portable: true });
// Threads look for it here when they start.
process.env.NODE_COMPILE_CACHE ??= directory;
process.env.NODE_COMPILE_CACHE_PORTABLE ??= "1";
const { main } = createRequire(import.meta.url)("./main.cjs");
await main(process.argv.slice(2));
`;

/**
 * Builds the program into a folder, which is made anew.
 * @param {string} folder
 * @param {readonly import("./patch.ts").Patch[]} [patches] changes of its sources, for a control
 */
export async function bundleProgram(folder, patches = []) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const threads = Object.values(THREAD_SOURCES).map((source) => [source, join(root, "src", `${source}.ts`)]);
  const main = join(root, "src", "main.ts");
  await build({
    ...SHARED,
    ...COMMON_JS,
    entryPoints: { main, ...Object.fromEntries(threads) },
    outdir: folder,
    plugins: [packages(), patcher(patches)],
  });
  writeFileSync(join(folder, "flanco.mjs"), ENTRY);
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version })}\n`);
  cpSync(join(root, "demo"), join(folder, "demo"), { recursive: true });
  const page = join(root, "dist", "web");
  if (existsSync(page)) cpSync(page, join(folder, "web"), { recursive: true });
}

/**
 * Bundles scripts with all that they import, addons beside them, into NAME.mjs.
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} sources by their names
 */
export async function bundle(folder, sources) {
  await build({
    ...SHARED,
    ...MODULE,
    entryPoints: { ...sources },
    outdir: folder,
    plugins: [packages()],
  });
}

/**
 * What packages do to be at home everywhere, done once: each addon is named by its own file, where its package would
 * look for it at run time.
 * @returns {import("esbuild").Plugin}
 */
function packages() {
  const platform = `linux-${process.arch}`;
  const sqlite = require.resolve(`better-sqlite3/${platform}`);
  const epoll = join(dirname(require.resolve("epoll")), "build", "Release", "epoll.node");
  const koffi = join(
    root,
    "node_modules",
    "@koromix",
    `koffi-${platform}`,
    `linux_${process.arch}`,
    "koffi.node",
  );
  return {
    name: "packages",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: sqlite }));
      // Its loader for modules looks for the addon in ways that no bundler follows.
      onResolve({ filter: /^koffi$/ }, () => ({ path: require.resolve("koffi") }));
      onResolve({ filter: /^@koromix\// }, ({ path }) =>
        path === `@koromix/koffi-${platform}` ? { path: koffi } : { path, namespace: "absent" },
      );
      onResolve({ filter: /^bindings$/ }, ({ path }) => ({ path, namespace: "addon", pluginData: epoll }));
      // Schemas that speak fifty languages, of which none is used but the one that zod takes by its own path.
      onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: "absent" }));
      onLoad({ filter: /^/, namespace: "absent" }, () => ({ contents: "module.exports = null;" }));
      onLoad({ filter: /^/, namespace: "addon" }, ({ pluginData }) => ({
        contents: `module.exports = () => require(${JSON.stringify(pluginData)});`,
        resolveDir: root,
      }));
    },
  };
}

/**
 * @param {readonly import("./patch.ts").Patch[]} patches
 * @returns {import("esbuild").Plugin}
 */
function patcher(patches) {
  return {
    name: "patches",
    setup({ onLoad }) {
      if (patches.length === 0) return;
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const file = relative(root, path);
        return { contents: patched(file, readFileSync(path, "utf8"), patches), loader: "ts" };
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundleProgram(process.argv[2] ?? join(root, "dist", "program"));
}
