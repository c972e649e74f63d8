import { rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/schema.ts";
import type { ProvenBackup } from "../domain/backup.ts";
import { FlancoError } from "../domain/error.ts";
import { parseCode } from "../domain/move.ts";
import { OWNER_ONLY } from "../durable-file.ts";
import { backupDirectory, presentDirectories } from "../service/backup-target.ts";
import { proofOf } from "../store/backup/backup-directory.ts";
import { removeDatabase, requireRoom } from "../store/backup/file-copy.ts";
import { chooseBackup, type FoundBackup, findBackups, mountedDisks } from "../store/backup/found-backup.ts";
import { type Gateway, parseGateway, readGatewayFile } from "../store/backup/gateway-file.ts";
import { isUnusedLedger, type OpenedBackup, openBackup } from "../store/backup/restore.ts";
import { type DataDirectory, dataDirectoryOf } from "../store/data-directory.ts";
import { identitiesOf } from "../store/ledger/identity.ts";
import { hasTailOfOtherSchema, type Segment, segmentsIn } from "../store/ledger/tail.ts";
import { type GatewayAddress, GatewayClient } from "../transfer/gateway-client.ts";
import { iso, type Terminal } from "./terminal.ts";

const OTHER_TAIL =
  "What came after the backup is in a tail that another version of flanco wrote: for that, install that version, restore again, and update then.";

/** A clinic that is restored from a disk, or taken over from another gateway. */
export interface Incoming {
  readonly proof: ProvenBackup | undefined;
  /** The gateway file; undefined where there is a backup alone. */
  readonly gateway: Gateway | undefined;
  /** The tail beside the backup; none of a backup whose file was named, which is restored as it is. */
  tail(): readonly Segment[];
  /** Opens the backup, after fetching it if it is on another gateway. */
  open(): Promise<OpenedBackup>;
  /** Call when the clinic is in place. Gives what a person must do now. */
  finish(): Promise<readonly string[]>;
  close(): void;
}

/**
 * Opens a backup's file, the newest backup in a named folder, or the newest that is found. Call it
 * as the user that started the command: the files of another gateway's disk may be another user's.
 */
export function openOnDisk(config: Config, named: string | undefined): Incoming {
  const { path, folders } = named === undefined ? newestOf(config) : namedBackup(config, resolve(named));
  const backup = openBackup(path);
  return {
    proof: backup.proof,
    gateway: readGatewayFile(dirname(path)),
    tail: () => segmentsIn(...folders),
    open: async () => backup,
    finish: async () => (folders.some(hasTailOfOtherSchema) ? [OTHER_TAIL] : []),
    close: () => backup[Symbol.dispose](),
  };
}

/** The newest backup in the folder that is named, or the file that is, without a tail. */
function namedBackup(config: Config, named: string): Pick<FoundBackup, "path" | "folders"> {
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return { path: named, folders: [] };
  const found = findBackups([named]);
  if (found.length > 0) return chooseBackup(found, idsHere(config));
  throw new FlancoError("not_found", `The folder ${named} holds no proven backup.`, {
    hint: "Name the folder that flanco backup names, or the file of a backup in it.",
  });
}

/** The identities of the ledger here; none where it is unused, so that any ledger of a disk may replace it. */
function idsHere(config: Config): readonly string[] {
  const { ledger } = dataDirectoryOf(config.data_dir);
  return isUnusedLedger(ledger) ? [] : identitiesOf(ledger);
}

/** The newest backup that is found. Where the ledger here is unused, backups on a removable disk come first. */
function newestOf(config: Config): FoundBackup {
  const found = findBackups([...mountedDisks(config.data_dir), ...presentDirectories(config)]);
  const ids = idsHere(config);
  const onDisks = found.filter(({ path }) => !path.startsWith(join(backupDirectory(config), "/")));
  return chooseBackup(ids.length === 0 && onDisks.length > 0 ? onDisks : found, ids);
}

/**
 * Begins to take a clinic over from another gateway. Resolves once that gateway
 * has made and proved a backup. Call as the data directory's owner, with its lock.
 */
export async function takeOver(
  terminal: Terminal,
  address: GatewayAddress,
  { ledger }: Pick<DataDirectory, "ledger">,
  codeFromStandardInput: boolean,
): Promise<Incoming> {
  const file = `${ledger}.incoming`;
  removeIncoming(file);
  const client = new GatewayClient(address, await askForCode(terminal, codeFromStandardInput));
  await client.begin();
  terminal.err("The old gateway makes a backup and checks it in full.");
  const clinic = await client.clinic();
  const proof = parsedProof(clinic.proof);
  let backup: OpenedBackup | undefined;
  return {
    proof,
    gateway: parseGateway(clinic.gateway),
    tail: () => [],
    open: async () => {
      // The restore makes a copy beside it.
      requireRoom(dirname(ledger), 2 * proof.bytes, "fetch the backup and check it");
      await client.fetch(file, proof.bytes, (done, total) =>
        terminal.progress("Fetching the backup", done, total),
      );
      writeFileSync(`${file}.json`, clinic.proof, { mode: OWNER_ONLY });
      backup = openBackup(file);
      return backup;
    },
    finish: async () => {
      return [
        `The old gateway's records up to ${iso(proof.madeMs)} are here. It goes on recording: wire the relays to this gateway,`,
        "then switch the old one off for good (systemctl disable --now flanco), so that no sale counts in both.",
        ...(await told(client)),
      ];
    },
    close: () => {
      backup?.[Symbol.dispose]();
      removeIncoming(file);
    },
  };
}

/** Tells the old gateway that the clinic is here; gives what a person must do where that cannot be reached. */
async function told(client: GatewayClient): Promise<readonly string[]> {
  try {
    await client.finish();
    return [];
  } catch {
    return ["It could not be told that its clinic was moved: it shows no notice of that."];
  }
}

function removeIncoming(file: string): void {
  removeDatabase(file);
  rmSync(`${file}.json`, { force: true });
}

async function askForCode(terminal: Terminal, fromStandardInput: boolean) {
  const code = parseCode(await terminal.code(fromStandardInput));
  if (code !== undefined) return code;
  throw new FlancoError("invalid", "That is no code of a move: it has eight groups of four characters.", {
    hint: "Type it as the old gateway shows it.",
  });
}

function parsedProof(text: string): ProvenBackup {
  try {
    return proofOf(text);
  } catch (cause) {
    throw new FlancoError(
      "unavailable",
      "The old gateway's answer cannot be read: it is of another version.",
      {
        hint: "Install the same version on both, then begin anew with another code.",
        cause,
      },
    );
  }
}
