// Builds the program from src into dist/program: a few files that start several times faster than the sources do, and
// need nothing but Node.
//
//   node scripts/bundle.ts [FOLDER]
//
//   flanco.mjs       the entry: what bin/flanco.mjs is in a checkout
//   main.cjs         the program
//   *-thread.cjs     its threads and the process of a job, as src/platform/thread.ts finds them
//   job-process.cjs
//   addon/           the native addons, for this machine's processor
//   package.json     the version
//   demo/ web/       the demonstration's trace, and the page where it was built before (npm run build:web)
//
// Run from here the program takes itself for an installed one: its defaults are those of an appliance.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { JOB_PROCESS, THREAD_SOURCES } from "../src/platform/thread.ts";
import { epollFile } from "./epoll.ts";
import { type Patch, patched } from "./patch.ts";

type Architecture = "x64" | "arm64";

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

const SHARED = {
  absWorkingDir: root,
  assetNames: "addon/[name]",
  bundle: true,
  platform: "node" as const,
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  loader: { ".node": "copy" as const },
  logLevel: "warning" as const,
};
/**
 * The program's format is CommonJS: importing Node's own modules calls every getter that they have, and node:http
 * alone then loads its whole client, a tenth of a start. These stand for what a module asks of itself.
 */
const COMMON_JS = {
  format: "cjs" as const,
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
  format: "esm" as const,
  outExtension: { ".js": ".mjs" },
  banner: {
    js: `import { createRequire as flancoCreateRequire } from "node:module";
const require = flancoCreateRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;`,
  },
};

/**
 * Packages that src imports where it needs them, by the library that holds them in the sealed program: most services need
 * none. What is in main.cjs every process holds twice, as mapped pages and as V8's string, and these are half of the
 * whole. Packages of one library share their modules.
 */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  certificates: ["reflect-metadata", "@peculiar/x509", "@peculiar/asn1-schema", "@peculiar/asn1-x509"],
  mail: ["nodemailer"],
  metrics: ["prom-client"],
  mqtt: ["mqtt"],
  postgres: ["pg"],
  spreadsheet: ["yazl"],
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

const USED_TYPES = [
  ...["text/html", "text/plain", "text/css", "text/csv", "text/javascript", "text/event-stream"],
  ...["application/json", "application/javascript", "application/octet-stream", "application/manifest+json"],
  ...["application/x-www-form-urlencoded", "multipart/form-data"],
  ...["image/svg+xml", "image/png", "font/woff2"],
];

const SEALED_ENTRY = `const command = process.argv[2];
if (command === "${JOB_PROCESS}") require("./src/${JOB_PROCESS}.ts");
else {
  // Its thread loads while this one does: that is a third of a start.
  if (command === "serve") require("./src/ledger/engine/writer.ts").startWriterAhead();
  void require("./src/main.ts").main(process.argv.slice(2));
}
`;

/** Builds the program into a folder, in place of what the folder held. `patches` change its sources, for a control. */
export async function bundleProgram(folder: string, patches: readonly Patch[] = []): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sources = [...Object.values(THREAD_SOURCES), JOB_PROCESS];
  const threads = sources.map((source) => [basename(source), join(root, "src", `${source}.ts`)]);
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

/** Bundles scripts, by their names, with all that they import, addons beside them, into NAME.mjs. */
export async function bundle(folder: string, sources: Readonly<Record<string, string>>): Promise<void> {
  await build({
    ...SHARED,
    ...MODULE,
    entryPoints: { ...sources },
    outdir: folder,
    plugins: [packages()],
  });
}

/**
 * Bundles what is sealed into one file (scripts/release): start.cjs, which runs the others, main.cjs, which is the command line,
 * each thread, and each library.
 * Addons are no files of it: src/platform/sealed/addon.ts loads them. `patches` change its sources, for a test's other version.
 */
export async function bundleSealed(
  folder: string,
  arch: Architecture,
  patches: readonly Patch[] = [],
): Promise<void> {
  const threads = Object.values(THREAD_SOURCES).map((source) => [source, join(root, "src", `${source}.ts`)]);
  const libraries = Object.keys(LIBRARIES).map((name) => [`library/${name}`, `library:${name}`]);
  await build({
    ...SHARED,
    ...COMMON_JS,
    entryPoints: {
      start: join(root, "src", "platform", "sealed", "start.ts"),
      main: "sealed-entry",
      ...Object.fromEntries([...threads, ...libraries]),
    },
    outdir: folder,
    plugins: [sealedEntry(), sealedAddons(), sealedLibraries(), packages(arch), patcher(patches)],
  });
}

/** Each addon's file, by its name in the sealed program. `modules` is for that processor, with epoll compiled for it. */
export function addonFiles(arch: Architecture, modules = join(root, "node_modules")) {
  return {
    sqlite: join(modules, "better-sqlite3", "prebuilds", `linux-${arch}.node`),
    epoll: epollFile(modules),
    koffi: join(modules, "@koromix", `koffi-linux-${arch}`, `linux_${arch}`, "koffi.node"),
  };
}

/** What the sealed file runs. */
function sealedEntry(): Plugin {
  return {
    name: "sealed entry",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^sealed-entry$/ }, ({ path }) => ({ path, namespace: "entry" }));
      onLoad({ filter: /^/, namespace: "entry" }, () => ({ contents: SEALED_ENTRY, resolveDir: root }));
    },
  };
}

/** Puts the sealed program's loader in the place of each package's own. */
function sealedAddons(): Plugin {
  return {
    name: "sealed addons",
    setup({ onResolve, onLoad }) {
      const sealed = (path: string) => ({ path, namespace: "sealed" });
      onResolve({ filter: /^\.\.\/prebuilds\/.*\.node$/ }, () => sealed("sqlite"));
      onResolve({ filter: /^bindings$/ }, () => sealed("epoll"));
      // What koffi asks first swallows every error, and then it looks for the addon in folders around the program.
      onResolve({ filter: /^\.\/src\/static\.cjs$/ }, () => sealed("koffi"));
      onLoad({ filter: /^/, namespace: "sealed" }, ({ path }) => {
        const load = `require("./src/platform/sealed/addon.ts").loadAddon("${path}")`;
        const contents = {
          sqlite: `module.exports = ${load};`,
          epoll: `module.exports = () => ${load};`,
          koffi: `module.exports = { loadStatic: () => ${load} };`,
        }[path];
        return { contents: contents ?? "", resolveDir: root };
      });
    },
  };
}

/** Makes each library, and puts it in the place of its packages where src imports these. */
function sealedLibraries(): Plugin {
  const libraryOf = new Map(
    Object.entries(LIBRARIES).flatMap(([library, names]) => names.map((name) => [name, library] as const)),
  );
  return {
    name: "sealed libraries",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^library:/ }, ({ path }) => ({ path, namespace: "library" }));
      onLoad({ filter: /^/, namespace: "library" }, ({ path }) => {
        const names = LIBRARIES[path.slice("library:".length)] ?? [];
        const members = names.map((name) => `"${name}": require("${name}")`);
        return { contents: `module.exports = { ${members.join(", ")} };`, resolveDir: root };
      });
      onResolve({ filter: /^sealed-library:/ }, ({ path }) => ({ path, namespace: "sealed library" }));
      onLoad({ filter: /^/, namespace: "sealed library" }, ({ path }) => {
        const part = `library/${path.slice("sealed-library:".length)}`;
        const contents = `module.exports = require("./src/platform/sealed/assets.ts").sealedModule("${part}", require);`;
        return { contents, resolveDir: root };
      });
      onResolve({ filter: /^/ }, ({ path, kind }) =>
        kind === "dynamic-import" && libraryOf.has(path) ? { path, namespace: "package" } : undefined,
      );
      onLoad({ filter: /^/, namespace: "package" }, ({ path }) => ({
        contents: `module.exports = require("sealed-library:${libraryOf.get(path)}")["${path}"];`,
        resolveDir: root,
      }));
    },
  };
}

/**
 * What packages do to be at home everywhere, done once: each addon is named by its own file, where its package would
 * look for it at run time.
 */
function packages(arch: Architecture = process.arch === "arm64" ? "arm64" : "x64"): Plugin {
  const platform = `linux-${arch}`;
  const sqlite = require.resolve(`better-sqlite3/${platform}`);
  const { epoll, koffi } = addonFiles(arch);
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
      // Bodies are UTF-8: tables of sixty other encodings would take a fifth of the program.
      onLoad({ filter: /\/iconv-lite\/encodings\/index\.js$/ }, () => ({
        contents: 'module.exports = require("./internal");',
      }));
      // By a package that compares versions these ask whether Node is new enough. This program's is.
      onLoad({ filter: /\/jsonwebtoken\/lib\/\w+Supported\.js$/ }, () => ({
        contents: "module.exports = true;",
      }));
      onLoad({ filter: /\/mime-db\/db\.json$/ }, ({ path }) => ({
        contents: usedTypes(path),
        loader: "json",
      }));
      onLoad({ filter: /^/, namespace: "absent" }, () => ({ contents: "module.exports = null;" }));
      onLoad({ filter: /^/, namespace: "addon" }, ({ pluginData }) => ({
        // A machine without a compiler has none: the driver that needs it says so.
        contents: existsSync(pluginData)
          ? `module.exports = () => require(${JSON.stringify(pluginData)});`
          : 'throw new Error("epoll was not compiled when this program was built");',
        resolveDir: root,
      }));
    },
  };
}

/** Of the media types in mime-db's file, those that the program sends or is sent: all of them would take a fifth of it. */
function usedTypes(file: string): string {
  const types = JSON.parse(readFileSync(file, "utf8"));
  return JSON.stringify(Object.fromEntries(USED_TYPES.map((name) => [name, types[name]])));
}

function patcher(patches: readonly Patch[]): Plugin {
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

if (import.meta.main) await bundleProgram(process.argv[2] ?? join(root, "dist", "program"));
