import { FailedSignIns } from "../auth/failed-sign-ins.ts";
import { WorkerPasswordHasher } from "../auth/password.ts";
import { SignInGate } from "../auth/sign-in-gate.ts";
import { clinics, companyOf, requirePageRole } from "../central/company.ts";
import { connect, parseAddress } from "../central/database.ts";
import { CompanyMembers, type Tell } from "../central/members.ts";
import { ConnectionPool } from "../central/pool.ts";
import { companySales } from "../central/sales.ts";
import type { Config } from "../config/schema.ts";
import type { AuditNote } from "../domain/audit.ts";
import { type Clock, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { createCompanyApp } from "../http/company.ts";
import { Page } from "../http/page.ts";
import type { Installation } from "../installation.ts";
import { FrontDoor } from "../net/front-door.ts";
import { readSecret } from "../secret-file.ts";
import { dataDirectoryOf, prepareDataDirectory } from "../store/data-directory.ts";
import { systemTimers } from "./clock.ts";

/** A person waits for the answer; the statements themselves end after 10 s. */
const LIMITS = { connectMs: 2 * SECOND_MS, answerMs: 12 * SECOND_MS };

export interface CompanyPageOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly installation: Pick<Installation, "version" | "readPage">;
}

/**
 * A company's page: HTTP over its database, which it only reads, beside members and sessions. It keeps nothing but its own
 * certificate, so that any number of these processes may serve one company.
 */
export class CompanyPage {
  readonly #options: CompanyPageOptions;
  readonly #closing: (() => void | Promise<void>)[] = [];

  constructor(options: CompanyPageOptions) {
    this.#options = options;
  }

  /** Rejects where the database does not answer, or its role is no page's. What was opened is closed then. */
  async open(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops taking requests, and waits for those under way. */
  async close(): Promise<void> {
    for (let close = this.#closing.pop(); close !== undefined; close = this.#closing.pop()) await close();
  }

  async #open(): Promise<void> {
    const { config, clock, log, installation } = this.#options;
    if (config.central_database === "" || config.central_password_file === "") throw noDatabase();
    const dataDirectory = dataDirectoryOf(config.data_dir);
    prepareDataDirectory(dataDirectory);
    const address = parseAddress(config.central_database);
    const pool = new ConnectionPool(
      () => connect(address, () => readSecret(config.central_password_file), LIMITS),
      systemTimers,
    );
    this.#closing.push(() => pool.close());
    const company = await pool.use(async (connection) => {
      await requirePageRole(connection);
      return companyOf(connection, undefined);
    });
    const tell: Tell = ({ kind, details, actor }) => log.info({ kind, ...details, ...actor }, "audit");
    const noteAudit = async (notes: readonly AuditNote[]) => {
      for (const note of notes) tell(note);
    };
    const failedSignIns = new FailedSignIns(clock, { noteAudit }, log);
    this.#closing.push(() => failedSignIns.write());
    const passwords = new WorkerPasswordHasher();
    this.#closing.push(() => passwords.close());
    const members = new CompanyMembers(pool, company, () => clock.nowMs(), tell);
    const door = new FrontDoor({
      ...{ config, dataDirectory, clock, log },
      ledger: Promise.resolve({ reader: { lastAudit: () => undefined }, writer: { noteAudit } }),
      // A server's clock is set before it serves anything.
      trust: { trusted: () => true },
      hostNames: () => config.host_names,
    });
    const app = createCompanyApp({
      ...{ members, passwords, company, clock, log, version: installation.version },
      sessions: members,
      sales: {
        ...companySales(pool, company),
        clinics: () => pool.use((connection) => clinics(connection, company)),
      },
      signInGate: new SignInGate(clock, failedSignIns),
      page: Page.of(installation.readPage()),
      currency: { code: config.currency, decimals: config.currency_decimals },
      allowedOrigins: () => config.allowed_origins,
      proxies: config.trusted_proxies,
      isKnownHost: (name) => door.isKnownHost(name),
      isHealthy: once(() => answers(pool, log)),
    });
    this.#closing.push(() => door.close());
    await door.open(app.callback());
  }
}

async function answers(pool: ConnectionPool, log: Log): Promise<boolean> {
  try {
    await pool.use((connection) => connection.query("SELECT 1"));
    return true;
  } catch (error) {
    log.debug({ err: error }, "the company's database does not answer");
    return false;
  }
}

/** However many ask at once, it runs once. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

function noDatabase(): FlancoError {
  return new FlancoError("config", "central_database and central_password_file are not set.", {
    hint: "Name the company's database and the file of its page's password: docs/central.md.",
  });
}
