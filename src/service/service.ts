import type { Config, ConfigKey } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { TrustedAuthority } from "../domain/gateway.ts";
import type { LinesStatus } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import { UPDATE_HOURS } from "../domain/sink.ts";
import type { DescriptorKeeper } from "../gpio/kept-lines.ts";
import { replaceSecret } from "../http/auth/session.ts";
import { ControlServer, operatorEndpoints } from "../http/control-server.ts";
import { createTrustApp } from "../http/trust/app.ts";
import { createWaitingApp } from "../http/waiting.ts";
import {
  type DataDirectory,
  dataDirectoryOf,
  openToOthers,
  prepareForLedger,
} from "../ledger/engine/data-directory.ts";
import { takeLock } from "../ledger/engine/lock.ts";
import { FrontDoor } from "../net/front-door.ts";
import { OtherGateways } from "../net/other-gateways.ts";
import type { Installation } from "../platform/installation.ts";
import { readBootId } from "../platform/machine.ts";
import type { Work } from "../platform/work.ts";
import { type Api, openApi } from "./api.ts";
import { backupDirectory } from "./backup-target.ts";
import { gatewayName, readGateway } from "./gateway-content.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import { type OpenLines, openLines } from "./lines.ts";
import { MonthClosing } from "./month-closing.ts";
import { NewerPackages } from "./newer-package.ts";
import { SinkSettings } from "./sink-settings.ts";
import { Sinks } from "./sinks.ts";
import { Updates } from "./updates.ts";
import { Upkeep } from "./upkeep.ts";

/** The settings that a service takes over while it runs; every other one is read at its start alone. */
export const LIVE_KEYS = [
  "allowed_origins",
  "host_names",
  "log_level",
] as const satisfies readonly ConfigKey[];

/** The part of the configuration that may change while the service runs. */
type LiveSettings = Pick<Config, (typeof LIVE_KEYS)[number]>;

export interface ServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The built page, and the demonstration's trace, which is
   * played when `demo` is on and no other trace is named.
   */
  readonly installation: Pick<Installation, "version" | "readPage" | "readDemoTrace">;
  /** Keeps lines open while no process runs; undefined without a keeper. */
  readonly keeper?: DescriptorKeeper | undefined;
  /** Called each second of long work at the start; `moves` is false while it makes no progress. */
  readonly onWork: (work: Work, moves: boolean) => void;
  /** Called when the ledger cannot be written any more: the process must stop and be started again. */
  readonly onFatal: (error: Error) => void;
}

/** What every part of a start is opened with. */
export interface Start extends ServiceOptions {
  readonly dataDirectory: DataDirectory;
  /** Which boot of the machine this is. */
  readonly bootId: string;
  /** Ends long work at the start. */
  readonly cancelled: AbortSignal;
}

/** What the API serves. */
export interface OpenParts {
  readonly ledger: OpenLedger;
  readonly lines: OpenLines;
  readonly watchers: Watchers;
  readonly frontDoor: FrontDoor;
}

/** The whole appliance: ledger, lines, watchers and ports, wired to each other. */
export class Service {
  /** The settings that may change while the service runs. A new value takes effect at once. */
  settings: LiveSettings;
  readonly #options: ServiceOptions;
  /** What was opened and must be closed, last first. */
  readonly #closing = new AsyncDisposableStack();
  #frontDoor: FrontDoor | undefined;
  #ledger: OpenLedger | undefined;
  #lines: OpenLines | undefined;
  #sinks: Sinks | undefined;
  #api: Api | undefined;
  /** Long work at the start, once there is some. */
  #work: Work | undefined;
  readonly #cancelled = new AbortController();
  readonly #closed = new AbortController();

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.settings = options.config;
  }

  /** Opens everything, lines before doors. When something fails, what was opened is closed again. */
  async open(): Promise<void> {
    try {
      await this.#openAll();
    } catch (error) {
      await this.close().catch((closing: unknown) => {
        throw new SuppressedError(closing, error);
      });
      throw error;
    }
  }

  /**
   * Stops in the order that loses nothing: it takes no new requests, then
   * releases the lines and commits their last edges, then closes the ledger.
   */
  async close(): Promise<void> {
    this.#closed.abort();
    // Requests for live events end by themselves only when the events do.
    this.#api?.events.close();
    await this.#frontDoor?.close();
    await this.#closing.disposeAsync();
  }

  /** Ends long work at the start: `open` then rejects. */
  cancel(): void {
    this.#cancelled.abort();
  }

  /**
   * Resolves once the writer has answered after all waiting
   * writes. Rejects, or never resolves, when it cannot.
   */
  async proveWorking(): Promise<void> {
    if (this.#ledger === undefined) throw new FlancoError("internal", "The service is not open.");
    const { writer } = this.#ledger;
    try {
      await writer.ping();
    } catch (error) {
      // The writer has answered. A restart would find the disk as full, and lose the edges that wait here.
      if (writer.diskFullSinceMs === null) throw error;
    }
  }

  /** The wired lines. Throws before `open`. */
  lines(): LinesStatus {
    if (this.#lines === undefined) throw new FlancoError("internal", "The service is not open.");
    return this.#lines.recorder.status();
  }

  /** The right to make the first user; undefined once there is one. */
  firstRunToken(): string | undefined {
    return this.#ledger?.reader.accountCount() === 0 ? this.#api?.firstRun.issue() : undefined;
  }

  /** The authority that browsers must trust; null while an administrator's certificate is served. */
  trustedAuthority(): TrustedAuthority | null {
    return this.#frontDoor?.trustedAuthority() ?? null;
  }

  /** Looks for new certificates at once. */
  async reloadCertificates(): Promise<void> {
    await this.#frontDoor?.reloadCertificates();
  }

  async #openAll(): Promise<void> {
    const start = this.#openData();
    const frontDoor = this.#makeFrontDoor(start);
    const ledger = await this.#openLedger(start);
    const onBoots = () => this.#api?.sessions.reload();
    const lines = await openLines(start, ledger, { onBoots, closed: this.#closed.signal }, this.#closing);
    this.#lines = lines;
    const watchers = openWatchers(start, ledger, lines.trust, this.#closing);
    await this.#openPorts(start, { ledger, lines, watchers, frontDoor });
  }

  #openData(): Start {
    const { config, log } = this.#options;
    const dataDirectory = dataDirectoryOf(config.data_dir);
    prepareForLedger(dataDirectory);
    const open = openToOthers(backupDirectory(config));
    if (open !== null) log.warn({}, open);
    this.#closing.defer(takeLock(dataDirectory.lock));
    return {
      ...this.#options,
      dataDirectory,
      bootId: readBootId(),
      onWork: (work, moves) => this.#wait(work, moves),
      cancelled: this.#cancelled.signal,
    };
  }

  /** Made before the ledger is open: it shows long work. */
  #makeFrontDoor({ config, dataDirectory, clock, log }: Start): FrontDoor {
    const frontDoor = new FrontDoor({
      config,
      dataDirectory,
      clock,
      log,
      trust: { trusted: () => this.#lines?.trust.trusted() ?? false },
      hostNames: () => this.settings.host_names,
      trustPage: (source) => createTrustApp(source).callback(),
    });
    this.#frontDoor = frontDoor;
    return frontDoor;
  }

  async #openLedger(start: Start): Promise<OpenLedger> {
    const ledger = await openLedger(start, {
      onFatal: start.onFatal,
      onChanges: (changes) => this.#apply(changes),
      edgesSettled: () => this.#lines?.recorder.settled(),
    });
    this.#ledger = ledger;
    this.#closing.defer(() => ledger.writer.close());
    this.#closing.defer(() => ledger.reader.close());
    this.#closing.defer(() => ledger.costly.close());
    return ledger;
  }

  async #openPorts(start: Start, parts: OpenParts): Promise<void> {
    const { sinks, upkeep, others } = parts.watchers;
    const api = await openApi(start, parts, () => this.settings.allowed_origins, this.#closing);
    this.#api = api;
    sinks.open(
      api.status,
      () => parts.frontDoor.certificateEndsMs(),
      () => parts.frontDoor.reach().page,
    );
    this.#sinks = sinks;
    this.#closing.defer(() => sinks.close());
    // The API did not exist for the changes before this.
    api.sessions.reload();
    const { control: path, secret } = start.dataDirectory;
    const { reader, writer } = parts.ledger;
    const operators = operatorEndpoints({
      reader,
      writer,
      rotateSecret: (by) => api.sessions.rotate(() => replaceSecret(secret), by),
      acknowledged: (keys) => upkeep.acknowledged(keys),
      clockCorrected: (boot, zeroMs) => parts.lines.trust.corrected(boot, zeroMs),
    });
    const { costly } = parts.ledger;
    const { clock, config, log } = start;
    const closing = new MonthClosing({
      reader: { ...reader, ...costly },
      ...{ writer, clock, trust: parts.lines.trust, status: api.status, log },
      currency: { code: config.currency, decimals: config.currency_decimals },
    });
    closing.open();
    this.#closing.defer(() => closing.close());
    const control = new ControlServer(path, [...api.table, ...operators], reader, start.log);
    await control.open();
    this.#closing.defer(() => control.close());
    await parts.frontDoor.serve(api.handler);
    others.open();
    this.#closing.defer(() => others.close());
  }

  /** Shows long work at the ports, and to systemd, until the ledger is open. */
  #wait(work: Work, moves: boolean): void {
    this.#options.onWork(work, moves);
    const isFirst = this.#work === undefined;
    this.#work = work;
    if (!isFirst) return;
    const waiting = createWaitingApp(
      () => this.#work ?? work,
      () => this.#options.clock.nowMs(),
    );
    const { log } = this.#options;
    this.#frontDoor
      ?.serve(waiting.callback())
      .catch((err: unknown) => log.error({ err }, "the ports cannot be opened"));
  }

  /** Call after each commit: passes its changes to every part that follows the ledger. */
  #apply(changes: readonly Change[]): void {
    if (changes.some(({ kind }) => kind === "wiring")) void this.#lines?.recorder.reconcile();
    this.#api?.apply(changes);
    this.#sinks?.forwarder.apply(changes);
    this.#lines?.demonstration
      .wire()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, "the demonstration could not be wired"),
      );
  }
}

/** What looks after the gateway beside the requests. */
export type Watchers = ReturnType<typeof openWatchers>;

/** Begins the upkeep. What must be closed is added to `closing`. */
function openWatchers(
  { config, dataDirectory, bootId, clock, log, installation, onFatal }: Start,
  { reader, writer, costly }: OpenLedger,
  trust: ClockTrust,
  closing: Pick<AsyncDisposableStack, "defer">,
) {
  const { version } = installation;
  const packages = new NewerPackages({ version, clock, log });
  closing.defer(() => packages.close());
  const settings = new SinkSettings({ config, directory: dataDirectory.sinks, log });
  settings.open();
  settings.takeOver();
  const settingsReadMs = clock.nowMs();
  const hours = () => settings.of("update")?.update_hours ?? UPDATE_HOURS;
  const updates = new Updates({ clock, trust, bootId, log, reader, writer, hours });
  const upkeep = new Upkeep({
    config,
    dataDirectory,
    clock,
    trust,
    log,
    gateway: () => readGateway(config),
    writer,
    packages,
    updates,
    onDamaged: onFatal,
  });
  upkeep.open();
  closing.defer(() => upkeep.close());
  const name = () => gatewayName(config, reader);
  const sinks = new Sinks({
    config,
    settings,
    dataDirectory,
    clock,
    trust,
    log,
    reader,
    costly,
    writer,
    backups: upkeep,
    version,
    gateway: name,
  });
  return {
    packages,
    updates,
    upkeep,
    /** They send once the status is known: the caller opens them. */
    sinks,
    /** They are looked for once the ports are open: the caller opens them. */
    others: new OtherGateways({ log }),
    /** The name of this gateway at the moment of the call. */
    name,
    /** Faults that last until they are over. */
    faults: (): readonly Fault[] => [
      ...(writer.diskFullSinceMs === null ? [] : [fault("disk_full", writer.diskFullSinceMs)]),
      ...upkeep.faults(),
      ...(settings.isUnreadable ? [fault("sinks_unreadable", settingsReadMs)] : []),
    ],
  };
}
