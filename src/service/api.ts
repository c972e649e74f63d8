import { dirname } from "node:path";
import type { Config } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import { hueOf } from "../domain/gateway.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { type AppDependencies, createApp, gatewayEndpoints } from "../http/app.ts";
import { WorkerPasswordHasher } from "../http/auth/password.ts";
import { loadSecret, Sessions } from "../http/auth/session.ts";
import { FailedSignIns, MAX_FAMILIAR, SignInGate } from "../http/auth/sign-in-gate.ts";
import { EventStreams } from "../http/event.ts";
import { Page } from "../http/page.ts";
import { FirstRunToken } from "../http/session.ts";
import { identityOf } from "../ledger/engine/identity.ts";
import { readDisk, readMachine, systemTimers } from "../platform/machine.ts";
import { Commissioning, type CommissioningDependencies } from "./commissioning.ts";
import type { OpenParts, Start } from "./service.ts";
import { type StatusDependencies, StatusReport } from "./status-report.ts";

/** Dependencies of the application that are made here. */
type OwnPart = "signInGate" | "status" | "commissioner" | "events" | "firstRun" | FromConfig;
type FromConfig = "dailyLimits" | "currency" | "metricsTokenFile";

export interface ApiDependencies
  extends Omit<AppDependencies, OwnPart | "sessions" | "trust">,
    Omit<StatusDependencies, "timeZone" | "currency" | "costly" | "lines">,
    Pick<CommissioningDependencies, "timers"> {
  readonly config: Config;
  readonly reader: LedgerReader;
  readonly writer: LedgerWriter;
  readonly sessions: Sessions;
}

export type Api = ReturnType<typeof makeApi>;

/** Makes the HTTP API with its state: live events, the right to make the first user, failed sign-ins, the status. */
export function makeApi(dependencies: ApiDependencies) {
  const { config, clock, writer, reader, log, sessions } = dependencies;
  const events = new EventStreams();
  const firstRun = new FirstRunToken(clock);
  const failedSignIns = new FailedSignIns(clock, writer, log);
  const currency = { code: config.currency, decimals: config.currency_decimals };
  const status = new StatusReport({ ...dependencies, timeZone: config.time_zone, currency });
  const commissioner = new Commissioning({ ...dependencies, tell: (changes) => events.tell(changes) });
  const app: AppDependencies = {
    ...dependencies,
    events,
    firstRun,
    status,
    commissioner,
    currency,
    dailyLimits: { records: config.daily_records, bytes: config.daily_bytes },
    metricsTokenFile: config.metrics ? config.metrics_token_file : null,
    signInGate: new SignInGate(clock, failedSignIns, reader.signedInFrom(MAX_FAMILIAR)),
  };
  const table = gatewayEndpoints(app);
  return {
    events,
    firstRun,
    failedSignIns,
    status,
    sessions,
    /** What commands and members have: the operators' and the accounts' endpoints. */
    table,
    /** Answers each request of the network. */
    handler: createApp(app, table).callback(),
    async open(): Promise<void> {
      await status.open();
      await commissioner.open();
      events.open();
    },
    /** Writes pending counts to the ledger. Call when no request is under way. */
    async close(): Promise<void> {
      status.close();
      commissioner.close();
      await failedSignIns.write();
    },
    /** Call after each commit: sessions, the first user's right and open pages follow the ledger. */
    apply(changes: readonly Change[]): void {
      const kinds = new Set(changes.map((change) => change.kind));
      if (kinds.has("sessions")) sessions.reload();
      if (kinds.has("user")) firstRun.revoke();
      commissioner.apply(changes);
      events.tell(changes);
    },
  };
}

/** Makes a gateway's API and opens it. What must be closed is added to `closing`. */
export async function openApi(
  { config, dataDirectory, bootId, clock, log, installation }: Start,
  { ledger, lines, watchers, frontDoor }: OpenParts,
  allowedOrigins: () => readonly string[],
  closing: Pick<AsyncDisposableStack, "defer">,
): Promise<Api> {
  const { writer, reader, costly } = ledger;
  const { recorder, drivable, trust } = lines;
  const { packages, updates, upkeep, sinks, others, name, faults } = watchers;
  const secret = loadSecret(dataDirectory.secret, log);
  const sessions = new Sessions(secret, clock, writer, reader, log, bootId);
  closing.defer(() => sessions.close());
  const passwords = new WorkerPasswordHasher();
  closing.defer(() => passwords.close());
  const hue = hueOf(identityOf(dataDirectory.ledger) ?? bootId);
  const api = makeApi({
    config,
    clock,
    timers: systemTimers,
    log,
    version: installation.version,
    page: Page.of(installation.readPage()),
    bootId,
    trust,
    writer,
    reader,
    costly,
    lines: recorder,
    drivable,
    setups: sinks,
    sessions,
    passwords,
    parts: () => ({
      queues: { writes: writer.queue, edges: recorder.queue() },
      lastBackup: upkeep.lastBackup(),
      lasting: [...faults(), ...frontDoor.faults()],
      sinks: sinks.forwarder.status(),
      newerPackage: packages.newest,
      updates: updates.status,
      gateway: { name: name(), hue },
      otherGateways: others.list(),
    }),
    readDisk: () => readDisk(dataDirectory.ledger),
    readMachine: () => readMachine(dirname(dataDirectory.ledger)),
    announcedName: () => frontDoor.announcedName(),
    syncMs: () => writer.syncMs,
    allowedOrigins,
    proxies: config.trusted_proxies,
    isKnownHost: (host) => frontDoor.isKnownHost(host),
    reach: () => frontDoor.reach(),
  });
  closing.defer(() => api.close());
  await api.open();
  return api;
}
