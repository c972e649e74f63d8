// What the sealed program and each of its threads run first. A thread's argument names the part that it is.
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";
import { sealedModule } from "./assets.ts";

// The program's threads, too, ignore the NODE_OPTIONS that it was started with.
delete process.env["NODE_OPTIONS"];
const part = isMainThread ? "main" : process.argv.at(-1);
sealedModule(String(part), createRequire(import.meta.url));
