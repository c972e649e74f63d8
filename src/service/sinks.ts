import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../contract/config/schema.ts";
import type { SinkSettingsOf } from "../contract/sink.ts";
import type { Actor } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { Language } from "../domain/language.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { isQuiet, type Notice, parseQuietHours } from "../domain/notice.ts";
import {
  type EntrySink,
  type GivenSetup,
  SETUP_FIELDS,
  SETUP_NAMES,
  type Setup,
  type SetupName,
  type Sink,
  type SinkName,
} from "../domain/sink.ts";
import type { StatusReader } from "../domain/status.ts";
import type { SinkSetups } from "../http/sink.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { CentralSink } from "../notify/central-sink.ts";
import { EmailSink } from "../notify/email.ts";
import { EntryFeed, type ForwardedChain } from "../notify/entry-feed.ts";
import { Forwarder, notSetUp } from "../notify/forwarder.ts";
import { reportOf } from "../notify/gateway-report.ts";
import { MqttSink } from "../notify/mqtt.ts";
import { NoticeOutbox } from "../notify/notice-outbox.ts";
import { NoticeWriter } from "../notify/notice-writer.ts";
import { Notices, type NoticesOptions } from "../notify/notices.ts";
import { PulseSink } from "../notify/pulse.ts";
import { type OwnBackups, RemoteSink } from "../notify/remote-backups.ts";
import { WebhookSink } from "../notify/webhook.ts";
import { systemTimers } from "../platform/machine.ts";
import { Rclone } from "../platform/rclone.ts";
import { readSecret } from "../platform/secret-file.ts";
import type { SinkSettings } from "./sink-settings.ts";

export interface SinksOptions extends Pick<NoticesOptions, "costly" | "trust"> {
  readonly config: Pick<Config, "time_zone" | "currency" | "currency_decimals">;
  readonly dataDirectory: Pick<DataDirectory, "forward" | "sinks">;
  readonly settings: SinkSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: Pick<LedgerReader, "ledgerIds" | "members" | "devices"> &
    ForwardedChain &
    NoticesOptions["reader"];
  readonly writer: Pick<LedgerWriter, "ping" | "noteAudit">;
  readonly backups: OwnBackups;
  /** The program's version. */
  readonly version: string;
  /** The name of this gateway. */
  readonly gateway: () => string;
}

/** Everything that leaves the gateway: the sinks that are set up, each with its feed, and the notices. */
export class Sinks implements SinkSetups {
  readonly #options: SinksOptions;
  readonly forwarder: Forwarder;
  #status: StatusReader | undefined;
  #certificateEndsMs: () => number | null = () => null;
  #page: () => string | null = () => null;
  #notices: Notices | undefined;
  /** The last change: changes run one after another. */
  #changed: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SinksOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.forwarder = new Forwarder({ clock, timers: systemTimers, log });
  }

  /**
   * @param status the status whose faults the notices tell of, and which the company is told of
   * @param page gives the page's address on the local network; null without one
   */
  open(
    status: StatusReader,
    certificateEndsMs: () => number | null,
    page: () => string | null = () => null,
  ): void {
    this.#status = status;
    this.#certificateEndsMs = certificateEndsMs;
    this.#page = page;
    for (const name of SETUP_NAMES) this.#add(name, status);
    this.forwarder.open();
  }

  test(name: SinkName): Promise<string> {
    return this.forwarder.test(name);
  }

  setups(): readonly Setup[] {
    return this.#options.settings.setups();
  }

  ofOwners(): readonly SinkName[] {
    return this.#options.settings.ofOwners();
  }

  change(name: SetupName, values: GivenSetup["values"] | null, userId: Id, by: Actor): Promise<void> {
    const { settings, writer } = this.#options;
    const isOperator = by.way === "command";
    const done = this.#changed.then(async () => {
      if (values !== null) settings.check({ name, values }, isOperator);
      const host = hostIn(name, values ?? {});
      const details = { sink: name, on: values !== null || name === "notice" || name === "update", host };
      await writer.noteAudit([{ kind: "sink_changed", details, userId, actor: by }]);
      try {
        if (values === null) settings.clear(name);
        else settings.set({ name, values }, isOperator);
      } finally {
        // Also after a change that a full disk has interrupted.
        await this.#reopen(name, values === null);
      }
    });
    this.#changed = done.catch(() => {});
    return done;
  }

  async makePassphrase(userId: Id, by: Actor): Promise<string> {
    const remote = this.setups().find(({ name, isSet }) => name === "remote" && isSet);
    if (remote === undefined) throw notSetUp("remote");
    const passphrase = newPassphrase();
    await this.change("remote", { ...remote.values, remote_passphrase: passphrase }, userId, by);
    return passphrase;
  }

  /** Ends within a second or so, whatever the other sides do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changed;
    await this.forwarder.close();
    this.#notices?.close();
  }

  async #reopen(name: SetupName, isForGood: boolean): Promise<void> {
    if (this.#isClosed || this.#status === undefined || name === "update") return;
    const isOfNotices = name === "email" || name === "webhook" || name === "notice";
    const ended = isOfNotices ? (["email", "webhook"] as const) : [name];
    await Promise.all(ended.map((one) => this.forwarder.remove(one, isForGood)));
    // Another day MQTT begins with what is sold then. A remote place, which may be another
    // one now or have another passphrase, gets the newest backup anew.
    if (name === "remote" || (name === "mqtt" && isForGood)) rmSync(this.#cursorOf(name), { force: true });
    if (isOfNotices) this.#notices?.close();
    this.#add(isOfNotices ? "notice" : name, this.#status);
  }

  /** Adds the sinks of a setup, where it is made. Those of notices come with these. */
  #add(name: SetupName, status: StatusReader): void {
    if (name === "central" || name === "mqtt") this.#addEntrySink(name);
    if (name === "notice") this.#addNotices(status);
    if (name === "pulse") this.#addPulse(status);
    if (name === "remote") this.#addRemote();
  }

  #cursorOf(name: "central" | "mqtt" | "remote"): string {
    return join(this.#options.dataDirectory.forward, `${name}.json`);
  }

  #addEntrySink(name: "central" | "mqtt"): void {
    const { settings, clock, reader: chain, writer } = this.#options;
    const sink = name === "central" ? this.#centralSink() : mqttSink(this.#options);
    if (sink === undefined) return;
    const file = this.#cursorOf(name);
    // What is published is taken for what happens now, so that years of sales would set things off.
    const beginsNow = name === "mqtt" && settings.of(name)?.mqtt_history !== true;
    const settled = () => writer.ping();
    this.forwarder.add(new EntryFeed({ chain, settled, file, clock, beginsNow }), sink);
  }

  #centralSink(): EntrySink | undefined {
    const { settings, config, clock } = this.#options;
    const [central, status] = [settings.of("central"), this.#status];
    if (central === undefined || status === undefined) return undefined;
    const { central_database: address, central_password_file: passwordFile } = central;
    const authority = central.central_authority_file;
    const parameter = `${address.includes("?") ? "&" : "?"}sslrootcert=${encodeURIComponent(authority)}`;
    const url = authority === "" ? address : address + parameter;
    const own = { timeZone: config.time_zone, currency: config.currency };
    const report = async () => reportOf(await status.status(), this.#certificateEndsMs());
    return new CentralSink({ url, passwordFile, clock, timers: systemTimers, own, report });
  }

  #addPulse(status: NoticesOptions["status"]): void {
    const { settings, clock } = this.#options;
    const pulse = settings.of("pulse");
    if (pulse === undefined) return;
    const sink = new PulseSink({ settings: pulse, status, clock });
    this.forwarder.add(sink, sink);
  }

  #addRemote(): void {
    const { settings, backups, clock, trust, log, dataDirectory } = this.#options;
    const remote = settings.of("remote");
    if (remote === undefined) return;
    const open = () => remotePlaceOf(remote, join(dataDirectory.sinks, "known-hosts"));
    const sink = new RemoteSink({ backups, file: this.#cursorOf("remote"), clock, trust, log, open });
    this.forwarder.add(sink, sink);
  }

  /** The notices, where a sink for them is set up. */
  #addNotices(status: NoticesOptions["status"]): void {
    const { config, settings, clock, log, dataDirectory, reader, gateway } = this.#options;
    const currency = { code: config.currency, decimals: config.currency_decimals };
    const notice = settings.of("notice");
    const language = languageOf(settings);
    const writer = new NoticeWriter({ language, timeZone: config.time_zone, currency, gateway, clock });
    const sinks = noticeSinks(settings, writer, clock, log);
    this.#notices = undefined;
    if (sinks.length === 0) return;
    const quiet = parseQuietHours(notice?.notice_quiet_hours ?? "");
    const outbox = new NoticeOutbox({
      file: join(dataDirectory.forward, "notices.json"),
      sinks: sinks.map(({ name }) => name),
      log,
      nowMs: () => clock.nowMs(),
      isQuiet: () => quiet !== undefined && isQuiet(reader.localTime(clock.nowMs()), quiet),
    });
    this.#notices = new Notices({
      ...this.#options,
      ...{ status, outbox, writer, page: () => this.#page() },
      silentDays: notice?.notice_silent_days ?? 0,
      summaries: notice?.notice_summaries ?? [],
      wake: () => this.forwarder.apply([]),
    });
    this.#notices.open();
    for (const sink of sinks) this.forwarder.add(outbox.feedOf(sink.name), sink);
  }
}

/** In kilobytes a second, unless another limit was chosen: 500 MB in 9 minutes, of a line that the clinic telephones by. */
const USUAL_LIMIT = 1_000;

/** Without letters that are read as digits, as l and o are. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz";
const GROUPS = 7;
const GROUP_LETTERS = 4;

/** A text of seven groups of four letters, too long to be guessed (126 bits) and a person can copy from paper. */
function newPassphrase(): string {
  const group = () =>
    Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** Throws `config` where its secrets cannot be read, or no passphrase was made. */
export function remotePlaceOf(remote: SinkSettingsOf<"remote">, knownHostsFile: string): Rclone {
  if (remote.remote_passphrase_file === "") {
    throw new FlancoError("config", "No backup is sent yet: nobody has printed the passphrase.", {
      hint: "Make and print it on the page, under State, or with flanco forward passphrase.",
    });
  }
  return new Rclone({
    address: remote.remote_address,
    login: remote.remote_login,
    password: readSecret(remote.remote_password_file),
    passphrase: readSecret(remote.remote_passphrase_file),
    authorityFile: remote.remote_authority_file,
    hostKey: remote.remote_host_key,
    limit: remote.remote_limit || USUAL_LIMIT,
    knownHostsFile,
  });
}

/** The host that a setup sends to, for the audit log; empty for nowhere. */
function hostIn(name: SetupName, values: GivenSetup["values"]): string {
  const place = SETUP_FIELDS[name].find(({ isDestination: isPlace }) => isPlace === true);
  return /^\w+:\/\/(?:[^/@]*@)?([^/?#]*)/.exec(String(values[place?.key ?? ""]))?.[1] ?? "";
}

/** The language of what people read outside of the gateway. */
function languageOf(settings: SinkSettings): Language {
  return settings.of("notice")?.notice_language ?? "es";
}

/** The sinks of notices that are set up. */
function noticeSinks(
  settings: SinkSettings,
  writer: NoticeWriter,
  clock: Clock,
  log: Log,
): readonly Sink<Notice>[] {
  const [email, webhook] = [settings.of("email"), settings.of("webhook")];
  const makeTest = () => writer.test();
  return [
    ...(email === undefined ? [] : [new EmailSink(email, makeTest, (text) => log.warn({}, text))]),
    ...(webhook === undefined ? [] : [new WebhookSink(webhook, makeTest, clock)]),
  ];
}

function mqttSink({ settings, reader, log, version, gateway }: SinksOptions): EntrySink | undefined {
  const mqtt = settings.of("mqtt");
  if (mqtt === undefined) return undefined;
  const ledgers = reader.ledgerIds();
  const devices = () => {
    const accounts = new Set(reader.members().map(({ userId }) => userId));
    return [...accounts].flatMap((userId) => reader.devices(userId));
  };
  return new MqttSink({
    settings: mqtt,
    language: languageOf(settings),
    ledgers,
    gateway,
    version,
    devices,
    log,
  });
}
