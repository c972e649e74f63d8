import type { Config, ConfigKey } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LinesStatus } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import type { TrustedAuthority } from "../domain/trust.ts";
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
import type { Installation } from "../platform/installation.ts";
import { readBootId } from "../platform/machine.ts";
import type { Work } from "../platform/work.ts";
import { type Api, openApi } from "./api.ts";
import { backupDirectory } from "./backup-target.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import { type OpenLines, openLines } from "./lines.ts";
import type { Sinks } from "./sinks.ts";
import { openWatchers, type Watchers } from "./watchers.ts";

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

/** What outlives a process, and which boot of the machine this is. */
interface OpenData {
  readonly dataDirectory: DataDirectory;
  readonly bootId: string;
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
    const data = this.#openData();
    const frontDoor = this.#makeFrontDoor(data);
    const ledger = await this.#openLedger(data);
    const lines = await this.#openLines(data, ledger);
    const watchers = this.#openWatchers(data, ledger, lines);
    await this.#openPorts(data, ledger, lines, watchers, frontDoor);
  }

  #openData(): OpenData {
    const { config, log } = this.#options;
    const dataDirectory = dataDirectoryOf(config.data_dir);
    prepareForLedger(dataDirectory);
    const open = openToOthers(backupDirectory(config));
    if (open !== null) log.warn({}, open);
    this.#closing.defer(takeLock(dataDirectory.lock));
    return { dataDirectory, bootId: readBootId() };
  }

  /** Made before the ledger is open: it shows long work. */
  #makeFrontDoor({ dataDirectory }: OpenData): FrontDoor {
    const { config, clock, log } = this.#options;
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

  async #openLedger({ dataDirectory }: OpenData): Promise<OpenLedger> {
    const { config, clock, log, onFatal } = this.#options;
    const ledger = await openLedger({
      config,
      dataDirectory,
      clock,
      log,
      onFatal,
      onChanges: (changes) => this.#apply(changes),
      edgesSettled: () => this.#lines?.recorder.settled(),
      cancelled: this.#cancelled.signal,
      onWork: (work, moves) => this.#wait(work, moves),
    });
    this.#ledger = ledger;
    this.#closing.defer(() => ledger.writer.close());
    this.#closing.defer(() => ledger.reader.close());
    this.#closing.defer(() => ledger.heavy.close());
    return ledger;
  }

  async #openLines({ dataDirectory, bootId }: OpenData, ledger: OpenLedger): Promise<OpenLines> {
    const { config, clock, log, installation, keeper } = this.#options;
    const onBoots = () => this.#api?.sessions.reload();
    const { signal: closed } = this.#closed;
    const options = {
      config,
      dataDirectory,
      ledger,
      bootId,
      clock,
      log,
      installation,
      keeper,
      onBoots,
      closed,
    };
    this.#lines = await openLines(options, this.#closing);
    return this.#lines;
  }

  #openWatchers({ dataDirectory }: OpenData, ledger: OpenLedger, { trust }: OpenLines): Watchers {
    const { config, clock, log, installation, onFatal: onDamaged } = this.#options;
    const { version } = installation;
    return openWatchers(
      { config, dataDirectory, ledger, clock, trust, log, version, onDamaged },
      this.#closing,
    );
  }

  async #openPorts(
    { dataDirectory, bootId }: OpenData,
    ledger: OpenLedger,
    lines: OpenLines,
    watchers: Watchers,
    frontDoor: FrontDoor,
  ): Promise<void> {
    const { config, clock, log, installation } = this.#options;
    const { sinks, upkeep, others } = watchers;
    const allowedOrigins = () => this.settings.allowed_origins;
    const api = await openApi(
      {
        config,
        dataDirectory,
        bootId,
        clock,
        log,
        installation,
        ledger,
        lines,
        watchers,
        frontDoor,
        allowedOrigins,
      },
      this.#closing,
    );
    this.#api = api;
    sinks.open(api.status);
    this.#sinks = sinks;
    this.#closing.defer(() => sinks.close());
    // The API did not exist for the changes before this.
    api.sessions.reload();
    const { reader, writer } = ledger;
    const operators = operatorEndpoints({
      reader,
      writer,
      rotateSecret: (by) => api.sessions.rotate(() => replaceSecret(dataDirectory.secret), by),
      acknowledged: (keys) => upkeep.acknowledged(keys),
      clockCorrected: (boot, zeroMs) => lines.trust.corrected(boot, zeroMs),
    });
    const control = new ControlServer(dataDirectory.control, [...api.table, ...operators], reader, log);
    await control.open();
    this.#closing.defer(() => control.close());
    await frontDoor.serve(api.handler);
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
