#!/usr/bin/env node
// The only entry. Plain JavaScript, because an older Node must be able to read it in order to say
// that it is too old, before TypeScript or an addon makes it crash.
import { requireRuntime } from "./runtime.mjs";

requireRuntime();
const { main } = await import("../src/main.ts");
await main(process.argv.slice(2));
