import { join } from "node:path";
import { CentralSink } from "../central/sink.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { EntrySink } from "../domain/sink.ts";
import type { DataDirectory } from "../store/data-directory.ts";
import { systemTimers } from "./clock.ts";
import { EntryFeed } from "./entry-feed.ts";
import { ForwardCursor } from "./forward-cursor.ts";
import { Forwarder } from "./forwarder.ts";

/** The sinks that get every entry of the ledger, as they are configured. */
export function entrySinks(
  { central_database: url, central_password_file: passwordFile }: Config,
  clock: Clock,
): readonly EntrySink[] {
  if (url === "") return [];
  const central = new CentralSink({ url, passwordFile, clock, timers: systemTimers });
  central.open();
  return [central];
}

export interface SinkDependencies {
  readonly dataDirectory: Pick<DataDirectory, "forward">;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: Pick<LedgerReader, "ledgerIds" | "entryHash" | "newestEntry" | "entriesAfter">;
  readonly writer: Pick<LedgerWriter, "ping">;
}

/** The forwarder with every sink that is configured, not opened yet. */
export function makeForwarder(dependencies: SinkDependencies, sinks: readonly EntrySink[] = []): Forwarder {
  const { dataDirectory, clock, log, reader: chain, writer } = dependencies;
  const forwarder = new Forwarder({ clock, timers: systemTimers, log });
  for (const sink of sinks) {
    const cursor = new ForwardCursor(join(dataDirectory.forward, `${sink.name}.json`));
    forwarder.add(new EntryFeed({ chain, settled: () => writer.ping(), cursor, clock }), sink);
  }
  return forwarder;
}
