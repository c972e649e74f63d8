import { readFileSync } from "node:fs";
import { FailedSignIns } from "../auth/failed-sign-ins.ts";
import { WorkerPasswordHasher } from "../auth/password.ts";
import { loadSecret, replaceSecret } from "../auth/secret.ts";
import { SESSION_SECONDS, Sessions } from "../auth/session.ts";
import { openSynchronized, type Synchronized } from "../clock-trust.ts";
import type { Config } from "../config/schema.ts";
import { LocalOperations } from "../control/operation.ts";
import { ControlServer } from "../control/server.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { diskFullFault, type Fault } from "../domain/fault.ts";
import type { Change } from "../domain/ledger.ts";
import type { LineDriver } from "../domain/line.ts";
import type { LinesStatus } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import { createDriver } from "../gpio/driver.ts";
import type { DescriptorKeeper } from "../gpio/keeper.ts";
import { Recorder } from "../gpio/recorder.ts";
import { SimulatedDriver } from "../gpio/simulated.ts";
import { systemTimers } from "../gpio/timers.ts";
import { TracePlayer } from "../gpio/trace.ts";
import { createApp } from "../http/app.ts";
import { LiveEvents } from "../http/events.ts";
import { FirstRunToken } from "../http/first-run.ts";
import { Page } from "../http/page.ts";
import type { TrustedAuthority } from "../http/trust/app.ts";
import type { Installation } from "../installation.ts";
import { readDisk } from "../store/disk-usage.ts";
import { DataLock } from "../store/lock.ts";
import { openReader, type StoreReader } from "../store/reader.ts";
import { markSuspect } from "../store/suspect.ts";
import { UnwatchedFile } from "../store/unwatched-file.ts";
import { StoreWriter } from "../store/writer.ts";
import { backupDirectory } from "./backup-target.ts";
import { ClockWatch } from "./clock-watch.ts";
import { Demonstration } from "./demo.ts";
import { FrontDoor } from "./front-door.ts";
import { configuredTrace } from "./line-trace.ts";
import { type Place, placeOf, preparePlace } from "./place.ts";
import { openToOthers } from "./place-check.ts";
import { openRecovering } from "./recovery.ts";
import type { LiveSettings } from "./reload.ts";
import { archiveDirectory, Retention } from "./retention.ts";
import { StatusReport } from "./status-report.ts";
import { Upkeep } from "./upkeep.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

export interface ServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** The built page, and the demonstration's trace, which is played when `demo` is on and no other trace is named. */
  readonly installation: Pick<Installation, "version" | "readPage" | "readDemoTrace">;
  /** What says that the clock was set from outside; undefined: systemd and the kernel do. */
  readonly synchronized?: Synchronized;
  /** Whoever keeps lines while no process runs; undefined where nobody does. */
  readonly keeper?: DescriptorKeeper | undefined;
  /** Long work at start, for whoever is waiting. */
  readonly onProgress: (done: number, total: number) => void;
  /** The ledger cannot be written any more: the process must stop and be started again. */
  readonly onFatal: (error: Error) => void;
}

/** Something that was opened and must be closed, last first. */
type Close = () => void | Promise<void>;

/** The whole appliance: store, lines, recorder, HTTP and the command line's door, wired to each other. */
export class Service {
  /** What is in force of the settings that may change while it runs; whoever sets it changes them at once. */
  settings: LiveSettings;
  readonly #options: ServiceOptions;
  readonly #closing: Close[] = [];
  readonly #firstRun: FirstRunToken;
  readonly #events = new LiveEvents();
  #reader: StoreReader | undefined;
  #writer: StoreWriter | undefined;
  #recorder: Recorder | undefined;
  #frontDoor: FrontDoor | undefined;
  #onChanges: (changes: readonly Change[]) => void = () => {};

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.settings = options.config;
    this.#firstRun = new FirstRunToken(options.clock);
  }

  /** Opens everything, lines before doors. When something fails, what was opened is closed again. */
  async open(): Promise<void> {
    try {
      await this.#openAll();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Stops in the order that loses nothing: no new requests, then the lines are released and all that
   * they told is committed, then the ledger is closed.
   */
  async close(): Promise<void> {
    for (let close = this.#closing.pop(); close !== undefined; close = this.#closing.pop()) await close();
  }

  /** Resolves once the ledger's writer has answered behind all that waits. Rejects, or never comes, when it cannot. */
  async proveWorking(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) throw new FlancoError("internal", "The service is not open.");
    try {
      await writer.ping();
    } catch (error) {
      // It has answered. Another process would find the disk as full, and know nothing of the edges that wait here.
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
    return this.#reader?.userCount() === 0 ? this.#firstRun.issue() : undefined;
  }

  /** The authority that browsers must be told to trust; null where the certificate is another one's. */
  trustedAuthority(): TrustedAuthority | null {
    return this.#frontDoor?.trustedAuthority() ?? null;
  }

  /** Looks for new certificates at once. */
  async reloadCertificates(): Promise<void> {
    await this.#frontDoor?.reloadCertificates();
  }

  async #openAll(): Promise<void> {
    const { config, clock, log, installation, onFatal } = this.#options;
    const place = placeOf(config.data_dir);
    preparePlace(place);
    for (const directory of [backupDirectory(config), archiveDirectory(config)]) {
      const open = openToOthers(directory);
      if (open !== null) log.warn({}, open);
    }
    const lock = new DataLock(place.lock);
    lock.acquire();
    this.#closing.push(() => lock.release());
    const { writer, reader } = await this.#openLedger(place);
    const bootId = readBootId();
    // Before the clock's watch notes that this process runs.
    const lastAlive = reader.lastAlive();
    const keeper = new Sessions(loadSecret(place.secret), clock, writer, reader, log, bootId);
    keeper.reload();
    const trust = new ClockWatch({
      clock,
      bootId,
      writer,
      reader,
      log,
      synchronized: await this.#synchronized(),
      onBoots: () => keeper.reload(),
    });
    await trust.open();
    this.#closing.push(() => trust.close());
    this.#closing.push(() => keeper.close());
    const failedSignIns = new FailedSignIns(clock, writer, log);
    this.#closing.push(() => failedSignIns.write());
    const retention = new Retention({ config, place, clock, trust, writer, log });
    this.#closing.push(() => retention.close());
    const upkeep = new Upkeep({ config, place, clock, trust, log, retention, onDamaged: onFatal });
    upkeep.open();
    this.#closing.push(() => upkeep.close());
    const passwords = new WorkerPasswordHasher();
    passwords.open();
    this.#closing.push(() => passwords.close());
    const driver = this.#makeDriver();
    const unwatched = new UnwatchedFile(place.unwatched, log);
    const recorder = new Recorder({
      ...{ driver, writer, reader, clock, trust, log, bootId, lastAlive, unwatched },
    });
    this.#closing.push(() => unwatched.close());
    this.#recorder = recorder;
    // Its lines are simulated ones: with any other driver they would be wired and never found.
    const wanted = config.demo && driver.simulated;
    const demonstration = wanted ? new Demonstration(place.demonstrated, reader, writer) : null;
    this.#onChanges = (changes) => this.#spread(changes, keeper, recorder, demonstration);
    await demonstration?.seed();
    await recorder.open();
    this.#closing.push(() => recorder.close());
    if (driver instanceof SimulatedDriver) await this.#openTrace(driver);
    const frontDoor = new FrontDoor({
      ...{ config, place, clock, trust, reader, writer, log },
      hostNames: () => this.settings.host_names,
    });
    this.#frontDoor = frontDoor;
    const status = new StatusReport({
      ...{
        version: installation.version,
        bootId,
        clock,
        trust,
        reader,
        log,
        lines: recorder,
        timeZone: config.time_zone,
      },
      currency: { code: config.currency, decimals: config.currency_decimals },
      queues: () => ({ writes: writer.queue, edges: recorder.queue() }),
      lastBackup: () => upkeep.lastBackup(),
      faults: () => [...faultsOf(writer), ...upkeep.faults(), ...frontDoor.faults()],
      readDisk: () => readDisk(place.ledger),
    });
    await status.open();
    this.#closing.push(() => status.close());
    this.#events.open();
    const drivable = driver instanceof SimulatedDriver ? driver : null;
    const app = createApp({
      reader,
      writer,
      passwords,
      lines: recorder,
      drivable,
      status,
      events: this.#events,
      firstRun: this.#firstRun,
      page: Page.of(installation.readPage()),
      sessions: {
        lifetimeSeconds: SESSION_SECONDS,
        begin: (credentials, by) => keeper.begin(credentials, by),
        check: (token) => keeper.check(token),
        end: (token, by) => keeper.end(token, by),
      },
      failedSignIns,
      clock,
      log,
      timeZone: config.time_zone,
      allowedOrigins: () => this.settings.allowed_origins,
      isKnownHost: (name) => frontDoor.isKnownHost(name),
    });
    const operations = new LocalOperations({
      ...{ reader, writer, passwords, lines: recorder, drivable, status },
      rotateSecret: (by) => keeper.rotate(() => replaceSecret(place.secret), by),
      archivist: retention,
    });
    const control = new ControlServer(place.control, operations, recorder, log);
    await control.open();
    this.#closing.push(() => control.close());
    this.#closing.push(() => frontDoor.close());
    await frontDoor.open(app.callback());
    this.#closing.push(() => this.#events.close());
  }

  /** The ledger for writing and for reading, built anew where it is damaged. */
  async #openLedger(place: Place): Promise<{ readonly writer: StoreWriter; readonly reader: StoreReader }> {
    const { config, clock, log, onProgress } = this.#options;
    const options = { config, place, log, nowMs: () => clock.nowMs(), onProgress };
    return openRecovering(options, async () => {
      const writer = await this.#openWriter(place);
      try {
        const reader = openReader(place.ledger, config.time_zone);
        this.#reader = reader;
        this.#closing.push(() => reader.close());
        return { writer, reader };
      } catch (error) {
        this.#closing.pop();
        await writer.close();
        throw error;
      }
    });
  }

  async #openWriter({ ledger, reserve }: Place): Promise<StoreWriter> {
    const { config, clock, log, onProgress, onFatal } = this.#options;
    const settings = { file: ledger, timeZone: config.time_zone, reserve };
    const writer = new StoreWriter(settings, clock, {
      onDisk: (fullSinceMs) => {
        if (fullSinceMs === null) log.warn({}, "the disk has room again");
        else log.error({ ...diskFullFault(fullSinceMs) }, "the disk is full");
      },
      onChanges: (changes) => this.#onChanges(changes),
      onProgress,
      onDeath: (error) => {
        // What is seen at once at the next start may be sound: it is to look at all of it.
        if (error instanceof FlancoError && error.code === "damaged") markSuspect(ledger, log);
        onFatal(error);
      },
    });
    await writer.open();
    this.#closing.push(() => writer.close());
    this.#writer = writer;
    return writer;
  }

  async #synchronized(): Promise<Synchronized | "always"> {
    const { config, log, synchronized } = this.#options;
    return config.clock_trust === "always" ? "always" : (synchronized ?? (await openSynchronized(log)));
  }

  #makeDriver(): LineDriver {
    const { config, clock, log, keeper } = this.#options;
    const driver = createDriver(config.gpio_driver, {
      clock,
      timers: systemTimers,
      warn: (text) => log.warn({ driver: config.gpio_driver }, text),
      simulatedLineCount: config.simulated_lines,
      keeper,
    });
    if (driver.simulated) log.warn({ driver: driver.name }, "SIMULATED lines: nothing here is a real relay");
    return driver;
  }

  async #openTrace(driver: SimulatedDriver): Promise<void> {
    const { config, clock, installation } = this.#options;
    const trace = configuredTrace(config, installation, await driver.detect());
    if (trace === undefined) return;
    const player = new TracePlayer(trace, { lines: driver, clock, timers: systemTimers });
    await player.open();
    this.#closing.push(() => player.close());
  }

  /** After each commit: whoever shows or watches what it changed. */
  #spread(
    changes: readonly Change[],
    sessions: Sessions,
    recorder: Recorder,
    demonstration: Demonstration | null,
  ): void {
    const kinds = new Set(changes.map((change) => change.kind));
    if (kinds.has("sessions")) sessions.reload();
    if (kinds.has("wiring")) void recorder.reconcile();
    if (kinds.has("user")) {
      this.#firstRun.revoke();
      if (demonstration !== null) void this.#seed(demonstration);
    }
    this.#events.tell(changes);
  }

  async #seed(demonstration: Demonstration): Promise<void> {
    try {
      await demonstration.seed();
    } catch (error) {
      this.#options.log.error({ err: error }, "the demonstration could not be wired");
    }
  }
}

function faultsOf({ diskFullSinceMs }: StoreWriter): readonly Fault[] {
  return diskFullSinceMs === null ? [] : [diskFullFault(diskFullSinceMs)];
}

function readBootId(): string {
  return readFileSync(BOOT_ID_FILE, "utf8").trim();
}
