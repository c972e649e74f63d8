import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../contract/config/schema.ts";
import { proofNameOf } from "../domain/backup.ts";
import { HOUR_MS } from "../domain/clock.ts";
import { FlancoError, messageOf } from "../domain/error.ts";
import { megabytes } from "../domain/faults/entry.ts";
import type { GivenSetup } from "../domain/sink.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { chooseBackup, type FoundBackup, keptProofs } from "../ledger/safety/backup-directory.ts";
import { requireRoom } from "../ledger/safety/file-copy.ts";
import { makeDirectory, OWNER_ONLY } from "../platform/durable-file.ts";
import { Rclone, type RemoteFiles } from "../platform/rclone.ts";
import { loadConfig } from "../service/config-file.ts";
import { parseSetup, SinkSettings, setupIn } from "../service/sink-settings.ts";
import type { Call } from "./command.ts";

/** How long it may take to find the backups, and to bring one. */
const FIND_MS = HOUR_MS;
const BRING_MS = 24 * HOUR_MS;
/** The most that all proofs and gateway files may take: of ten years' daily backups 5 MB. */
const MAX_PROOFS = 64_000_000;

const QUIET = { info() {}, error() {} };

/** A backup that was brought from the remote place, in a folder of its own. Its disposal removes that. */
export interface BroughtBackup extends Disposable {
  readonly file: string;
  readonly setup: GivenSetup;
}

/**
 * Brings the newest proven backup of the remote place, with its proof and the gateway file. The place is that of a
 * settings file, or the keyboard's answers: its address, login and password, and the passphrase. Throws `not_found`, `conflict` where several ledgers have backups there, and as rclone does.
 * @param source a backup's path there, to take that one
 * @param ids as for `chooseBackup`
 */
export async function bringBackup(
  call: Call,
  config: Config,
  { settings, source }: { readonly settings: string | undefined; readonly source: string | undefined },
  ids: readonly string[],
): Promise<BroughtBackup> {
  const setup = await setupOf(call, settings);
  const above = existsSync(config.data_dir) ? config.data_dir : dirname(resolve(config.data_dir));
  const folder = join(above, "restore.remote");
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  makeDirectory(folder);
  try {
    const rclone = placeOf(setup, folder);
    call.terminal.err("Looking for backups at the remote place.");
    const finding = AbortSignal.timeout(FIND_MS);
    const files = await rclone.list("", finding);
    const fetching = rclone.fetch("", folder, "*.json", MAX_PROOFS, finding);
    const unread = await fetching.catch((error: unknown) => error);
    const brought = broughtProofs(folder);
    const found = foundIn(brought, files, source);
    // Files of another passphrase lie there where a new one was made.
    if (unread !== undefined) {
      if (found.length === 0) throw unread;
      call.terminal.err(`Some of it is left out: ${messageOf(unread)}`);
    }
    const backup = chosenFrom(found, source, ids);
    const later = source === undefined ? laterProof(brought, files, backup) : undefined;
    if (later !== undefined) {
      const reason = unread === undefined ? "its file is missing or damaged." : messageOf(unread);
      throw new FlancoError("conflict", `A later backup cannot be restored, by ${later}: ${reason}`, {
        hint: `Without it: flanco restore --from-remote ${backup.path}.`,
      });
    }
    call.terminal.err(`Bringing ${backup.path}, ${megabytes(backup.bytes)} MB.`);
    const to = join(folder, backup.ledger);
    requireRoom(folder, backup.bytes, "bring the backup");
    const bringing = AbortSignal.timeout(BRING_MS);
    await rclone.fetch(backup.ledger, to, `/${backup.file}`, backup.bytes + MAX_PROOFS, bringing);
    return { file: join(to, backup.file), setup, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Sets the remote place up here, so that backups go on to it. Call it as the data directory's owner, while no service runs. */
export function keepRemote({ sinks: directory }: DataDirectory, setup: GivenSetup): void {
  const settings = new SinkSettings({ config: { sinks: {} }, directory, log: QUIET });
  settings.open();
  settings.set(setup, true);
}

/** The remote place with its secrets, of a settings file or the keyboard. Throws `config` and `invalid`. */
async function setupOf(call: Call, file: string | undefined): Promise<GivenSetup> {
  if (file === undefined) return parseSetup("remote", await askedValues(call));
  const { sinks } = loadConfig({ config: file }, {}, call.context.installation.checkout);
  const setup = setupIn("remote", sinks);
  if (setup?.values["remote_passphrase"] !== undefined) return setup;
  throw new FlancoError("invalid", `${file}: there is no remote place with its passphrase in it.`);
}

async function askedValues({ terminal }: Call): Promise<Readonly<Record<string, unknown>>> {
  const asked = [
    {
      key: "remote_address",
      text: "Address (sftp://HOST/FOLDER, https://…, s3://…, smb://…): ",
      isSecret: false,
    },
    { key: "remote_login", text: "Login: ", isSecret: false },
    { key: "remote_password", text: "Password or key of that login: ", isSecret: true },
    // It is copied from paper, so it is shown while it is typed.
    { key: "remote_passphrase", text: "Passphrase of the printed sheet: ", isSecret: false },
  ];
  const hint = "Name a file with them: --settings remote.toml.";
  const answers = await terminal.answers(asked, "remote place", hint);
  return Object.fromEntries(asked.map(({ key }, index) => [key, answers[index]?.trim()]));
}

function placeOf({ values }: GivenSetup, folder: string): Rclone {
  const text = (key: string) => String(values[key] ?? "");
  const authorityFile = text("remote_authority") === "" ? "" : join(folder, "authority.pem");
  if (authorityFile !== "") writeFileSync(authorityFile, text("remote_authority"), { mode: OWNER_ONLY });
  return new Rclone({
    address: text("remote_address"),
    login: text("remote_login"),
    password: text("remote_password"),
    passphrase: text("remote_passphrase"),
    authorityFile,
    hostKey: text("remote_host_key"),
    limit: 0,
    knownHostsFile: join(folder, "known-hosts"),
  });
}

/** The proofs that were brought, each with its backup's path. */
function broughtProofs(folder: string): readonly FoundBackup[] {
  const ledgers = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ledgers.flatMap(({ name }) =>
    keptProofs(join(folder, name))
      .filter(({ ledger }) => ledger === name)
      .map((proof) => ({ ...proof, path: `${name}/${proof.file}`, folders: [] })),
  );
}

/** The newest whole backup of each ledger, or the one that is named. */
function foundIn(
  brought: readonly FoundBackup[],
  files: RemoteFiles,
  named: string | undefined,
): readonly FoundBackup[] {
  const whole = brought
    .filter(({ path, bytes }) => files.get(path) === bytes && (named === undefined || path === named))
    // By commits, which only grow: the clock may have been wrong.
    .toSorted((one, other) => other.commits - one.commits);
  return [...Map.groupBy(whole, ({ ledger }) => ledger).values()].flatMap((backups) => backups.slice(0, 1));
}

/** The proof of a backup that seems to be later than the newest one that was found, and cannot be restored. */
function laterProof(brought: readonly FoundBackup[], files: RemoteFiles, newest: FoundBackup) {
  const read = new Map(brought.map((proof) => [proofNameOf(proof.path), proof]));
  return [...files.keys()].find((path) => {
    const proof = read.get(path);
    if (proof !== undefined) return proof.ledger === newest.ledger && proof.commits > newest.commits;
    return /^flanco-.*\.db\.json$/.test(basename(path)) && basename(path) > proofNameOf(newest.file);
  });
}

function chosenFrom(found: readonly FoundBackup[], source: string | undefined, ids: readonly string[]) {
  if (found.length > 0) return chooseBackup(found, ids);
  const what = source === undefined ? "no proven backup" : `no proven backup ${source}`;
  throw new FlancoError("not_found", `The remote place holds ${what}.`, {
    hint: "Check the folder in its address.",
  });
}
