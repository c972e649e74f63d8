import { createServer } from "node:http";
import type { Config } from "../contract/config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { ledgerEndpoints } from "../http/app.ts";
import { WorkerPasswordHasher } from "../http/auth/password.ts";
import { replaceSecret } from "../http/auth/session.ts";
import { createControlApp, operatorEndpoints } from "../http/control-server.ts";
import { ShownNumbers } from "../http/shown-number.ts";
import { UNWATCHED_LINES } from "../http/wiring.ts";
import {
  becomeOwner,
  dataDirectoryOf,
  isUnusedDirectory,
  prepareForLedger,
} from "../ledger/engine/data-directory.ts";
import { takeLock } from "../ledger/engine/lock.ts";
import { noLedger } from "../ledger/engine/open.ts";
import { openReader } from "../ledger/engine/reader.ts";
import { openUpToDate } from "../ledger/engine/up-to-date.ts";
import { storeWriter } from "../ledger/engine/writer.ts";
import { LocalCalendar } from "../ledger/nouns/calendar.ts";
import { finishReplacing } from "../ledger/safety/replace.ts";
import { systemClock } from "../platform/machine.ts";
import { tailDirectory } from "../service/backup-target.ts";
import { SinkSettings } from "../service/sink-settings.ts";
import type { CliContext } from "./command.ts";
import { type ClientOptions, ControlClient } from "./control-client.ts";

/**
 * Runs operations where the ledger is: in the running service, or on the file itself while
 * none runs. Either way there is one writer, and an answer means that the change is on the
 * disk. Throws `not_found` where there is no ledger, unless the command `makesLedger`: in
 * a misspelt directory a list would otherwise be empty without an error.
 */
export async function withDoor<T>(
  context: CliContext,
  config: Config,
  run: (door: ControlClient) => Promise<T>,
  options: { readonly makesLedger?: boolean } = {},
): Promise<T> {
  const by = context.user;
  const result = await withService(config, async (door) => ({ value: await run(door) }), { by });
  if (result !== undefined) return result.value;
  const { makesLedger = false } = options;
  return withLocalDoor(config, context, makesLedger, run);
}

/** The error of what only a running service has. */
export function noService(): FlancoError {
  return new FlancoError("unavailable", "The flanco service is not running on this data directory.", {
    hint: "Start it first: npm start from a checkout, or systemctl start flanco.",
  });
}

/** Runs something with the running service; gives undefined while none runs. */
export async function withService<T>(
  config: Config,
  run: (client: ControlClient) => Promise<T>,
  options: ClientOptions = {},
): Promise<T | undefined> {
  const client = await ControlClient.connect(dataDirectoryOf(config.data_dir).control, options);
  if (client === undefined) return undefined;
  using closing = new DisposableStack();
  closing.defer(() => client.close());
  return await run(client);
}

/** Runs something with the running service. Throws `unavailable` while none runs. */
export async function withRunning<T>(
  config: Config,
  run: (client: ControlClient) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  const done = await withService(config, async (client) => ({ value: await run(client) }), options);
  if (done === undefined) throw noService();
  return done.value;
}

/** The command says itself what went wrong. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Runs something on the file itself. */
async function withLocalDoor<T>(
  config: Config,
  { terminal, user }: CliContext,
  makesLedger: boolean,
  run: (door: ControlClient) => Promise<T>,
): Promise<T> {
  const dataDirectory = becomeOwner(config.data_dir);
  if (!makesLedger && isUnusedDirectory(dataDirectory)) throw noLedger(dataDirectory.ledger);
  prepareForLedger(dataDirectory);
  await using closing = new AsyncDisposableStack();
  closing.defer(takeLock(dataDirectory.lock));
  finishReplacing(dataDirectory.ledger);
  const ledger = { file: dataDirectory.ledger, tailDirectory: tailDirectory(config) };
  const start = { ...ledger, startMs: systemClock.nowMs() };
  openUpToDate(start, new LocalCalendar(config.time_zone), ({ done, total }) =>
    terminal.progress("Bringing the ledger up to date", done, total),
  ).close();
  const writer = storeWriter({ ...ledger, timeZone: config.time_zone }, systemClock, {
    onChanges: () => {},
    onDeath: () => {},
  });
  closing.defer(() => writer.close());
  await writer.open();
  const reader = openReader(dataDirectory.ledger, config.time_zone);
  closing.defer(() => reader.close());
  const passwords = new WorkerPasswordHasher();
  closing.defer(() => passwords.close());
  // The service tells of setups that cannot be read.
  const settings = new SinkSettings({ config, directory: dataDirectory.sinks, log: SILENT });
  settings.open();
  const numbers = new ShownNumbers(reader.numberKey());
  const parts = { reader, writer, passwords, numbers, clock: systemClock, log: SILENT };
  const endpoints = [
    ...ledgerEndpoints({
      ...parts,
      lines: UNWATCHED_LINES,
      pageSinks: () => settings.ofPage(),
      reach: () => ({ page: null, trust: null }),
    }),
    ...operatorEndpoints({
      ...parts,
      rotateSecret: (by) => {
        replaceSecret(dataDirectory.secret);
        return writer.endSessions(by);
      },
      acknowledged: () => {},
      clockCorrected: () => {},
    }),
  ];
  // What it lacks is a running service's.
  const app = createControlApp(endpoints, reader, SILENT, noService);
  const client = ControlClient.within(createServer(app.callback()), { by: user });
  closing.defer(() => client.close());
  return await run(client);
}
