import { createSecretKey, randomUUID } from "node:crypto";
import type { Change } from "../../src/domain/change.ts";
import { monotonicMs, type Timers } from "../../src/domain/clock.ts";
import type { Member } from "../../src/domain/member.ts";
import type { StoredRecord } from "../../src/domain/record.ts";
import { Recorder } from "../../src/gpio/recorder.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import { Sessions } from "../../src/http/auth/session.ts";
import { openReader, type StoreReader } from "../../src/ledger/engine/reader.ts";
import type { StoreWriter } from "../../src/ledger/engine/writer.ts";
import { newestOf, type Sign } from "../../src/ledger/safety/sign-of-life.ts";
import { ClockWatch } from "../../src/service/clock-watch.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { recordsOf } from "../ledger/records-of.ts";
import { newDevice, newWiring } from "../ledger/test-ledger.ts";
import { TemporaryDirectory } from "./temporary-directory.ts";
import { until } from "./until.ts";
import { writerHere } from "./writer.ts";

const LINE = "SIM0";
/** From power on to the program's start. */
const BOOT_MS = 12_345;
const PASSWORD_HASH = "$2b$10$hash";
const NO_TIMERS: Timers = { after: () => () => {} };

/** A machine without a clock chip: what time it is, what it believes, and whether the network has told it. */
class Machine extends SetClock {
  bootId = "";
  synchronized = false;
  trueMs: number;

  constructor(trueMs: number) {
    super(0);
    this.trueMs = trueMs;
  }

  /** Starts anew, believing that it is `wallMs`. */
  boot(wallMs: number): void {
    this.bootId = randomUUID();
    this.synchronized = false;
    this.setWall(wallMs);
    this.advanceMonotonic(-monotonicMs(this));
    this.pass(BOOT_MS);
  }

  /** Without power: time passes, and the machine knows nothing of it. */
  away(ms: number): void {
    this.trueMs += ms;
  }

  override pass(ms: number): void {
    this.trueMs += ms;
    super.pass(ms);
  }

  jump(ms: number): void {
    this.setWall(this.nowMs() + ms);
  }

  /** The network sets the clock, to the millisecond. */
  synchronize(): void {
    this.setWall(this.trueMs);
    this.synchronized = true;
  }
}

interface RunningParts {
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  readonly sessions: Sessions;
  readonly trust: ClockWatch;
  readonly recorder: Recorder;
}

export interface GatewayOptions {
  /** Off for a control: the clock becomes trusted, but earlier records are not moved. */
  readonly settling?: boolean;
  /** Off for a control: the ledger never hears which boot it is. */
  readonly noting?: boolean;
  /** Whether the machine keeps its own time, which is trusted. */
  readonly keepsTime?: boolean;
}

/**
 * The ledger with the service's recording and sessions, on a machine whose time is the test's. One room is wired.
 * `truth` has the true time of each sale.
 */
export class Gateway {
  readonly machine: Machine;
  readonly changes: Change[] = [];
  /** When each sale was, and when it ended, in true time. */
  readonly truth: { readonly atMs: number; endedMs: number | null }[] = [];
  readonly log = new KeptLog();
  readonly signs: Sign[] = [];
  /** Whether the file of the signs of life takes them. */
  signing = true;
  /** What `GatewayOptions` says; may change between two starts. */
  settling: boolean;
  noting: boolean;
  readonly #keepsTime: boolean;
  readonly #directory = new TemporaryDirectory();
  readonly #secret = createSecretKey(Buffer.alloc(32, 7));
  readonly #driver: SimulatedDriver;
  #running: RunningParts | undefined;
  #user: Member | undefined;

  private constructor(trueMs: number, options: GatewayOptions) {
    this.machine = new Machine(trueMs);
    this.settling = options.settling ?? true;
    this.noting = options.noting ?? true;
    this.#keepsTime = options.keepsTime ?? false;
    this.#driver = new SimulatedDriver({ clock: this.machine, timers: NO_TIMERS, lineCount: 1 });
  }

  /** A gateway that runs, at this true time, and believes that it is `wallMs`. */
  static async booted(trueMs: number, wallMs: number, options: GatewayOptions = {}): Promise<Gateway> {
    const gateway = new Gateway(trueMs, options);
    gateway.machine.boot(wallMs);
    await gateway.start();
    return gateway;
  }

  get file(): string {
    return this.#directory.file("flanco.db");
  }

  get writer(): StoreWriter {
    return this.#it.writer;
  }

  get reader(): StoreReader {
    return this.#it.reader;
  }

  /** Sales were moved by another zero of the clock. */
  corrected(bootId: string, zeroMs: number): void {
    this.#it.trust.corrected(bootId, zeroMs);
  }

  get sessions(): Sessions {
    return this.#it.sessions;
  }

  get recorder(): Recorder {
    return this.#it.recorder;
  }

  get user(): Member {
    if (this.#user === undefined) throw new Error("The gateway was never started.");
    return this.#user;
  }

  get #it(): RunningParts {
    if (this.#running === undefined) throw new Error("The program does not run.");
    return this.#running;
  }

  /** Starts the program; at its first start with a user and a wired room. */
  async start(): Promise<void> {
    const { bootId } = this.machine;
    const clock = this.machine;
    const writer = writerHere({ file: this.file, timeZone: "UTC" }, clock, {
      onChanges: (changes) => {
        this.changes.push(...changes);
        if (changes.some(({ kind }) => kind === "sessions")) sessions.reload();
        if (changes.some(({ kind }) => kind === "wiring")) void this.#running?.recorder.reconcile();
      },
    });
    await writer.open();
    const reader = openReader(this.file, "UTC");
    const { log } = this;
    const sessions = new Sessions(this.#secret, clock, writer, reader, log, bootId);
    const trust = new ClockWatch({
      clock,
      bootId,
      log,
      reader,
      synchronized: this.#keepsTime ? "always" : () => this.machine.synchronized,
      writer: {
        noteBoot: (...noted) => (this.noting ? writer.noteBoot(...noted) : Promise.resolve()),
        settleTimes: (id, zeroMs) =>
          this.settling ? writer.settleTimes(id, zeroMs) : Promise.resolve({ moved: 0, more: false }),
        purge: () => writer.purge(),
      },
      committedMs: () => recorder.committedMs(),
      sign: async (monotonicMs) => {
        if (!this.signing) throw new Error("EIO");
        this.signs.push({ bootId, monotonicMs, commits: reader.commits() });
      },
      onBoots: () => sessions.reload(),
    });
    sessions.reload();
    const recorder = new Recorder({
      driver: this.#driver,
      writer,
      reader,
      clock,
      timers: NO_TIMERS,
      trust,
      log,
      bootId,
    });
    recorder.begin(newestOf(this.signs, reader));
    await trust.open();
    this.#running = { writer, reader, sessions, trust, recorder };
    await recorder.open();
    if (this.#user === undefined) await this.#wire();
  }

  /** Ends the program: what is under way stops where it is, as far as it is committed. */
  async stop(): Promise<void> {
    const { trust, recorder, reader, writer, sessions } = this.#it;
    this.#running = undefined;
    await recorder.close();
    await sessions.close();
    await writer.close();
    await trust.close();
    reader.close();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Cuts the power, for a while, and starts again with whatever the machine believes then. */
  async reboot(awayMs: number, wallMs: number): Promise<void> {
    await this.stop();
    this.machine.away(awayMs);
    this.machine.boot(wallMs);
    await this.start();
  }

  async remove(): Promise<void> {
    if (this.#running !== undefined) await this.stop();
    this.#directory.remove();
  }

  /** The watch looks at the clock, as it does every second; resolves once all that follows is done. */
  async checkClock(): Promise<void> {
    // Time that passed while a level waited for its commit is not known to have passed.
    await this.writer.ping();
    await this.#it.trust.idle();
    // The look of a second ago.
    this.recorder.committedMs();
    this.#it.trust.checkClock();
    await this.#it.trust.idle();
  }

  /** As `ClockWatch.trustedSinceMs`. */
  trustedSinceMs(): number | null {
    return this.#it.trust.trustedSinceMs();
  }

  /** The network sets the clock, and the watch sees it. */
  async setByNetwork(): Promise<void> {
    this.machine.synchronize();
    await this.checkClock();
  }

  /** Looks, and does not wait. */
  glance(): void {
    this.#it.trust.checkClock();
  }

  /** The relay goes high; resolves once its sale is in the ledger. */
  async switchOn(): Promise<void> {
    this.truth.push({ atMs: this.machine.trueMs, endedMs: null });
    this.#driver.set(LINE, true);
    await until("the sale is in the ledger", () => this.records().length === this.truth.length);
  }

  async switchOff(): Promise<void> {
    const last = this.truth.at(-1);
    if (last !== undefined) last.endedMs = this.machine.trueMs;
    this.#driver.set(LINE, false);
    await until("the end is in the ledger", () => this.records().at(-1)?.endedTimeMs !== null);
  }

  async sell(): Promise<void> {
    await this.switchOn();
    this.machine.pass(700);
    await this.switchOff();
    this.machine.pass(300);
  }

  /** All records, oldest first. */
  records(): StoredRecord[] {
    return recordsOf(this.#it.reader, this.user.id).toReversed();
  }

  async signIn(): Promise<string> {
    return this.#it.sessions.begin({ member: this.user, passwordHash: PASSWORD_HASH });
  }

  isSignedIn(token: string): boolean {
    return this.#it.sessions.check(token) !== undefined;
  }

  async #wire(): Promise<void> {
    const { writer } = this.#it;
    this.#user = await writer.addUser({ name: "Ana", email: "ana@example.org", passwordHash: PASSWORD_HASH });
    await writer.addDevice(this.#user.id, newDevice());
    await writer.setWiring([{ userId: this.#user.id, wiring: newWiring({ line: LINE, debounceMs: 0 }) }]);
    await until("the line is watched", () => this.recorder.status().watched.length === 1);
  }
}
