import type { ChildProcess } from "node:child_process";
import { ScriptFailure } from "../scripts/command.ts";
import type { ServerSetting } from "./server.ts";

/** The environment of a server: this process's own, without any setting of flanco's. */
export function environmentFor(setting: ServerSetting): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FLANCO_"));
  return {
    ...Object.fromEntries(inherited),
    ...(setting.preload === undefined ? {} : { LD_PRELOAD: setting.preload }),
  };
}

/** Arguments for Node itself. */
export function nodeArguments(setting: ServerSetting): string[] {
  return setting.profiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${setting.profiles}`];
}

/** The end of a process. Attach at its start: rejects with ScriptFailure when it ends other than with 0. */
export function endOf(child: ChildProcess, name: string): Promise<void> {
  const end = new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(new ScriptFailure(`${name}: ${error.message}`)));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new ScriptFailure(`${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
  // The caller that awaits it gets the error; until then it must not count as unhandled.
  end.catch(() => {});
  return end;
}
