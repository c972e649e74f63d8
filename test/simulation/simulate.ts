import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Patch, patched } from "../../scripts/patch.ts";
import { SIMULATED_CONTROLS } from "./controls.ts";
import type { History, Step } from "./history.ts";

/** The exit code where a history went wrong: another one than that of a simulation which fails itself. */
const FOUND = 3;

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const SYNC_FILES = new URL("sync-files.ts", import.meta.url).href;
/** What these modules import of Node has a place in the simulation's own time. */
const SIMULATED: Readonly<Record<string, string>> = {
  "src/ledger/safety/tail.ts": "node:fs/promises",
  "src/ledger/engine/committer.ts": "node:fs",
  "src/gpio/chardev.ts": "node:timers/promises",
  "src/gpio/line-descriptor.ts": "node:timers/promises",
};

/**
 * Runs histories until one fails, and prints that with its seed, as short as it can be made:
 * `node test/simulation/simulate.ts --from 1 --count 1000`. With `--control NAME` the program lacks a protection.
 */
const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    control: { type: "string" },
  },
});
const [from, count] = [Number(values.from), Number(values.count)];
const controls: Readonly<Record<string, (typeof SIMULATED_CONTROLS)[keyof typeof SIMULATED_CONTROLS]>> =
  SIMULATED_CONTROLS;
const patches = values.control === undefined ? [] : controls[values.control];
if (patches === undefined) throw new Error(`There is no control "${values.control}".`);

process.umask(0o077);
simulateModules(patches);
const { makeTemplate } = await import("./template.ts");
const { World } = await import("./world.ts");
const { historyOf } = await import("./history.ts");
// A file system in memory, where a sync costs nothing: what a power cut takes the histories say themselves.
const MEMORY = "/dev/shm";
const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "flanco-simulation-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const template = await makeTemplate(directory);

/** From here on modules are loaded for a simulation, with these changes of the sources. */
function simulateModules(patches: readonly Patch[]): void {
  registerHooks({
    resolve(specifier, context, next) {
      const from = context.parentURL?.startsWith("file:")
        ? relative(CHECKOUT, fileURLToPath(context.parentURL))
        : "";
      return SIMULATED[from] === specifier
        ? { url: SYNC_FILES, shortCircuit: true }
        : next(specifier, context);
    },
    load(url, context, next) {
      const file = url.startsWith("file:") ? relative(CHECKOUT, fileURLToPath(url)) : "";
      const loaded = next(url, context);
      if (!patches.some((patch) => patch.file === file)) return loaded;
      return { ...loaded, source: patched(file, String(loaded.source), patches) };
    },
  });
}

function run(history: History): Promise<readonly string[]> {
  return new World(history, template, directory).run();
}

/** Leaves steps out, fewer and fewer at once, as long as something is wrong. */
async function shortened(history: History): Promise<History> {
  let steps: readonly Step[] = history.steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < steps.length; ) {
      const fewer = steps.toSpliced(at, size);
      if ((await run({ ...history, steps: fewer })).length > 0) steps = fewer;
      else at += size;
    }
  }
  return { ...history, steps };
}

for (let seed = from; seed < from + count; seed += 1) {
  const found = await run(historyOf(seed));
  if (found.length === 0) continue;
  const { steps, ...settings } = await shortened(historyOf(seed));
  const wrong = await run({ ...settings, steps });
  console.log(`After ${seed - from + 1} histories: ${JSON.stringify(settings)}`);
  for (const step of steps) console.log(`  ${JSON.stringify(step)}`);
  // What is found once and not again depends on more than the history: a fault of the simulation.
  console.log((wrong.length > 0 ? wrong : ["Not repeated:", ...found]).join("\n"));
  process.exit(FOUND);
}
console.log(`${count} histories are as they must be.`);
process.exit(0);
