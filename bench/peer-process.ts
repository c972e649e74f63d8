import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { endOf, environmentFor, type Server, type ServerSetting } from "./server.ts";

/** Starts one of the servers that flanco is measured against (floor.ts, echo.ts) in a process of its own. */
export async function startPeer(name: "floor" | "echo", setting: ServerSetting): Promise<Server> {
  mkdirSync(setting.directory, { recursive: true });
  const file = join(setting.directory, `${name}.db`);
  const child = fork(join(import.meta.dirname, `${name}.ts`), [file], { env: environmentFor(setting) });
  const ended = endOf(child, name);
  const started = once(child, "message") as Promise<[number]>;
  const first = await Promise.race([started, ended]);
  if (first === undefined) throw new ScriptFailure(`${name} ended before it listened`);
  return {
    name,
    pid: Number(child.pid),
    port: first[0],
    cookie: "",
    postPath: "/data",
    file,
    acknowledged: 0,
    unanswered: 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
