import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { endOf, environmentFor, type Server, type ServerSetting } from "./server.ts";

/** Starts the floor server in a process of its own. */
export async function startFloor(setting: ServerSetting): Promise<Server> {
  mkdirSync(setting.directory, { recursive: true });
  const file = join(setting.directory, "floor.db");
  const child = fork(join(import.meta.dirname, "floor.ts"), [file], { env: environmentFor(setting) });
  const ended = endOf(child, "floor");
  const started = once(child, "message") as Promise<[number]>;
  const first = await Promise.race([started, ended]);
  if (first === undefined) throw new ScriptFailure("floor ended before it listened");
  return {
    name: "floor",
    port: first[0],
    cookie: "",
    postPath: "/data",
    file,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
