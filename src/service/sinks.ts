import { join } from "node:path";
import { CentralSink } from "../central/sink.ts";
import { type Config, mqttPublication } from "../config/schema.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { EntrySink } from "../domain/sink.ts";
import { MqttSink } from "../sink/mqtt.ts";
import type { DataDirectory } from "../store/data-directory.ts";
import { systemTimers } from "./clock.ts";
import { EntryFeed } from "./entry-feed.ts";
import { ForwardCursor } from "./forward-cursor.ts";
import { Forwarder } from "./forwarder.ts";

export interface SinkDependencies {
  readonly dataDirectory: Pick<DataDirectory, "forward">;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: Pick<
    LedgerReader,
    "ledgerIds" | "entryHash" | "newestEntry" | "entriesAfter" | "members" | "devices"
  >;
  readonly writer: Pick<LedgerWriter, "ping">;
  readonly config: Config;
  /** The program's own. */
  readonly version: string;
}

/** The forwarder with every sink that is configured, not opened yet. */
export function makeForwarder(dependencies: SinkDependencies): Forwarder {
  const { dataDirectory, clock, log, reader: chain, writer } = dependencies;
  const forwarder = new Forwarder({ clock, timers: systemTimers, log });
  for (const sink of entrySinks(dependencies)) {
    const cursor = new ForwardCursor(join(dataDirectory.forward, `${sink.name}.json`));
    forwarder.add(new EntryFeed({ chain, settled: () => writer.ping(), cursor, clock }), sink);
  }
  return forwarder;
}

function entrySinks(dependencies: SinkDependencies): readonly EntrySink[] {
  const { clock } = dependencies;
  const { central_database: url, central_password_file: passwordFile } = dependencies.config;
  const central = url === "" ? [] : [new CentralSink({ url, passwordFile, clock, timers: systemTimers })];
  return [...central, ...mqttSinks(dependencies)];
}

function mqttSinks({ config, reader, log, version }: SinkDependencies): readonly EntrySink[] {
  const publication = mqttPublication(config);
  if (publication === undefined) return [];
  const [ledger = ""] = reader.ledgerIds();
  const devices = () => {
    const accounts = new Set(reader.members().map(({ userId }) => userId));
    return [...accounts].flatMap((userId) => reader.devices(userId));
  };
  return [new MqttSink({ publication, ledger, version, devices, log })];
}
