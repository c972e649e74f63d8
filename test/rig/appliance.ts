import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, globalAgent, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import supertest from "supertest";
import type { Config } from "../../src/contract/config/schema.ts";
import type { Credentials, PasswordHasher } from "../../src/domain/account.ts";
import type { AuditEntry } from "../../src/domain/audit.ts";
import type { Fault } from "../../src/domain/fault.ts";
import type { OtherGateway } from "../../src/domain/gateway.ts";
import type { Member, Role } from "../../src/domain/member.ts";
import type { StoredRecord } from "../../src/domain/record.ts";
import type {
  BackupStatus,
  NewerPackage,
  Queues,
  SinkStatus,
  UpdatesStatus,
} from "../../src/domain/status.ts";
import { type Disk, UNKNOWN_MACHINE } from "../../src/domain/status.ts";
import { Sessions } from "../../src/http/auth/session.ts";
import type { FailedSignIns } from "../../src/http/auth/sign-in-gate.ts";
import type { EventStreams } from "../../src/http/event.ts";
import { Page, type PageFile } from "../../src/http/page.ts";
import type { Endpoint } from "../../src/http/router.ts";
import type { FirstRunToken } from "../../src/http/session.ts";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { costlyReads, openReader, type StoreReader } from "../../src/ledger/engine/reader.ts";
import type { StoreWriter } from "../../src/ledger/engine/writer.ts";
import { systemTimers } from "../../src/platform/machine.ts";
import { type Api, makeApi } from "../../src/service/api.ts";
import { defaultConfig } from "../../src/service/config-file.ts";
import { SinkSettings } from "../../src/service/sink-settings.ts";
import { Sinks } from "../../src/service/sinks.ts";
import type { StatusReport } from "../../src/service/status-report.ts";
import { Breaker, FakeLines, KeptLog, SetClock } from "../http/fakes.ts";
import { recordsOf } from "../ledger/records-of.ts";
import { type Description, HeldDescription } from "./description.ts";
import { sharedHasher } from "./shared-hasher.ts";
import { SignedInUser } from "./signed-in-user.ts";
import { writerHere } from "./writer.ts";

export const TIME_ZONE = "Europe/Madrid";
/** Wednesday 11 March 2026, 12:00 in Madrid. */
export const NOON_MS = Date.parse("2026-03-11T12:00:00+01:00");
/** The boot that every appliance runs in. */
export const BOOT_ID = "6ee1ae60-0b6c-4a0e-9d5a-0f6a8f1f2c11";

/** What an appliance is asked for by. */
const HOSTS = ["127.0.0.1", "localhost", "::1", "clinica.local"];

/** Made once: it takes a fifth of the time that an appliance does. */
const DEFAULTS = defaultConfig(null);

/** Stands in for the built page. */
export const SMALL_PAGE: readonly PageFile[] = [
  { name: "index.html", content: Buffer.from("<title>flanco</title>") },
  { name: "assets/app.js", content: Buffer.from("export {};") },
];

export interface ApplianceOptions {
  readonly allowedOrigins?: readonly string[];
  /** None: there is no page. */
  readonly page?: readonly PageFile[];
  /** In place of the hasher in its worker. */
  readonly passwords?: PasswordHasher;
  /** Settings that differ. */
  readonly config?: Partial<Config>;
  /** Addresses that say where a request comes from. */
  readonly proxies?: readonly string[];
  /** Whether lines cannot be set by hand. */
  readonly realLines?: boolean;
}

type Requests = ReturnType<typeof supertest>;

interface Store {
  readonly directory: string;
  readonly clock: SetClock;
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
}

let held: Promise<HeldDescription> | undefined;

/**
 * The service's API on a ledger of its own, listening on loopback, in the test's process. Each answer is held to
 * the API's description, which is the same for all. The store with its writer thread, sessions and passwords are real; lines, log, clock and disk are the test's.
 */
export class Appliance {
  readonly clock: SetClock;
  readonly lines = new FakeLines();
  readonly log = new KeptLog();
  readonly breaker = new Breaker();
  /** What signs this appliance's tokens. */
  readonly secret: KeyObject = createSecretKey(randomBytes(32));
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  readonly sessions: Sessions;
  readonly #directory: string;
  readonly #config: Config;
  readonly #server: Server;
  /** What status tells of: all as it should be, unless a test says otherwise. */
  faults: readonly Fault[] = [];
  lastBackup: BackupStatus | null = null;
  disk: Disk = {
    freeBytes: 8_000_000_000,
    totalBytes: 16_000_000_000,
    ledgerBytes: 4_096,
    logBytes: 0,
    card: null,
  };
  readDisk = (): Promise<Disk> => Promise.resolve(this.disk);
  machine = UNKNOWN_MACHINE;
  newerPackage: NewerPackage | null = null;
  updates: UpdatesStatus | null = null;
  otherGateways: readonly OtherGateway[] = [];
  sinks: readonly SinkStatus[] = [];
  queues: Queues = {
    writes: { waiting: 0, limit: 4_096 },
    edges: { waiting: 0, limit: 10_000, refused: false },
  };
  trustedSinceMs: number | null = NOON_MS;
  /** What is sent to others: set up over the API. `sinks` is what the status tells. */
  readonly sending: Sinks;
  readonly #api: Api;
  #lastUser = 0;
  #held: HeldDescription | undefined;

  get ledgerFile(): string {
    return join(this.#directory, "ledger.db");
  }

  private constructor(store: Store, options: ApplianceOptions) {
    this.clock = store.clock;
    this.writer = store.writer;
    this.reader = store.reader;
    this.#directory = store.directory;
    const [writer, reader] = [this.breaker.guard(this.writer), this.breaker.guard(this.reader)];
    const { clock, log, lines } = this;
    this.sessions = new Sessions(this.secret, clock, writer, this.reader, log, BOOT_ID);
    const dataDirectory = { ...dataDirectoryOf(store.directory), ledger: this.ledgerFile };
    const trust = {
      trusted: () => this.trustedSinceMs !== null,
      trustedSinceMs: () => this.trustedSinceMs,
    };
    this.#config = { ...DEFAULTS, time_zone: TIME_ZONE, ...options.config };
    const settings = this.settingsAnew();
    const costly = costlyReads(reader, this.reader.budget, { file: "", timeZone: TIME_ZONE });
    this.sending = new Sinks({
      config: this.#config,
      settings,
      dataDirectory,
      clock,
      log,
      reader,
      costly,
      writer,
      trust,
      backups: { folder: "", newest: () => null, proofs: () => [] },
      version: "0.0.0-test",
      gateway: () => "clinica",
    });
    this.#api = makeApi({
      setups: this.sending,
      clock,
      timers: systemTimers,
      log,
      lines,
      reader,
      costly,
      writer,
      version: "0.0.0-test",
      bootId: BOOT_ID,
      sessions: this.sessions,
      config: this.#config,
      passwords: options.passwords ?? sharedHasher().hasher,
      drivable: options.realLines === true ? null : lines,
      page: Page.of(options.page ?? []),
      trust,
      parts: () => ({
        queues: this.queues,
        lastBackup: this.lastBackup,
        lasting: this.faults,
        sinks: this.sinks,
        newerPackage: this.newerPackage,
        updates: this.updates,
        otherGateways: this.otherGateways,
        gateway: { name: "clinica", hue: 160 },
      }),
      readDisk: () => this.readDisk(),
      readMachine: () => Promise.resolve(this.machine),
      announcedName: () => this.machine.announcedName,
      syncMs: () => this.machine.syncMs,
      allowedOrigins: () => options.allowedOrigins ?? [],
      proxies: options.proxies ?? [],
      isKnownHost: (name) => HOSTS.includes(name),
      reach: () => ({ page: "https://192.168.1.20:8443", trust: "http://192.168.1.20:8080/confianza" }),
    });
    this.#server = createServer(this.#api.handler);
  }

  static async open(options: ApplianceOptions = {}): Promise<Appliance> {
    const directory = mkdtempSync(join(tmpdir(), "flanco-http-"));
    const file = join(directory, "ledger.db");
    const clock = new SetClock(NOON_MS);
    const writer = writerHere({ file, timeZone: TIME_ZONE }, clock, {
      onChanges: (changes) => {
        appliance.#api.apply(changes);
        appliance.sending.forwarder.apply(changes);
      },
    });
    await writer.open();
    await writer.noteBoot(BOOT_ID, null);
    const appliance: Appliance = new Appliance(
      { directory, clock, writer, reader: openReader(file, TIME_ZONE) },
      options,
    );
    await appliance.#api.open();
    appliance.sending.open(appliance.status, () => null);
    await new Promise<void>((resolve) => appliance.#server.listen(0, "127.0.0.1", resolve));
    held ??= appliance.description().then((description) => new HeldDescription(description));
    appliance.#held = await held;
    return appliance;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.breaker.failure = undefined;
    await this.sending.close();
    await this.sessions.close();
    await this.#api.close();
    this.events.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
    this.reader.close();
    await this.writer.close();
    rmSync(this.#directory, { recursive: true });
  }

  /** All records of a user, newest first. */
  recordsOf(userId: string): readonly StoredRecord[] {
    return recordsOf(this.reader, userId);
  }

  voidNewest(userId: string): Promise<void> {
    return this.writer.voidRecord(this.recordsOf(userId)[0]?.recordId ?? 0, "Cobro de prueba");
  }

  newestAudit(userId: string): AuditEntry | undefined {
    return this.reader.audit({ userId, before: null, sinceMs: null, limit: 1 })[0];
  }

  /** What is sent, as the next process reads it. */
  settingsAnew(): SinkSettings {
    const settings = new SinkSettings({
      config: this.#config,
      log: this.log,
      directory: dataDirectoryOf(this.#directory).sinks,
    });
    settings.open();
    return settings;
  }

  /** The file of what was set up over the API, or of a secret. */
  sinkFile(name: string): string {
    return join(dataDirectoryOf(this.#directory).sinks, name);
  }

  get events(): EventStreams {
    return this.#api.events;
  }

  /** The endpoints that members and operators share, and the operators' own. */
  get table(): readonly Endpoint[] {
    return this.#api.table;
  }

  get firstRun(): FirstRunToken {
    return this.#api.firstRun;
  }

  get status(): StatusReport {
    return this.#api.status;
  }

  get failedSignIns(): FailedSignIns {
    return this.#api.failedSignIns;
  }

  /** `host:port`, as a client's Host header has it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections the service holds open. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  /** Requests without a session. Connections stay open: one for each request takes longer than the answer. */
  get api(): Requests {
    return new Proxy(supertest(this.#server), {
      get: (api, method) => (path: string) =>
        Reflect.get(
          api,
          method,
        )(path)
          .agent(globalAgent)
          .expect((answer: supertest.Response) =>
            this.#held?.hold(String(method), path.split("?")[0] ?? "", answer),
          ),
    });
  }

  /** Of the whole API, as programs get it. */
  async description(): Promise<Description> {
    return (await this.api.get("/api/openapi.json").expect(200)).body;
  }

  /** A user with the password `PASSWORD`, signed in. Sign-in itself has its own tests. */
  async addUser(): Promise<SignedInUser> {
    this.#lastUser += 1;
    const user = await this.writer.addUser({
      name: `Usuario ${this.#lastUser}`,
      email: `usuario${this.#lastUser}@example.org`,
      passwordHash: await sharedHasher().passwordHash,
    });
    return this.signedIn(user);
  }

  /** One more member of an account, with the password `PASSWORD`, signed in. */
  async addMember(userId: string, role: Role): Promise<SignedInUser> {
    this.#lastUser += 1;
    const member = await this.writer.addMember(userId, {
      name: `Usuario ${this.#lastUser}`,
      email: `usuario${this.#lastUser}@example.org`,
      role,
      passwordHash: await sharedHasher().passwordHash,
    });
    return this.signedIn(member);
  }

  /** The same user with a session more. */
  async signedIn(user: Member): Promise<SignedInUser> {
    return new SignedInUser(this, user, await this.signIn(user.id));
  }

  /** The session's cookie, as a client sends it. */
  async signIn(memberId: string): Promise<string> {
    return `auth_token=${await this.beginSession(memberId)}`;
  }

  /** A session's token for a user of `addUser`. */
  async beginSession(memberId: string): Promise<string> {
    return this.sessions.begin(await this.credentialsOf(memberId));
  }

  /** What a user of `addUser` proves to know. */
  async credentialsOf(memberId: string): Promise<Credentials> {
    const member = this.reader.member(memberId);
    if (member === undefined) throw new Error(`There is no member ${memberId}.`);
    return { member, passwordHash: await sharedHasher().passwordHash };
  }

  /** Sessions as the next start of the program would have them. */
  newSessions(): Sessions {
    return new Sessions(this.secret, this.clock, this.writer, this.reader, this.log, BOOT_ID);
  }
}
