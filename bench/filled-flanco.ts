import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { fillLedger } from "./fill.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";

/** Starts flanco in a folder of this run with a ledger of so many records. Throws ScriptFailure when it does not hold them. */
export async function startFilled(plan: Plan, name: string, records: number): Promise<Server> {
  const setting = { directory: join(plan.directory, name), profiles: plan.profiles };
  const password = prepareFlanco(setting);
  await fillLedger(setting.directory, records);
  const verified = verifyFlanco(setting);
  if (verified.records !== records) {
    throw new ScriptFailure(`filled with ${records} records, the ledger holds ${verified.records}`);
  }
  return startFlanco(setting, password);
}
