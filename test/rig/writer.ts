import { EventEmitter } from "node:events";
import { MessageChannel } from "node:worker_threads";
import type { Clock } from "../../src/domain/clock.ts";
import {
  type StoreWriter,
  storeWriter,
  type WriterListener,
  type WriterPort,
} from "../../src/ledger/engine/writer.ts";
import type { WriterRequest, WriterSettings, WriterStart } from "../../src/ledger/engine/writer-thread.ts";
import { start } from "../../src/ledger/engine/writer-thread.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { makeLedger } from "./ledger-file.ts";

/**
 * The ledger's writer in the test's own thread, with the same messages: a thread of its own costs a tenth of a second,
 * and is tested in test/ledger/engine/writer.test.ts and wherever the program runs.
 */
export function writerHere(
  settings: WriterSettings,
  clock: Clock,
  listener: Partial<WriterListener> = {},
): StoreWriter {
  const ignored = { onChanges: () => {}, onDeath: () => {} };
  makeLedger(settings.file);
  return storeWriter(settings, clock, { ...ignored, ...listener }, startHere);
}

/** Writes to a ledger that no program has open. */
export async function inLedger<T>(file: string, run: (writer: StoreWriter) => Promise<T>): Promise<T> {
  const onDeath = (error: Error) => {
    throw error;
  };
  const writer = writerHere({ file, timeZone: "UTC" }, systemClock, { onDeath });
  await writer.open();
  try {
    return await run(writer);
  } finally {
    await writer.close();
  }
}

function startHere(settings: WriterStart): WriterPort {
  const { port1, port2 } = new MessageChannel();
  const thread = new EventEmitter();
  port1.on("message", (message) => thread.emit("message", message));
  port1.on("close", () => thread.emit("exit"));
  start(port2, settings);
  return Object.assign(thread, { postMessage: (request: WriterRequest) => port1.postMessage(request) });
}
