import type { RequestListener } from "node:http";
import type { Config } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { type AppDependencies, createApp, gatewayEndpoints } from "../http/app.ts";
import { FailedSignIns } from "../http/auth/failed-sign-ins.ts";
import type { OneTimeCode } from "../http/auth/one-time-code.ts";
import type { Sessions } from "../http/auth/session.ts";
import { MAX_FAMILIAR, SignInGate } from "../http/auth/sign-in-gate.ts";
import { LiveEvents } from "../http/event.ts";
import type { Endpoint } from "../http/router.ts";
import { firstRunToken } from "../http/session.ts";
import { ShownNumbers } from "../http/shown-number.ts";
import { Commissioning, type CommissioningDependencies } from "./commissioning.ts";
import { type StatusDependencies, StatusReport } from "./status-report.ts";

/** Dependencies of the application that are made here. */
type Made = "signInGate" | "numbers" | "status" | "commissioner" | "events" | "firstRun" | FromConfig;
type FromConfig = "timeZone" | "dailyLimits" | "metricsTokenFile";

export interface ApiDependencies
  extends Omit<AppDependencies, Made | "sessions">,
    Omit<StatusDependencies, "timeZone" | "currency" | "heavy" | "lines">,
    Pick<CommissioningDependencies, "timers"> {
  readonly config: Config;
  readonly reader: LedgerReader;
  readonly writer: LedgerWriter;
  readonly sessions: Sessions;
}

/** The HTTP API with its state: live events, the right to make the first user, failed sign-ins, the status. */
export class Api {
  readonly numbers: ShownNumbers;
  readonly events: LiveEvents;
  readonly firstRun: OneTimeCode;
  readonly failedSignIns: FailedSignIns;
  readonly status: StatusReport;
  readonly commissioning: Commissioning;
  /** What commands and members have: the operators' and the accounts' endpoints. */
  readonly table: readonly Endpoint[];
  /** Answers each request of the network. */
  readonly handler: RequestListener;
  readonly #dependencies: ApiDependencies;

  constructor(dependencies: ApiDependencies) {
    const { config, clock, writer, log } = dependencies;
    const { time_zone: timeZone, currency, currency_decimals } = config;
    this.#dependencies = dependencies;
    this.numbers = new ShownNumbers(dependencies.reader.numberKey());
    this.events = new LiveEvents(this.numbers);
    this.firstRun = firstRunToken(clock);
    this.failedSignIns = new FailedSignIns(clock, writer, log);
    this.status = new StatusReport({
      ...dependencies,
      timeZone,
      currency: { code: currency, decimals: currency_decimals },
    });
    this.commissioning = new Commissioning({
      ...dependencies,
      tell: (changes) => this.events.tell(changes),
    });
    const { numbers, events, firstRun, failedSignIns, status, commissioning } = this;
    const dailyLimits = { records: config.daily_records, bytes: config.daily_bytes };
    const app = {
      ...dependencies,
      numbers,
      events,
      firstRun,
      status,
      commissioner: commissioning,
      timeZone,
      dailyLimits,
      metricsTokenFile: config.metrics ? config.metrics_token_file : null,
      signInGate: new SignInGate(clock, failedSignIns, dependencies.reader.signedInFrom(MAX_FAMILIAR)),
    };
    this.table = gatewayEndpoints(app);
    this.handler = createApp(app, this.table).callback();
  }

  async open(): Promise<void> {
    await this.status.open();
    await this.commissioning.open();
    this.events.open();
  }

  /** Writes pending counts to the ledger. Call when no request is under way. */
  async close(): Promise<void> {
    this.status.close();
    this.commissioning.close();
    await this.failedSignIns.write();
  }

  /** Call after each commit: sessions, the first user's right and open pages follow the ledger. */
  apply(changes: readonly Change[]): void {
    const kinds = new Set(changes.map((change) => change.kind));
    if (kinds.has("sessions")) this.#dependencies.sessions.reload();
    if (kinds.has("user")) this.firstRun.revoke();
    this.commissioning.apply(changes);
    this.events.tell(changes);
  }
}
