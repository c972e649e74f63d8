import type { Database } from "better-sqlite3";
import type { WriteContext } from "./command.ts";
import { deviceCommands } from "./device.ts";
import { lineCommands } from "./line.ts";
import { locationCommands } from "./location.ts";
import { recordCommands } from "./record.ts";
import { userCommands } from "./user.ts";
import { wiringCommands } from "./wiring.ts";

/** Every write there is, each taking one input that can cross a thread. Throws FlancoError. */
export function allCommands(db: Database, context: WriteContext) {
  return {
    ...userCommands(db, context),
    ...locationCommands(db, context),
    ...deviceCommands(db, context),
    ...recordCommands(db, context),
    ...wiringCommands(db, context),
    ...lineCommands(db, context),
  };
}

export type Commands = ReturnType<typeof allCommands>;
export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = Parameters<Commands[N]>[0];
export type CommandOutput<N extends CommandName> = ReturnType<Commands[N]>;
