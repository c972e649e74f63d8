import { registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Patch, patched } from "../../scripts/patch.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const SYNC_FILES = new URL("sync-files.ts", import.meta.url).href;
/** What these modules import of Node has a place in the simulation's own time. */
const SIMULATED: Readonly<Record<string, string>> = {
  "src/ledger/safety/tail.ts": "node:fs/promises",
  "src/ledger/engine/committer.ts": "node:fs",
  "src/gpio/chardev.ts": "node:timers/promises",
  "src/gpio/line-descriptor.ts": "node:timers/promises",
};

/** From here on modules are loaded for a simulation, with these changes of the sources. */
export function simulateModules(patches: readonly Patch[]): void {
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
