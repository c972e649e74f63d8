import { WorkerPasswordHasher } from "../auth/password.ts";
import { replaceSecret } from "../auth/secret.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/schema.ts";
import { RemoteOperations } from "../control/client.ts";
import { LocalOperations, type Operations } from "../control/operation.ts";
import { type Actor, commandActor } from "../domain/audit.ts";
import { DataLock } from "../store/lock.ts";
import { openReader } from "../store/reader.ts";
import { finishReplacing } from "../store/replace.ts";
import { StoreWriter } from "../store/writer.ts";
import { becomeOwner, placeOf, preparePlace } from "./place.ts";
import { systemUser } from "./system-user.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs operations where the ledger is: in the running service, or on the file itself while none runs.
 * Either way there is one writer, and an answer means that the change is on the disk.
 */
export async function withOperations<T>(
  config: Config,
  terminal: Terminal,
  run: (operations: Operations) => Promise<T>,
): Promise<T> {
  // Before this process goes on as the data directory's owner.
  const by = systemUser();
  const remote = await RemoteOperations.connect(placeOf(config.data_dir).control, by);
  if (remote === undefined) return withLocalOperations(config, terminal, commandActor(by), run);
  try {
    return await run(remote);
  } finally {
    remote.close();
  }
}

async function withLocalOperations<T>(
  config: Config,
  terminal: Terminal,
  by: Actor,
  run: (operations: Operations) => Promise<T>,
): Promise<T> {
  const place = placeOf(config.data_dir);
  becomeOwner(place);
  preparePlace(place);
  const lock = new DataLock(place.lock);
  lock.acquire();
  finishReplacing(place.ledger);
  const passwords = new WorkerPasswordHasher();
  const writer = new StoreWriter({ file: place.ledger, timeZone: config.time_zone }, systemClock, {
    onChanges: () => {},
    onProgress: (done, total) => terminal.progress("Bringing the ledger up to date", done, total),
    onDeath: () => {},
  });
  try {
    await writer.open();
    const reader = openReader(place.ledger, config.time_zone);
    passwords.open();
    try {
      const local = new LocalOperations({
        ...{ reader, writer, passwords, lines: null, drivable: null, status: null },
        rotateSecret: async (by) => {
          replaceSecret(place.secret);
          return writer.endSessions(by);
        },
      });
      return await run({ call: (name, input) => local.call(name, input, by) });
    } finally {
      reader.close();
    }
  } finally {
    await passwords.close();
    await writer.close();
    lock.release();
  }
}
