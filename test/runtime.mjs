// node_modules/.bin/mocha started directly runs under the system's Node: say so instead of crashing.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { requireRuntime } from "../bin/runtime.mjs";

requireRuntime();
// As bin/flanco.mjs does, so that a thread starts in half the time.
const cache = fileURLToPath(new URL("../node_modules/.cache/flanco", import.meta.url));
module.enableCompileCache(cache);
process.env["NODE_COMPILE_CACHE"] ??= cache;
// The program refuses a data directory that others may read: what tests put there is private, as what it makes itself.
process.umask(0o077);
