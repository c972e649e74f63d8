import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname } from "node:path";
import { boxBroker, type Config, type ConfigKey } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { fault } from "../domain/fault.ts";
import { hueOf } from "../domain/gateway.ts";
import type { LineDriver, LinesStatus } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import type { TrustedAuthority } from "../domain/trust.ts";
import { createDriver } from "../gpio/driver.ts";
import type { DescriptorKeeper } from "../gpio/kept-lines.ts";
import { Recorder } from "../gpio/recorder.ts";
import { SimulatedDriver } from "../gpio/simulated.ts";
import { TracePlayer } from "../gpio/trace-player.ts";
import { WorkerPasswordHasher } from "../http/auth/password.ts";
import { loadSecret, replaceSecret, Sessions } from "../http/auth/session.ts";
import { ControlServer } from "../http/control-server.ts";
import { operatorEndpoints } from "../http/operator.ts";
import { Page } from "../http/page.ts";
import { createTrustApp } from "../http/trust/app.ts";
import { createWaitingApp } from "../http/waiting.ts";
import {
  type DataDirectory,
  dataDirectoryOf,
  openToOthers,
  prepareForLedger,
} from "../ledger/engine/data-directory.ts";
import { identityOf } from "../ledger/engine/identity.ts";
import { takeLock } from "../ledger/engine/lock.ts";
import { FrontDoor } from "../net/front-door.ts";
import { OtherGateways } from "../net/other-gateways.ts";
import { readDisk } from "../platform/disk.ts";
import { writeDurably } from "../platform/durable-file.ts";
import type { Installation } from "../platform/installation.ts";
import { readBootId, readMachine, systemTimers } from "../platform/machine.ts";
import type { Work } from "../platform/work.ts";
import { Api } from "./api.ts";
import { backupDirectory } from "./backup-target.ts";
import { ClockWatch, synchronizedBySystem } from "./clock-watch.ts";
import { configuredTrace, seedDemo } from "./demonstration.ts";
import { gatewayName, readGateway } from "./gateway.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import { NewerPackages } from "./newer-package.ts";
import { SinkSettings } from "./sink-settings.ts";
import { Sinks } from "./sinks.ts";
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

/** The whole appliance: store, lines, recorder, HTTP and the command line's door, wired to each other. */
export class Service {
  /** The settings that may change while the service runs. A new value takes effect at once. */
  settings: LiveSettings;
  readonly #options: ServiceOptions;
  /** What was opened and must be closed, last first. */
  readonly #closing = new AsyncDisposableStack();
  #ledger: OpenLedger | undefined;
  #trust: ClockTrust | undefined;
  #recorder: Recorder | undefined;
  /** Wires the demonstration; undefined where that is not to be done, or is begun. */
  #seed: (() => Promise<void>) | undefined;
  #api: Api | undefined;
  #sinks: Sinks | undefined;
  #frontDoor: FrontDoor | undefined;
  /** The opening of the ports, once it has begun: where a start has long work, before the ledger is open. */
  #opening: Promise<void> | undefined;
  #handler: RequestListener = () => {};
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
    await this.#opening?.catch(() => {});
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
    if (this.#recorder === undefined) throw new FlancoError("internal", "The service is not open.");
    return this.#recorder.status();
  }

  /** The right to make the first user; undefined once there is one. */
  firstRunToken(): string | undefined {
    return this.#ledger?.reader.userCount() === 0 ? this.#api?.firstRun.issue() : undefined;
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
    const { config, clock, log, installation, onFatal } = this.#options;
    const { version } = installation;
    const dataDirectory = dataDirectoryOf(config.data_dir);
    prepareForLedger(dataDirectory);
    const open = openToOthers(backupDirectory(config));
    if (open !== null) log.warn({}, open);
    this.#closing.defer(takeLock(dataDirectory.lock));
    // Given to every part; each takes what its type names.
    const machine = { config, dataDirectory, clock, log, timers: systemTimers, version };
    const frontDoor = new FrontDoor({
      ...machine,
      trust: { trusted: () => this.#trust?.trusted() ?? false },
      hostNames: () => this.settings.host_names,
      trustPage: (source) => createTrustApp(source).callback(),
    });
    this.#frontDoor = frontDoor;
    const ledger = await openLedger({
      ...machine,
      onFatal,
      onChanges: (changes) => this.#apply(changes),
      edgesSettled: () => this.#recorder?.settled(),
      cancelled: this.#cancelled.signal,
      onWork: (work, moves) => this.#wait(work, moves),
    });
    const { writer, reader, heavy } = ledger;
    this.#ledger = ledger;
    this.#closing.defer(() => writer.close());
    this.#closing.defer(() => reader.close());
    this.#closing.defer(() => heavy.close());
    const bootId = readBootId();
    const secret = loadSecret(dataDirectory.secret, log);
    const sessions = new Sessions(secret, clock, writer, reader, log, bootId);
    this.#closing.defer(() => sessions.close());
    const passwords = new WorkerPasswordHasher();
    this.#closing.defer(() => passwords.close());
    const identity = identityOf(dataDirectory.ledger) ?? bootId;
    const driver = this.#makeDriver(`flanco-${identity}`);
    await this.#openDemonstration(driver, dataDirectory, ledger, bootId);
    // Read before ClockWatch stores this process's first sign of life.
    const lastAlive = reader.lastAlive();
    // A demonstration shows its sales also without a network that sets the clock.
    const isTrusted = config.clock_trust === "always" || (config.demo && driver.name === "simulated");
    const trust = new ClockWatch({
      ...machine,
      ...ledger,
      bootId,
      synchronized: isTrusted ? "always" : synchronizedBySystem(),
      committedMs: () => recorder.committedMs(),
      onBoots: () => sessions.reload(),
    });
    this.#trust = trust;
    this.#closing.defer(() => trust.close());
    const parts = { ...machine, ...ledger, bootId, trust };
    const recorder = new Recorder({ ...parts, driver, lastAlive });
    recorder.begin();
    await trust.open();
    this.#recorder = recorder;
    this.#closing.defer(() => recorder.close());
    await recorder.open();
    if (driver instanceof SimulatedDriver) await this.#openTrace(driver);
    const packages = new NewerPackages(machine);
    this.#closing.defer(() => packages.close());
    const settings = new SinkSettings({ ...machine, directory: dataDirectory.sinks });
    settings.open();
    const settingsReadMs = clock.nowMs();
    const gateway = () => readGateway(config);
    const upkeep = new Upkeep({ ...parts, packages, onDamaged: onFatal, gateway });
    upkeep.open();
    this.#closing.defer(() => upkeep.close());
    const name = () => gatewayName(config, reader);
    const others = new OtherGateways(machine);
    const drivable = driver instanceof SimulatedDriver ? driver : null;
    const sinks = new Sinks({ ...parts, settings, gateway: name });
    const api = new Api({
      ...parts,
      sessions,
      passwords,
      lines: recorder,
      drivable,
      setups: sinks,
      page: Page.of(installation.readPage()),
      parts: () => ({
        queues: { writes: writer.queue, edges: recorder.queue() },
        lastBackup: upkeep.lastBackup(),
        lasting: [
          ...(writer.diskFullSinceMs === null ? [] : [fault("disk_full", writer.diskFullSinceMs)]),
          ...upkeep.faults(),
          ...frontDoor.faults(),
          ...(settings.isUnreadable ? [fault("sinks_unreadable", settingsReadMs)] : []),
        ],
        sinks: sinks.forwarder.status(),
        newerPackage: packages.newest,
        gateway: { name: name(), hue: hueOf(identity) },
        otherGateways: others.list(),
      }),
      readDisk: () => readDisk(dataDirectory.ledger),
      readMachine: () => readMachine(dirname(dataDirectory.ledger)),
      syncMs: () => writer.syncMs,
      allowedOrigins: () => this.settings.allowed_origins,
      proxies: config.trusted_proxies,
      isKnownHost: (name) => frontDoor.isKnownHost(name),
      reach: () => frontDoor.reach(),
    });
    this.#closing.defer(() => api.close());
    await api.open();
    this.#api = api;
    sinks.open(api.status);
    this.#sinks = sinks;
    this.#closing.defer(() => sinks.close());
    // The API did not exist for the changes before this.
    sessions.reload();
    const operators = operatorEndpoints({
      ...ledger,
      rotateSecret: (by) => sessions.rotate(() => replaceSecret(dataDirectory.secret), by),
      acknowledged: (keys) => upkeep.acknowledged(keys),
      clockCorrected: (boot, zeroMs) => trust.corrected(boot, zeroMs),
    });
    const control = new ControlServer(dataDirectory.control, [...api.table, ...operators], reader, log);
    await control.open();
    this.#closing.defer(() => control.close());
    this.#handler = api.handler;
    await this.#openDoor();
    others.open();
    this.#closing.defer(() => others.close());
  }

  /** Opens the ports, once. */
  #openDoor(): Promise<void> {
    this.#opening ??= this.#frontDoor?.open((request, response) => this.#handler(request, response));
    return this.#opening ?? Promise.resolve();
  }

  /** Shows long work at the ports, and to systemd, until the ledger is open. */
  #wait(work: Work, moves: boolean): void {
    this.#options.onWork(work, moves);
    this.#work = work;
    if (this.#opening !== undefined) return;
    this.#handler = createWaitingApp(
      () => this.#work ?? work,
      () => this.#options.clock.nowMs(),
    ).callback();
    this.#openDoor().catch((err: unknown) => this.#options.log.error({ err }, "the ports cannot be opened"));
  }

  #makeDriver(clientId: string): LineDriver {
    const { config, clock, log, keeper } = this.#options;
    const driver = createDriver(config.gpio_driver, {
      clock,
      timers: systemTimers,
      warn: (text) => log.warn({ driver: config.gpio_driver }, text),
      simulatedLineCount: config.simulated_lines,
      keeper,
      boxes: boxBroker(config, clientId),
    });
    if (driver.name === "simulated")
      log.warn({ driver: driver.name }, "SIMULATED lines: nothing here is a real relay");
    return driver;
  }

  async #openTrace(driver: SimulatedDriver): Promise<void> {
    const { config, clock, installation } = this.#options;
    const trace = configuredTrace(config, installation, await driver.detect());
    if (trace === undefined) return;
    const player = new TracePlayer(trace, { lines: driver, clock, timers: systemTimers });
    await player.open();
    this.#closing.defer(() => player.close());
  }

  /** Wires the demonstration before the lines are watched; once, so that what a user deletes of it stays deleted. */
  async #openDemonstration(
    driver: LineDriver,
    { demonstrated }: DataDirectory,
    { reader, writer }: OpenLedger,
    bootId: string,
  ): Promise<void> {
    // Only with simulated lines: any other driver would not find its lines.
    if (!this.#options.config.demo || driver.name !== "simulated" || existsSync(demonstrated)) return;
    const seed = async (): Promise<void> => {
      if (reader.userCount() === 0) return;
      this.#seed = undefined;
      writeDurably(demonstrated, "The demonstration was wired here; it is not wired again.\n");
      const { signal } = this.#closed;
      await seedDemo({ reader, writer, clock: this.#options.clock, bootId, signal });
    };
    this.#seed = seed;
    await seed();
  }

  /** Call after each commit: passes its changes to every part that follows the ledger. */
  #apply(changes: readonly Change[]): void {
    if (changes.some(({ kind }) => kind === "wiring")) void this.#recorder?.reconcile();
    this.#api?.apply(changes);
    this.#sinks?.forwarder.apply(changes);
    // The first user gets the demonstration.
    this.#seed?.().catch((error: unknown) =>
      this.#options.log.error({ err: error }, "the demonstration could not be wired"),
    );
  }
}
