import type { Config } from "../contract/config/schema.ts";
import type { AuditNote } from "../domain/audit.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { parseDatabaseAddress } from "../domain/database-address.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { WorkerPasswordHasher } from "../http/auth/password.ts";
import { FailedSignIns, SignInGate } from "../http/auth/sign-in-gate.ts";
import { Page } from "../http/page.ts";
import { createTrustApp } from "../http/trust/app.ts";
import { dataDirectoryOf, prepareDataDirectory } from "../ledger/engine/data-directory.ts";
import { FrontDoor } from "../net/front-door.ts";
import { pageAddresses } from "../net/host-names.ts";
import { connector } from "../notify/database.ts";
import type { Installation } from "../platform/installation.ts";
import { systemClock, systemTimers } from "../platform/machine.ts";
import { readSecret } from "../platform/secret-file.ts";
import { beginServing, endHanging, keepHeapsSmall } from "../service/process.ts";
import type { Console } from "../service/serving.ts";
import { clinics, companyOf, requirePageRole } from "./company.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { createCompanyApp } from "./endpoints.ts";
import { CompanyMembers, type Tell } from "./members.ts";
import { ClinicNotices, companyNotices } from "./notices.ts";
import { companySales } from "./sales.ts";

/** Short, because a person waits for the answer. The statements themselves are bounded by 10 s. */
const LIMITS = { connectMs: 2 * SECOND_MS, answerMs: 12 * SECOND_MS };

/**
 * Serves a company's page until a signal ends it: HTTP over its database, in which it writes members, sessions
 * and what people were told alone, and notices. It stores nothing but its own certificate, so that any number of
 * these processes may serve one company. Rejects where the database does not answer, or the role is not for a page.
 */
export async function serveCompany(
  terminal: Console,
  installation: Installation,
  config: Config,
): Promise<void> {
  const log = await beginServing(config);
  const stopped = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopped.resolve());
  const closing = new AsyncDisposableStack();
  try {
    await openPage(config, installation, log, closing);
    keepHeapsSmall();
    terminal.out(
      ["flanco is ready.", ...pageAddresses(config, "/").map((address) => `  ${address}`)].join("\n"),
    );
    await stopped.promise;
    log.info({}, "stopping");
    endHanging(log);
  } finally {
    await closing.disposeAsync();
  }
  log.info({}, "stopped");
}

/** @param closing closes what was opened, also where this rejects */
async function openPage(
  config: Config,
  installation: Installation,
  log: Log,
  closing: AsyncDisposableStack,
): Promise<void> {
  if (config.central_database === "" || config.central_password_file === "") {
    throw new FlancoError("config", "central_database and central_password_file are not set.", {
      hint: "Name the company's database and the file of its page's password: docs/central.md.",
    });
  }
  const dataDirectory = dataDirectoryOf(config.data_dir);
  prepareDataDirectory(dataDirectory);
  const address = parseDatabaseAddress(config.central_database);
  const connect = connector(address, () => readSecret(config.central_password_file), LIMITS);
  const pool = new ConnectionPool(connect, systemTimers);
  closing.defer(() => pool.close());
  // Of its own: many readers are no illness, for which a balancer would take every process out.
  const probe = new ConnectionPool(connect, systemTimers);
  closing.defer(() => probe.close());
  const company = await pool.use(async (connection) => {
    await requirePageRole(connection);
    return companyOf(connection, undefined);
  });
  const told = companyNotices(config, company.name, systemClock, (text) => log.warn({}, text));
  const notices = new ClinicNotices({ ...told, database: pool, company, timers: systemTimers, log });
  notices.open();
  closing.defer(() => notices.close());
  const tell: Tell = ({ kind, details, actor }) => log.info({ kind, ...details, ...actor }, "audit");
  const noteAudit = async (notes: readonly AuditNote[]) => {
    for (const note of notes) tell(note);
  };
  const failedSignIns = new FailedSignIns(systemClock, { noteAudit }, log);
  closing.defer(() => failedSignIns.write());
  const passwords = new WorkerPasswordHasher();
  closing.defer(() => passwords.close());
  const members = new CompanyMembers(pool, company, () => systemClock.nowMs(), tell);
  const door = new FrontDoor({
    config,
    dataDirectory,
    clock: systemClock,
    log,
    // A server's clock is set before it serves requests.
    trust: { trusted: () => true },
    hostNames: () => config.host_names,
    trustPage: (source) => createTrustApp(source).callback(),
  });
  const app = createCompanyApp({
    members,
    passwords,
    company,
    clock: systemClock,
    log,
    version: installation.version,
    sessions: members,
    sales: {
      ...companySales(pool, company),
      clinics: () => pool.use((connection) => clinics(connection, company)),
    },
    signInGate: new SignInGate(systemClock, failedSignIns),
    page: Page.of(installation.readPage()),
    currency: { code: config.currency, decimals: config.currency_decimals },
    allowedOrigins: () => config.allowed_origins,
    proxies: config.trusted_proxies,
    isKnownHost: (name) => door.isKnownHost(name),
    metricsTokenFile: config.metrics ? config.metrics_token_file : null,
    isHealthy: once(() => takesWrites(probe, log)),
  });
  closing.defer(() => door.close());
  await door.serve(app.callback());
}

/** Whether the database answers and takes writes: a sign-in is one. */
async function takesWrites(probe: ConnectionPool, log: Log): Promise<boolean> {
  try {
    await probe.use((connection) => connection.query("DELETE FROM flanco.session WHERE false"));
    return true;
  } catch (error) {
    log.debug({ err: error }, "the company's database does not answer");
    return false;
  }
}

/** Calls at the same time share one run of `run`. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
