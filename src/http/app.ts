import Koa, { type Context } from "koa";
import { API, declare, NO_SESSION } from "../contract/declaration.ts";
import { describeApi } from "../contract/openapi.ts";
import type { PasswordHasher } from "../domain/account.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import type { Commissioner } from "../domain/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { ApiReader, CostlyReads, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { DrivableLines, Lines } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import type { Reach } from "../domain/member.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { Currency, StatusReader } from "../domain/status.ts";
import { type AccountDependencies, accountEndpoints } from "./account.ts";
import { auditEndpoints } from "./audit.ts";
import { requireSession, type SessionKeeper, type Sessions } from "./auth/session.ts";
import type { SignInGate } from "./auth/sign-in-gate.ts";
import { acceptanceReportEndpoints, commissionEndpoints } from "./commission.ts";
import { type DailyLimits, dailyBound, postEndpoint, summaryEndpoint } from "./data.ts";
import { deviceEndpoints, deviceListEndpoint } from "./device.ts";
import { type EventStreams, eventEndpoints } from "./event.ts";
import { exportEndpoints } from "./export.ts";
import type { SettlementReads } from "./export-settlement.ts";
import { importEndpoints } from "./import.ts";
import { lineEndpoints } from "./line.ts";
import { locationEndpoints, locationListEndpoint } from "./location.ts";
import { memberEndpoints, selfEndpoints } from "./member.ts";
import { MEASURES, METRICS_PATH, metricsProbe } from "./metrics.ts";
import {
  changeCounter,
  crossSiteMiddleware,
  errorMiddleware,
  headMiddleware,
  hostMiddleware,
  type IsKnownHost,
  senderMiddleware,
} from "./middleware.ts";
import { overviewEndpoints } from "./overview.ts";
import type { Page } from "./page.ts";
import { enteredEndpoints, recordEndpoints } from "./record.ts";
import { letterheadEndpoints, reportEndpoints } from "./report.ts";
import {
  type Endpoint,
  inPieces,
  isOperators,
  otherMethod,
  routesOf,
  type Senders,
  serve,
} from "./router.ts";
import { type FirstRunToken, firstAccountEndpoint, sessionEndpoints } from "./session.ts";
import { settlementEndpoints } from "./settlement.ts";
import { type SinkSetups, sinkEndpoints } from "./sink.ts";
import { statusEndpoints } from "./status.ts";
import { type WiredLines, wiringEndpoints } from "./wiring.ts";

/** Dependencies of every application: a gateway's and a company's. */
export interface SiteDependencies {
  readonly sessions: Pick<SessionKeeper, "begin" | "check" | "end">;
  /** The gate through which every sign-in passes. */
  readonly signInGate: SignInGate;
  readonly page: Page;
  readonly clock: Clock;
  readonly log: Log;
  /** Other sites whose pages may use the API, at the moment of the call. */
  readonly allowedOrigins: () => readonly string[];
  /** Which names and addresses are this machine's. */
  readonly isKnownHost: IsKnownHost;
  /** Addresses of proxies that are trusted to say where a request comes from. */
  readonly proxies: readonly string[];
}

/** Answers a GET or HEAD of its path. */
export type Probe = (context: Context) => Promise<void>;

interface ServedApi {
  readonly described: readonly Endpoint[];
  /** What programs ask that watch the service, by path; it is answered before the site and the session are checked. */
  readonly probes: Readonly<Record<string, Probe>>;
  /** As `Senders` has them. */
  readonly positionOf: Senders["positionOf"];
  readonly as?: Senders["as"];
}

export interface AppDependencies extends SiteDependencies {
  readonly reader: LedgerReader;
  readonly costly: CostlyReads;
  readonly writer: LedgerWriter;
  readonly sessions: Pick<Sessions, "begin" | "check" | "end">;
  readonly passwords: PasswordHasher;
  readonly lines: Lines;
  /** The lines that can be set by hand; null where lines are real. */
  readonly drivable: DrivableLines | null;
  readonly status: StatusReader;
  readonly commissioner: Commissioner;
  readonly events: EventStreams;
  readonly firstRun: FirstRunToken;
  readonly reach: () => Reach;
  readonly setups: SinkSetups;
  readonly dailyLimits: DailyLimits;
  readonly trust: ClockTrust;
  readonly currency: Currency;
  /** As `metricsProbe` takes it. */
  readonly metricsTokenFile: string | null;
}

/** What the endpoints need that a ledger alone can serve. */
export interface LedgerDependencies
  extends Pick<AppDependencies, "writer" | "clock" | "trust" | "log" | "currency" | "reach" | "passwords">,
    Pick<AccountDependencies, "ownersSinks"> {
  readonly reader: ApiReader;
  readonly lines: WiredLines;
}

/** The endpoints that need the ledger alone: while no service runs, a command serves itself by these. */
export function ledgerEndpoints(dependencies: LedgerDependencies): readonly Endpoint[] {
  const { reader, writer, lines, clock, log, currency, reach, passwords } = dependencies;
  return [
    ...accountEndpoints(dependencies),
    ...memberEndpoints(reader, writer, passwords, reach),
    ...importEndpoints(reader, writer),
    ...salesEndpoints(reader, clock, log, currency, reader),
    ...deviceEndpoints(writer, reader, clock),
    ...locationEndpoints(writer),
    ...enteredEndpoints(reader, writer),
    ...letterheadEndpoints(reader, writer),
    ...wiringEndpoints(reader, writer, lines, clock),
    ...acceptanceReportEndpoints(reader),
    ...settlementEndpoints(dependencies),
    ...auditEndpoints(reader),
  ];
}

/** The endpoints of a running gateway, without those of sessions: members have them on the network, operators by commands. */
export function gatewayEndpoints(dependencies: AppDependencies): readonly Endpoint[] {
  const { costly, writer, lines, drivable, status, commissioner, setups, clock, log } = dependencies;
  // Reads that may be much work are made in a thread of their own.
  const reader = { ...dependencies.reader, ...costly };
  return [
    ...ledgerEndpoints({ ...dependencies, reader, ownersSinks: () => setups.ofOwners() }),
    postEndpoint(reader, writer, dailyBound(dependencies.dailyLimits, clock), log),
    ...lineEndpoints(lines, reader, drivable),
    ...commissionEndpoints({ commissioner, reader, status }),
    ...statusEndpoints(status),
    ...sinkEndpoints(setups, reader),
  ];
}

/**
 * The application of a gateway on the network. The caller decides where it listens.
 * @param table what `gatewayEndpoints` gives
 */
export function createApp(dependencies: AppDependencies, table: readonly Endpoint[]): Koa {
  const { reader, costly, writer, sessions, passwords, signInGate, lines, status, events, firstRun } =
    dependencies;
  return buildApp(dependencies, {
    described: [
      ...sessionEndpoints(sessions, passwords, signInGate, reader),
      ...selfEndpoints("gateway", reader, writer, sessions, passwords, signInGate),
      ...table.filter((endpoint) => !isOperators(endpoint)),
      ...eventEndpoints(events, sessions),
      firstAccountEndpoint(firstRun, passwords, signInGate, writer, sessions),
    ],
    probes: {
      "/healthz": healthProbe(async () => lines.healthy()),
      [METRICS_PATH]: metricsProbe(MEASURES, () => status.status(), dependencies.metricsTokenFile),
    },
    // A program has no stream, and is told nothing of other changes.
    positionOf: (signedIn) => (signedIn.role === "program" ? null : events.positionOf(signedIn)),
    as: (asker, work) => costly.as(asker, work),
  });
}

/** Paths of programs, also with a slip: the page in their place would pass for success. */
const NEARLY_PROGRAMS = /^\/+(?:api|healthz|metrics)(?:\/|$)/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An application with its bounds, headers, errors and page. */
export function buildApp(
  { log, clock, sessions, signInGate, page, allowedOrigins, isKnownHost, proxies }: SiteDependencies,
  { described, probes, positionOf, as }: ServedApi,
): Koa {
  const endpoints = [...described, descriptionEndpoint(described)];
  const fields = new Map(endpoints.map(({ declaration: { path, errorField } }) => [path, errorField]));

  const app = new Koa();
  // koa logs nothing: it would log only that a client has
  // hung up. Other errors are logged where they are handled.
  app.silent = true;
  app.use(errorMiddleware(log, (path) => fields.get(path) ?? "error"));
  app.use(headMiddleware);
  app.use(hostMiddleware(isKnownHost));
  app.use(senderMiddleware(proxies));
  app.use((context, next) => {
    const probe = Object.hasOwn(probes, context.path) ? probes[context.path] : undefined;
    if (probe === undefined) return next();
    if (context.method === "GET" || context.method === "HEAD") return probe(context);
    context.set("Allow", "GET, HEAD");
    throw new FlancoError("method_not_allowed", "This path does not take that method.", {
      hint: "Send a GET.",
    });
  });
  app.use(crossSiteMiddleware(allowedOrigins));
  app.use(
    routesOf(endpoints, {
      signedInOf: (context) => requireSession(sessions, context),
      positionOf,
      ...(as && { as }),
      countChange: changeCounter(clock),
      gate: signInGate,
    }),
  );
  app.use(otherMethod);
  app.use(async (context, next) => {
    if (NEARLY_PROGRAMS.test(decoded(context.path))) {
      throw new FlancoError("not_found", "There is nothing at this path.", {
        hint: `${API}openapi.json describes what there is.`,
      });
    }
    await next();
  });
  app.use(page.middleware());
  app.use(() => {
    throw new FlancoError("not_found", "There is nothing at this path.");
  });
  return app;
}

/**
 * The endpoints of sales, from a gateway's ledger or a company's database.
 * @param settlements the account's own; null for a company, whose clinics have theirs
 */
export function salesEndpoints(
  sales: SalesReads,
  clock: Clock,
  log: Log,
  currency: Currency,
  settlements: SettlementReads | null,
): readonly Endpoint[] {
  return [
    deviceListEndpoint(sales),
    locationListEndpoint(sales),
    summaryEndpoint(sales, clock),
    ...overviewEndpoints(sales, clock),
    ...recordEndpoints(sales),
    ...exportEndpoints(sales, clock, log, currency, settlements),
    ...reportEndpoints(sales, clock),
  ];
}

const describe = declare("get", "/api/openapi.json", NO_SESSION, {
  summary: "This description.",
  status: 200,
  stream: "application/json",
  errors: [],
});

/**
 * The endpoint of the API's description, which does not describe
 * itself. The description is made at the first request.
 */
function descriptionEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  let description: Buffer | undefined;
  return serve(describe, ({ context }) => {
    const declarations = endpoints.map(({ declaration }) => declaration);
    description ??= Buffer.from(JSON.stringify(describeApi(declarations)));
    context.type = "json";
    return inPieces(description, context);
  });
}

/** Answers whether the service works, without a session and without detail. */
export function healthProbe(isHealthy: () => Promise<boolean>): Probe {
  return async (context) => {
    const healthy = await isHealthy();
    // The page that plain HTTP serves asks here whether the
    // browser trusts this machine. The answer is public anyway.
    context.set("Cross-Origin-Resource-Policy", "cross-origin");
    context.status = healthy ? 200 : 503;
    context.body = { status: healthy ? "success" : "error" };
  };
}
