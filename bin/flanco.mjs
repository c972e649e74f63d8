#!/usr/bin/env node
// The only entry. Plain JavaScript, because an older Node must be able to read it in order to say
// that it is too old, before TypeScript or an addon makes it crash.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { requireRuntime } from "./runtime.mjs";

requireRuntime();
// Compiled sources are kept: a command starts in half the time. Where this cannot be written, it just starts.
const cache = fileURLToPath(new URL("../node_modules/.cache/flanco", import.meta.url));
module.enableCompileCache(cache);
// Threads look for it here when they start.
process.env["NODE_COMPILE_CACHE"] ??= cache;
const { main } = await import("../src/main.ts");
await main(process.argv.slice(2));
