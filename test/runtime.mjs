// node_modules/.bin/mocha started directly runs under the system's Node: say so instead of crashing.
import { requireRuntime } from "../bin/runtime.mjs";

requireRuntime();
// The program refuses a data directory that others may read: what tests put there is private, as what it makes itself.
process.umask(0o077);
