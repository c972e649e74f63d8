import type { Database } from "better-sqlite3";
import { archiveCommands } from "./archive.ts";
import { auditCommands } from "./audit.ts";
import type { BootNote } from "./boot.ts";
import type { WriteContext } from "./command.ts";
import { correctionCommands } from "./correction.ts";
import { deviceCommands } from "./device.ts";
import { lineCommands } from "./line.ts";
import { locationCommands } from "./location.ts";
import { purgeCommands } from "./purge.ts";
import { recordCommands } from "./record.ts";
import { userCommands } from "./user.ts";
import { wiringCommands } from "./wiring.ts";

/** Every write there is, each taking one input that can cross a thread. Throws FlancoError. */
export function allCommands(db: Database, context: WriteContext) {
  return {
    // Nothing but the transaction around it: proof that the thread still commits.
    ping: (_nothing: undefined): void => {},
    ...userCommands(db, context),
    ...locationCommands(db, context),
    ...deviceCommands(db, context),
    ...recordCommands(db, context),
    ...correctionCommands(db, context),
    ...wiringCommands(db, context),
    ...lineCommands(db, context),
    noteBoot: (note: BootNote): void => context.boots.note(note),
    ...purgeCommands(db, context),
    ...archiveCommands(db, context),
    ...auditCommands(context),
  };
}

export type Commands = ReturnType<typeof allCommands>;
export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = Parameters<Commands[N]>[0];
export type CommandOutput<N extends CommandName> = ReturnType<Commands[N]>;
