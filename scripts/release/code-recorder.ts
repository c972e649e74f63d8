// Loaded before the program, in each of its threads (node --require): the program takes itself for a sealed one, whose parts are
// files here, and at its end what V8 compiled of each part is written.
//
//   SEALED_PARTS   a JSON file of the parts' paths by their names
//   CODE_CACHES    where each script's cache goes, by the script's name
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import sea from "node:sea";
import v8 from "node:v8";
import vm from "node:vm";

const { SEALED_PARTS = "", CODE_CACHES = "" } = process.env;
const parts = JSON.parse(readFileSync(SEALED_PARTS, "utf8")) as Readonly<Record<string, string>>;
const scripts = new Map<string, vm.Script>();

function pathOf(name: string): string {
  const path = parts[name];
  if (path === undefined) throw new Error(`The program has no part ${name}.`);
  return path;
}

class RecordedScript extends vm.Script {
  constructor(source: string, options: vm.ScriptOptions = {}) {
    super(source, options);
    if (options.filename !== undefined) scripts.set(options.filename, this);
  }
}

Object.assign(vm, { Script: RecordedScript });
Object.assign(sea, {
  isSea: () => true,
  getAssetKeys: () => Object.keys(parts),
  getAsset: (name: string) => readFileSync(pathOf(name), "utf8"),
  getRawAsset: (name: string) => new Uint8Array(readFileSync(pathOf(name))).buffer,
});
// A cache is for the options that V8 has when it is made.
Object.assign(v8, { setFlagsFromString: () => {} });

process.on("exit", () => {
  for (const [name, script] of scripts) {
    const file = join(CODE_CACHES, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, script.createCachedData());
  }
});
