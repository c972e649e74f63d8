import Koa, { type Context, type Middleware } from "koa";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { DrivableLines } from "../domain/line.ts";
import type { Lines } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import type { PasswordHasher } from "../domain/password.ts";
import type { StatusReader } from "../domain/status.ts";
import { archiveEndpoints } from "./archives.ts";
import { auditEndpoints } from "./audit.ts";
import { dropBody, readBody } from "./body.ts";
import { crossSiteMiddleware } from "./cross-site.ts";
import { dataEndpoints } from "./data.ts";
import { deviceEndpoints } from "./device.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { errorMiddleware } from "./errors.ts";
import { eventEndpoints, type LiveEvents, POSITION_HEADER } from "./events.ts";
import { exportEndpoints } from "./export.ts";
import { type FirstRunToken, firstRunEndpoints } from "./first-run.ts";
import { headMiddleware } from "./head.ts";
import { hostMiddleware, type IsKnownHost } from "./host.ts";
import { parseInput } from "./input.ts";
import { lineEndpoints } from "./lines.ts";
import { locationEndpoints } from "./location.ts";
import { describeApi } from "./openapi.ts";
import { overviewEndpoints } from "./overview.ts";
import type { Page } from "./page.ts";
import { recordEndpoints } from "./record.ts";
import { reportEndpoints } from "./report.ts";
import { RouteTable } from "./routes.ts";
import { type FailedSignIns, requireSession, type SessionKeeper, sessionEndpoints } from "./session.ts";
import { SignInGate } from "./sign-in-gate.ts";
import { statusEndpoints } from "./status.ts";
import { wiringEndpoints } from "./wiring.ts";

export const API_PREFIX = "/api";

/** Everything that the web side works with. */
export interface AppDependencies {
  readonly reader: LedgerReader;
  readonly writer: LedgerWriter;
  readonly sessions: SessionKeeper;
  /** Is told of every sign-in that failed. */
  readonly failedSignIns: FailedSignIns;
  readonly passwords: PasswordHasher;
  readonly lines: Lines;
  /** Where lines can be set by hand; null where they are real. */
  readonly drivable: DrivableLines | null;
  /** How the appliance is. */
  readonly status: StatusReader;
  readonly events: LiveEvents;
  readonly firstRun: FirstRunToken;
  readonly page: Page;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeZone: string;
  /** Other sites whose pages may use the API, as they are when one asks. */
  readonly allowedOrigins: () => readonly string[];
  /** Which names and addresses are this machine's. */
  readonly isKnownHost: IsKnownHost;
}

/** Builds the application. Never listens: who calls decides where it is served. */
export function createApp(dependencies: AppDependencies): Koa {
  const { log, sessions, events, page, lines, allowedOrigins, isKnownHost } = dependencies;
  const endpoints = allEndpoints(dependencies);
  const routes = new RouteTable([...endpoints, descriptionEndpoint(endpoints)], API_PREFIX);

  const app = new Koa();
  // What koa itself could not answer (a client that hung up) is no news; the rest is logged where it is handled.
  app.silent = true;
  app.use(bodyMiddleware());
  app.use(errorMiddleware(log, routes));
  app.use(headMiddleware(API_PREFIX));
  app.use(hostMiddleware(isKnownHost));
  app.use(healthMiddleware(lines));
  app.use(crossSiteMiddleware(allowedOrigins, API_PREFIX));
  app.use(endpointMiddleware(routes, sessions, events));
  app.use(async (context, next) => {
    if (context.path === API_PREFIX || context.path.startsWith(`${API_PREFIX}/`)) {
      throw new FlancoError("not_found", "There is nothing at this path.", {
        hint: `${API_PREFIX}/openapi.json describes what there is.`,
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

function allEndpoints(dependencies: AppDependencies): readonly Endpoint[] {
  const { reader, writer, sessions, passwords, lines, drivable, status, events, firstRun, clock, log } =
    dependencies;
  const { failedSignIns } = dependencies;
  const gate = new SignInGate(clock);
  return [
    ...sessionEndpoints(sessions, passwords, gate, failedSignIns, reader),
    ...deviceEndpoints(reader, writer),
    ...locationEndpoints(reader, writer),
    ...dataEndpoints(reader, writer, clock),
    ...overviewEndpoints(reader, clock),
    ...recordEndpoints(reader),
    ...exportEndpoints(reader, clock, log),
    ...reportEndpoints(reader, clock),
    ...wiringEndpoints(reader, writer, lines),
    ...lineEndpoints(lines, drivable),
    ...statusEndpoints(status),
    ...auditEndpoints(reader),
    ...archiveEndpoints(reader),
    ...eventEndpoints(events, sessions),
    ...firstRunEndpoints(firstRun, passwords, gate, failedSignIns, writer, sessions),
  ];
}

/** The API's description of itself: it is not part of what it describes. Made when it is first asked for. */
function descriptionEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  let description: Buffer | undefined;
  return endpoint({
    method: "get",
    path: "/openapi.json",
    summary: "This description.",
    session: false,
    status: 200,
    errors: [],
    run: ({ context }) => {
      description ??= Buffer.from(JSON.stringify(describeApi(endpoints, API_PREFIX)));
      context.type = "json";
      return description;
    },
  });
}

/** What comes with a request that needs no body, or is refused without it, is read within bounds as well. */
function bodyMiddleware(): Middleware {
  return async (context, next) => {
    await next();
    dropBody(context);
  };
}

/** Whether the service does its work, without a session and without detail. */
function healthMiddleware(lines: Lines): Middleware {
  return async (context, next) => {
    if (context.path !== "/healthz") return next();
    const healthy = lines.healthy();
    // The page that plain HTTP serves asks here whether the browser trusts this machine; all learn it anyway.
    context.set("Cross-Origin-Resource-Policy", "cross-origin");
    context.status = healthy ? 200 : 503;
    context.body = { status: healthy ? "success" : "error" };
  };
}

function endpointMiddleware(routes: RouteTable, sessions: SessionKeeper, events: LiveEvents): Middleware {
  return async (context, next) => {
    const endpoint = routes.at(context.method, context.path);
    if (endpoint !== undefined) return answer(endpoint, sessions, events, context);
    const allowed = routes.methodsAt(context.path);
    if (allowed.length === 0) return next();
    context.set("Allow", allowed.join(", "));
    if (context.method !== "OPTIONS") {
      throw new FlancoError("method_not_allowed", "This path does not take that method.", {
        hint: "The Allow header names those it takes.",
      });
    }
    context.status = 204;
  };
}

/** Session first, then the body: who is not signed in learns nothing of what a body should hold. */
async function answer(
  endpoint: Endpoint,
  sessions: SessionKeeper,
  events: LiveEvents,
  context: Context,
): Promise<void> {
  const { session, query, body, wrapper } = endpoint;
  const userId = session ? requireSession(sessions, context) : "";
  // Before the ledger is read: the answer may hold more than this says, never less.
  if (session && context.method === "GET") {
    context.res.setHeader(POSITION_HEADER, events.positionOf(userId));
  }
  const sent = body === undefined ? undefined : await readBody(context);
  const answer = await endpoint.run({
    userId,
    query: query === undefined ? undefined : parseInput(query, context.query),
    body: body === undefined ? undefined : parseInput(body, sent, wrapper),
    context,
  });
  context.status = endpoint.status;
  context.body = answer;
}
