import Router from "@koa/router";
import Koa, { type Context } from "koa";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Lines } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import type { PasswordHasher } from "../domain/password.ts";
import { bodyMiddleware } from "./body.ts";
import { crossSiteMiddleware } from "./cross-site.ts";
import { dataEndpoints } from "./data.ts";
import { deviceEndpoints } from "./device.ts";
import type { Endpoint } from "./endpoint.ts";
import { type ErrorField, errorMiddleware, type Routes } from "./errors.ts";
import { eventEndpoints, type LiveEvents } from "./events.ts";
import { type FirstRunToken, firstRunEndpoints } from "./first-run.ts";
import { parseInput } from "./input.ts";
import { locationEndpoints } from "./location.ts";
import { describeApi } from "./openapi.ts";
import type { Page } from "./page.ts";
import { recordEndpoints } from "./record.ts";
import { requireSession, type SessionKeeper, sessionEndpoints } from "./session.ts";
import { statusEndpoints } from "./status.ts";
import { wiringEndpoints } from "./wiring.ts";

export const API_PREFIX = "/api";

/** Everything that the web side works with. */
export interface AppDependencies {
  readonly reader: LedgerReader;
  readonly writer: LedgerWriter;
  readonly sessions: SessionKeeper;
  readonly passwords: PasswordHasher;
  readonly lines: Lines;
  readonly events: LiveEvents;
  readonly firstRun: FirstRunToken;
  readonly page: Page;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeZone: string;
  readonly allowedOrigins: readonly string[];
  readonly version: string;
}

/** Builds the application. Never listens: who calls decides where it is served. */
export function createApp(dependencies: AppDependencies): Koa {
  const { log, sessions, page, lines, allowedOrigins, version } = dependencies;
  const endpoints = allEndpoints(dependencies);
  const router = new Router({ prefix: API_PREFIX, strict: true, sensitive: true });
  for (const endpoint of endpoints) router[endpoint.method](endpoint.path, ...handlers(endpoint, sessions));
  const description = describeApi(endpoints, API_PREFIX, version);
  router.get("/openapi.json", (context: Context) => {
    context.body = description;
  });

  const app = new Koa();
  // What koa itself could not answer (a client that hung up) is no news; the rest is logged where it is handled.
  app.silent = true;
  app.use(errorMiddleware(log, routesOf(endpoints)));
  app.use(async (context, next) => {
    context.set("X-Content-Type-Options", "nosniff");
    context.set("Referrer-Policy", "no-referrer");
    if (context.path.startsWith(`${API_PREFIX}/`)) context.set("Cache-Control", "no-store");
    await next();
  });
  app.use(async (context, next) => {
    if (context.path !== "/healthz") return next();
    context.status = lines.healthy() ? 200 : 503;
    context.body = { status: lines.healthy() ? "success" : "error" };
  });
  app.use(crossSiteMiddleware(allowedOrigins));
  app.use(router.routes());
  app.use(router.allowedMethods({ throw: true, methodNotAllowed: notAllowed, notImplemented: notAllowed }));
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
  const { reader, writer, sessions, passwords, lines, events, firstRun, clock, timeZone } = dependencies;
  return [
    ...sessionEndpoints(sessions, passwords, reader),
    ...deviceEndpoints(reader, writer),
    ...locationEndpoints(reader, writer),
    ...dataEndpoints(reader, writer, clock),
    ...recordEndpoints(reader),
    ...wiringEndpoints(reader, writer, lines),
    ...statusEndpoints(reader, lines, timeZone),
    ...eventEndpoints(events, (token) => token !== undefined && sessions.check(token) !== undefined),
    ...firstRunEndpoints(firstRun, passwords, writer, sessions),
  ];
}

type Handler = (context: Context, next: () => Promise<unknown>) => Promise<unknown>;

/** Session first, then the body: who is not signed in learns nothing of what a body should hold. */
function handlers(endpoint: Endpoint, sessions: SessionKeeper): Handler[] {
  const steps: Handler[] = [];
  const { query, body, wrapper } = endpoint;
  if (endpoint.session) {
    steps.push((context, next) => {
      context.state["userId"] = requireSession(sessions, context);
      return next();
    });
  }
  if (body !== undefined) steps.push(bodyMiddleware());
  steps.push(async (context) => {
    const answer = await endpoint.run({
      userId: String(context.state["userId"] ?? ""),
      query: query === undefined ? undefined : parseInput(query, context.query),
      body: body === undefined ? undefined : parseInput(body, context.request.body, wrapper),
      context,
    });
    context.status = endpoint.status;
    context.body = answer;
  });
  return steps;
}

function notAllowed(): FlancoError {
  return new FlancoError("method_not_allowed", "This path does not take that method.", {
    hint: "The Allow header names those it takes.",
  });
}

function routesOf(endpoints: readonly Endpoint[]): Routes {
  const keyOf = (method: string, path: string) => `${method === "HEAD" ? "GET" : method} ${path}`;
  const byRoute = new Map<string, Endpoint>();
  const fields = new Map<string, ErrorField>();
  for (const endpoint of endpoints) {
    byRoute.set(keyOf(endpoint.method.toUpperCase(), API_PREFIX + endpoint.path), endpoint);
    fields.set(API_PREFIX + endpoint.path, endpoint.errorField ?? "error");
  }
  return {
    at: (method, path) => byRoute.get(keyOf(method, path)),
    errorField: (path) => fields.get(path) ?? "error",
  };
}
