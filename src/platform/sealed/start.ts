// The sealed program and each of its threads run this first. A thread's argument names its part.
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";
import { sealedModule } from "./assets.ts";

// The program and its threads ignore NODE_OPTIONS.
delete process.env["NODE_OPTIONS"];
const part = isMainThread ? "main" : process.argv.at(-1);
sealedModule(String(part), createRequire(import.meta.url));
