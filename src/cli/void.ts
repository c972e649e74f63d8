import { voidRecord } from "../contract/record.ts";
import { ACCOUNT, type CommandTable, command, needed, toCount } from "./command.ts";

/** `flanco void`: voids a record. */
export const commands: CommandTable = [
  command(
    "void",
    "take a record back: it stays to be seen, with the reason, and counts in no sum any more",
    {
      record: needed("<record>", "number of the record", toCount),
      reason: needed("--reason <text>", "why, for later readers of the ledger"),
      account: ACCOUNT,
    },
    "flanco void 734027465182 --reason 'relay tested'",
    async ({ record, reason, account }, call) => {
      await call.ask(voidRecord, { body: { void: { recordId: record, reason } } }, account);
      call.terminal.out(`The record ${record} is void and counts no more.`);
    },
  ),
];
