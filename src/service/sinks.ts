import { join } from "node:path";
import { CentralSink } from "../central/sink.ts";
import { type Config, mqttPublication } from "../config/schema.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { isQuiet, type Notice, parseQuietHours } from "../domain/notice.ts";
import type { EntrySink, Sink } from "../domain/sink.ts";
import { EmailSink } from "../notice/email.ts";
import { NoticeWriter } from "../notice/notice-writer.ts";
import { WebhookSink } from "../notice/webhook.ts";
import { MqttSink } from "../sink/mqtt.ts";
import type { DataDirectory } from "../store/data-directory.ts";
import { systemTimers } from "./clock.ts";
import { EntryFeed } from "./entry-feed.ts";
import { ForwardCursor } from "./forward-cursor.ts";
import { Forwarder } from "./forwarder.ts";
import { NoticeOutbox } from "./notice-outbox.ts";
import { Notices, type NoticesOptions } from "./notices.ts";

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

/** The forwarder with every sink that gets the entries of the ledger, as they are configured, not opened yet. */
export function makeForwarder(dependencies: SinkDependencies): Forwarder {
  const { dataDirectory, clock, log, reader: chain, writer } = dependencies;
  const forwarder = new Forwarder({ clock, timers: systemTimers, log });
  for (const sink of entrySinks(dependencies)) {
    const cursor = new ForwardCursor(join(dataDirectory.forward, `${sink.name}.json`));
    forwarder.add(new EntryFeed({ chain, settled: () => writer.ping(), cursor, clock }), sink);
  }
  return forwarder;
}

export interface NoticeDependencies
  extends SinkDependencies,
    Pick<NoticesOptions, "status" | "heavy" | "trust"> {
  readonly reader: SinkDependencies["reader"] & NoticesOptions["reader"];
  /** The name of this gateway. */
  readonly gateway: () => string;
}

/** What people are told, with the sinks that tell them added to the forwarder; undefined where none is configured. */
export function makeNotices(dependencies: NoticeDependencies, forwarder: Forwarder): Notices | undefined {
  const { config, clock, log, dataDirectory, reader, gateway } = dependencies;
  const currency = { code: config.currency, decimals: config.currency_decimals };
  const { notice_language: language, time_zone: timeZone } = config;
  const writer = new NoticeWriter({ language, timeZone, currency, gateway, clock });
  const sinks = noticeSinks(config, writer, clock, log);
  if (sinks.length === 0) return undefined;
  const quiet = parseQuietHours(config.notice_quiet_hours);
  const outbox = new NoticeOutbox({
    ...{ file: join(dataDirectory.forward, "notices.json"), sinks: sinks.map(({ name }) => name), log },
    nowMs: () => clock.nowMs(),
    isQuiet: () => quiet !== undefined && isQuiet(reader.localTime(clock.nowMs()), quiet),
  });
  for (const sink of sinks) forwarder.add(outbox.feedOf(sink.name), sink);
  const { notice_silent_days: silentDays, notice_summaries: summaries } = config;
  const wake = () => forwarder.apply([]);
  return new Notices({ ...dependencies, outbox, writer, silentDays, summaries, wake });
}

/** The sinks that people read, as they are configured. */
function noticeSinks(config: Config, writer: NoticeWriter, clock: Clock, log: Log): readonly Sink<Notice>[] {
  const makeTest = () => writer.test();
  const email = {
    ...{
      server: config.email_server,
      login: config.email_login,
      from: config.email_from,
      to: config.email_to,
    },
    ...{ passwordFile: config.email_password_file, authorityFile: config.email_authority_file },
  };
  const webhook = {
    ...{ url: config.webhook_url, keyFile: config.webhook_key_file },
    authorityFile: config.webhook_authority_file,
  };
  return [
    ...(email.server === "" ? [] : [new EmailSink(email, makeTest, (text) => log.warn({}, text))]),
    ...(webhook.url === "" ? [] : [new WebhookSink(webhook, makeTest, clock)]),
  ];
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
