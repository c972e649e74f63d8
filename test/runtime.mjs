// node_modules/.bin/mocha started directly runs under the system's Node: say so instead of crashing.
import { requireRuntime } from "../bin/runtime.mjs";

requireRuntime();
