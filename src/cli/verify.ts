import { InvalidArgumentError } from "commander";
import { acknowledgeFindings } from "../contract/operator.ts";
import { checkSettlement } from "../contract/settlement.ts";
import { FlancoError } from "../domain/error.ts";
import { becomeOwner, dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import { beginJob } from "../ledger/engine/job.ts";
import { type Finding, joinedKeys } from "../ledger/safety/finding.ts";
import { markSuspect } from "../ledger/safety/prepare.ts";
import { findEntry, openFindings, type Verification } from "../ledger/safety/verify.ts";
import { presentDirectories } from "../service/backup-target.ts";
import { ACCOUNT, AS_JSON, type Call, type CommandTable, command, optional, type Values } from "./command.ts";

const HELP = `
It lists entries that are missing, altered or inserted, corrections that contradict what they
correct, sums that do not follow from the records, and backups that have another past, each with
the sales that it is about. What is listed stays so until the owner acknowledges it: that is an
entry of the ledger, with the name, for exactly these findings.

Each report shows the ledger's fingerprint, as hexadecimal digits and as a QR code. With --head the
check also says whether that entry is in the ledger: then nothing before it was changed since.

With --settlement it makes the figures of a closed month anew from the records, as they were when it was closed.

Exit codes: 0 the ledger is right, 1 its file is damaged, 3 something needs attention.

Examples:
  flanco verify
  flanco verify --head 3f5c0a9d8e7b6a51
  flanco verify --settlement 3f5c0a9d8e7b6a51 --net 3642.50
  flanco verify --acknowledge 'Ana Ruiz' --reason 'card replaced on 3 May'`;

const TAKES = {
  acknowledge: optional("--acknowledge <name>", "put on record that this owner knows of what is found"),
  reason: optional("--reason <text>", "what explains it, with --acknowledge", String, ""),
  head: optional(
    "--head <hash>",
    "also look for this fingerprint of a report; its first 16 digits suffice",
    toHead,
  ),
  settlement: optional(
    "--settlement <paper>",
    "hold a signed settlement to the ledger instead: the fingerprint or the number of its entry",
  ),
  net: optional("--net <amount>", "what that paper settles in all", String),
  account: ACCOUNT,
  json: AS_JSON,
};

/** `flanco verify`: is the ledger as it was written, and does it say what its records say? */
export const commands: CommandTable = [
  command(
    "verify",
    "check the ledger's file in full, its chain, its sums, and that its backups have the same past",
    TAKES,
    HELP,
    verify,
  ),
];

async function verify(given: Values<typeof TAKES>, call: Call): Promise<void> {
  const { terminal } = call;
  const { json, acknowledge: name, reason, head, settlement, net, account } = given;
  if (settlement !== undefined) {
    await checkPaper(call, { paper: settlement, net, json }, account);
    return;
  }
  const { ledger } = dataDirectoryOf(call.config().data_dir);
  // A start reads a part of the file alone: damage elsewhere would not show there.
  const mark = () => markSuspect(ledger, { error: (_details, text) => terminal.err(text) });
  const result = await check(call).catch((error: unknown) => {
    if (error instanceof FlancoError && error.code === "damaged") mark();
    throw error;
  });
  const entry = head === undefined ? undefined : findEntry(ledger, head);
  const { copies } = result;
  if (json) terminal.json(head === undefined ? result : { ...result, head: entry ?? null });
  if (result.damage.length > 0) {
    mark();
    throw damaged(result.damage);
  }
  const open = openFindings(result);
  if (name !== undefined && open.length > 0) {
    await acknowledge(call, result, { name, reason, json });
    return;
  }
  if (open.length + copies.length > 0) throw attention(open, result.unlisted, copies);
  if (head !== undefined && entry === undefined) throw unknownHead(head);
  if (json) return;
  terminal.out(describeRight(result));
  if (entry !== undefined) terminal.out(`${entry.hash} is entry ${entry.position} of ${result.entries}.`);
}

/** Holds a paper to the ledger, by its fingerprint or number, and its amount. Throws `attention` where it is not right. */
async function checkPaper(
  call: Call,
  given: { readonly paper: string; readonly net: string | undefined; readonly json: boolean },
  account: string | undefined,
): Promise<void> {
  const { paper, net, json } = given;
  const which = /^\d{1,15}$/.test(paper) ? { number: paper } : { hash: paper };
  const { data } = await call.ask(checkSettlement, { query: { ...which, net } }, account);
  const { found, differences, netIsRight } = data;
  if (found === null) {
    throw new FlancoError("attention", "The ledger has no such settlement.", {
      hint: "The digits are mistyped, or the paper is of another gateway.",
    });
  }
  call.terminal.show(json, data, [
    `It is the settlement of ${found.month}, entry ${found.number}: ${data.net}`,
    ...differences.map(
      ({ part, name, settled, ledger }) =>
        `${part} ${name}: the settlement says ${settled}, the records ${ledger}`,
    ),
  ]);
  if (netIsRight === false) throw new FlancoError("attention", "The paper's amount is another one.");
  if (differences.length > 0) throw new FlancoError("attention", "The ledger's records say otherwise.");
}

async function acknowledge(
  call: Call,
  result: Verification,
  { name, reason, json }: { readonly name: string; readonly reason: string; readonly json: boolean },
): Promise<void> {
  const open = openFindings(result);
  const body = { name, reason, findings: joinedKeys(open) };
  await call.ask(acknowledgeFindings, { body });
  const lines = [...open.map(describe), `Acknowledged by ${name}: ${open.length}.`];
  if (!json) call.terminal.out(lines.join("\n"));
  if (result.unlisted > 0) throw attention([], result.unlisted);
}

function unknownHead(head: string): FlancoError {
  return new FlancoError("attention", `No entry of this ledger has the fingerprint ${head}.`, {
    hint: "The digits are mistyped, the report is of another gateway, or entries were made anew since. Compare the backups of that time: flanco verify holds their heads against the ledger.",
  });
}

function toHead(text: string): string {
  const digits = text.replaceAll(/[\s:]/g, "").toLowerCase();
  if (!/^[0-9a-f]{16,64}$/.test(digits)) {
    throw new InvalidArgumentError("It must be at least 16 hexadecimal digits.");
  }
  return digits;
}

async function check(call: Call): Promise<Verification & { readonly copies: readonly string[] }> {
  const config = call.config();
  const { ledger } = becomeOwner(config.data_dir);
  const job = beginJob("verify", { ledger, directories: presentDirectories(config) }, ({ done, total }) =>
    call.terminal.progress("Checking the records", done, total),
  );
  return job.done;
}

function describeRight({ records, findings }: Verification): string {
  const known = findings.length === 0 ? "" : ` Findings that were acknowledged: ${findings.length}.`;
  return `${records} records: file, chain and rollups are right.${known}`;
}

function describe({ what, costs }: Finding): string {
  if (costs === null) return `${what} Which sales it is about is not known.`;
  if (costs.length === 0) return what;
  const sales = costs.map(
    ({ account, sales, revenue }) => `${sales} of ${account ?? "all accounts"}, ${revenue} in all`,
  );
  return `${what} Sales: ${sales.join("; ")}.`;
}

function damaged(damage: readonly string[]): FlancoError {
  return new FlancoError("damaged", `The ledger's file is damaged:\n${damage.join("\n")}`, {
    hint: "Start the service again: it sets the file aside and rebuilds it from the newest backup and the tail.",
  });
}

/** Whether the ledger agrees with itself, and only says what an owner has still to acknowledge. */
function isTold(open: readonly Finding[]): boolean {
  return open.every(({ kind }) => kind === "restored" || kind === "zone");
}

function attention(open: readonly Finding[], unlisted: number, copies: readonly string[] = []): FlancoError {
  const more = unlisted === 0 ? [] : [`${unlisted} more are listed once these are acknowledged.`];
  const title = isTold(open) ? "An owner must know of this:" : "The check of the ledger has findings:";
  const lines = [
    ...copies,
    ...(copies.length > 0 && open.length === 0 ? [] : [title]),
    ...open.map(describe),
    ...more,
  ];
  const hint =
    open.length + unlisted === 0
      ? "The ledger itself is right. Make another backup (flanco backup). If this comes again, replace the card or the disk."
      : "Keep a copy of the data directory and of the backups. The owner acknowledges what is explained: flanco verify --acknowledge NAME.";
  return new FlancoError("attention", lines.join("\n"), { hint });
}
