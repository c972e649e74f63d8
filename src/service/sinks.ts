import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../contract/config/schema.ts";
import type { Actor } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { isQuiet, type Notice, parseQuietHours } from "../domain/notice.ts";
import type { EntrySink, Sink } from "../domain/sink.ts";
import type { SinkName } from "../domain/sink-setting.ts";
import { type GivenSetup, SETUP_FIELDS, type Setup, type SetupName } from "../domain/sink-setting.ts";
import type { SinkSetups } from "../http/sink.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { CentralSink } from "../notify/central-sink.ts";
import { EmailSink } from "../notify/email.ts";
import { EntryFeed, type ForwardedChain } from "../notify/entry-feed.ts";
import { Forwarder } from "../notify/forwarder.ts";
import { MqttSink } from "../notify/mqtt.ts";
import { NoticeOutbox } from "../notify/notice-outbox.ts";
import { NoticeWriter } from "../notify/notice-writer.ts";
import { Notices, type NoticesOptions } from "../notify/notices.ts";
import { WebhookSink } from "../notify/webhook.ts";
import { systemTimers } from "../platform/machine.ts";
import type { SinkSettings } from "./sink-settings.ts";

export interface SinksOptions
  extends Omit<EntrySinkOptions, "config">,
    Pick<NoticesOptions, "heavy" | "trust"> {
  readonly dataDirectory: Pick<DataDirectory, "forward">;
  readonly settings: SinkSettings;
  readonly reader: EntrySinkOptions["reader"] & ForwardedChain & NoticesOptions["reader"];
  readonly writer: Pick<LedgerWriter, "ping" | "noteAudit">;
}

/** Everything that leaves the gateway: the sinks that are set up, each with its feed, and the notices. */
export class Sinks implements SinkSetups {
  readonly #options: SinksOptions;
  readonly forwarder: Forwarder;
  #status: NoticesOptions["status"] | undefined;
  #notices: Notices | undefined;
  /** The last change: changes run one after another. */
  #changed: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SinksOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.forwarder = new Forwarder({ clock, timers: systemTimers, log });
  }

  /** @param status the status whose faults the notices tell of */
  open(status: NoticesOptions["status"]): void {
    this.#status = status;
    this.#addEntrySink("central");
    this.#addEntrySink("mqtt");
    this.#addNotices(status);
    this.forwarder.open();
  }

  test(name: SinkName): Promise<string> {
    return this.forwarder.test(name);
  }

  setups(): readonly Setup[] {
    return this.#options.settings.setups();
  }

  ofPage(): readonly SinkName[] {
    return this.#options.settings.ofPage();
  }

  set(given: GivenSetup, userId: Id, by: Actor): Promise<void> {
    const { settings } = this.#options;
    const [place] = SETUP_FIELDS[given.name].filter(({ isPlace }) => isPlace === true);
    const host = /^\w+:\/\/(?:[^/@]*@)?([^/?#]*)/.exec(String(given.values[place?.key ?? ""]))?.[1] ?? "";
    const check = () => settings.check(given);
    return this.#change(given.name, host, { userId, actor: by }, check, () => settings.set(given));
  }

  clear(name: SetupName, userId: Id, by: Actor): Promise<void> {
    const { settings } = this.#options;
    const check = () => settings.requirePage(name);
    return this.#change(name, "", { userId, actor: by }, check, () => settings.clear(name), true);
  }

  /** Ends within a second or so, whatever the other sides do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changed;
    await this.forwarder.close();
    this.#notices?.close();
  }

  /** @param host where the sink sends from then on, for the audit log; empty for nowhere */
  #change(
    name: SetupName,
    host: string,
    noted: { readonly userId: Id; readonly actor: Actor },
    check: () => void,
    change: () => void,
    isForGood = false,
  ): Promise<void> {
    const done = this.#changed.then(async () => {
      check();
      const details = { sink: name, on: host !== "" || name === "notice", host };
      await this.#options.writer.noteAudit([{ kind: "sink_changed", details, ...noted }]);
      try {
        change();
      } finally {
        // Also after a change that a full disk has interrupted.
        await this.#reopen(name, isForGood);
      }
    });
    this.#changed = done.catch(() => {});
    return done;
  }

  async #reopen(name: SetupName, isForGood: boolean): Promise<void> {
    if (this.#isClosed || this.#status === undefined) return;
    if (name === "central" || name === "mqtt") {
      await this.forwarder.remove(name, isForGood);
      // Another day it begins with what is sold then.
      if (isForGood && name === "mqtt") rmSync(this.#cursorOf(name), { force: true });
      this.#addEntrySink(name);
      return;
    }
    await Promise.all([this.forwarder.remove("email"), this.forwarder.remove("webhook")]);
    this.#notices?.close();
    this.#addNotices(this.#status);
  }

  #cursorOf(name: "central" | "mqtt"): string {
    return join(this.#options.dataDirectory.forward, `${name}.json`);
  }

  #addEntrySink(name: "central" | "mqtt"): void {
    const { settings, clock, reader: chain, writer } = this.#options;
    const options = { ...this.#options, config: settings.config };
    const sink = name === "central" ? centralSink(options) : mqttSink(options);
    if (sink === undefined) return;
    const file = this.#cursorOf(name);
    // What is published is taken for what happens now, so that years of sales would set things off.
    const beginsNow = name === "mqtt" && !settings.config.mqtt_history;
    const settled = () => writer.ping();
    this.forwarder.add(new EntryFeed({ chain, settled, file, clock, beginsNow }), sink);
  }

  /** The notices, where a sink for them is set up. */
  #addNotices(status: NoticesOptions["status"]): void {
    const { settings, clock, log, dataDirectory, reader, gateway } = this.#options;
    const { config } = settings;
    const currency = { code: config.currency, decimals: config.currency_decimals };
    const { notice_language: language, time_zone: timeZone } = config;
    const writer = new NoticeWriter({ language, timeZone, currency, gateway, clock });
    const sinks = noticeSinks(config, writer, clock, log);
    this.#notices = undefined;
    if (sinks.length === 0) return;
    const quiet = parseQuietHours(config.notice_quiet_hours);
    const outbox = new NoticeOutbox({
      file: join(dataDirectory.forward, "notices.json"),
      sinks: sinks.map(({ name }) => name),
      log,
      nowMs: () => clock.nowMs(),
      isQuiet: () => quiet !== undefined && isQuiet(reader.localTime(clock.nowMs()), quiet),
    });
    const { notice_silent_days: silentDays, notice_summaries: summaries } = config;
    const wake = () => this.forwarder.apply([]);
    this.#notices = new Notices({ ...this.#options, status, outbox, writer, silentDays, summaries, wake });
    this.#notices.open();
    for (const sink of sinks) this.forwarder.add(outbox.feedOf(sink.name), sink);
  }
}

/** The configured sinks of notices. */
function noticeSinks(config: Config, writer: NoticeWriter, clock: Clock, log: Log): readonly Sink<Notice>[] {
  const makeTest = () => writer.test();
  return [
    ...(config.email_server === "" ? [] : [new EmailSink(config, makeTest, (text) => log.warn({}, text))]),
    ...(config.webhook_url === "" ? [] : [new WebhookSink(config, makeTest, clock)]),
  ];
}

interface EntrySinkOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: Pick<LedgerReader, "ledgerIds" | "members" | "devices">;
  /** The program's version. */
  readonly version: string;
  /** The name of this gateway. */
  readonly gateway: () => string;
}

function centralSink({ config, clock }: EntrySinkOptions): EntrySink | undefined {
  const { central_database: address, central_password_file: passwordFile } = config;
  if (address === "") return undefined;
  const authority = config.central_authority_file;
  const parameter = `${address.includes("?") ? "&" : "?"}sslrootcert=${encodeURIComponent(authority)}`;
  const url = authority === "" ? address : address + parameter;
  const own = { timeZone: config.time_zone, currency: config.currency };
  return new CentralSink({ url, passwordFile, clock, timers: systemTimers, own });
}

function mqttSink(options: EntrySinkOptions): EntrySink | undefined {
  const { config: settings, reader, log, version, gateway } = options;
  if (settings.mqtt_url === "") return undefined;
  const ledgers = reader.ledgerIds();
  const devices = () => {
    const accounts = new Set(reader.members().map(({ userId }) => userId));
    return [...accounts].flatMap((userId) => reader.devices(userId));
  };
  return new MqttSink({ settings, ledgers, gateway, version, devices, log });
}
