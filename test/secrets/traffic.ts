import { exchange } from "../rig/exchange.ts";
import type { RunningService } from "../rig/program.ts";

/** What a client sends, all of it secret. */
export interface Secrets {
  readonly email: string;
  readonly password: string;
  /** A password that is not the account's. A mistyped password differs little from the right one. */
  readonly wrongPassword: string;
  /** `auth_token=…` of a session. */
  readonly cookie: string;
  /** A cookie that is none of this service's. */
  readonly foreignCookie: string;
  /** Of the one-time link, used. */
  readonly firstRunToken: string;
}

interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CROSS_SITE = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
const JSON_TYPE = { "content-type": "application/json" };
const TOO_LARGE_BYTES = 70_000;
const ANSWER_MS = 10_000;
/** Requests under way together. */
const AT_ONCE = 8;

/**
 * Sends every endpoint that the service describes everything that a client may send it, secrets in every place where
 * somebody may put one, by mistake or not. Gives each answer whole: status, headers and body.
 */
export async function sendEverything(service: RunningService, secrets: Secrets): Promise<readonly string[]> {
  const description = (await (await service.get("/api/openapi.json")).json()) as ApiDescription;
  const endpoints = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  // Sessions go on: signing out has its own turn at the end, after all others.
  const requests = endpoints.flatMap((endpoint) =>
    requestsTo(endpoint, secrets, endpoint.path === "/api/logout" ? secrets.foreignCookie : secrets.cookie),
  );
  const answers: string[] = [];
  for (let next = 0; next < requests.length; next += AT_ONCE) {
    const some = requests.slice(next, next + AT_ONCE).map((sent) => send(service, sent));
    answers.push(...(await Promise.all(some)));
  }
  for (const sent of besides(secrets)) answers.push(await send(service, sent));
  return answers;
}

function requestsTo(
  { method, path }: { readonly method: string; readonly path: string },
  { password, wrongPassword, foreignCookie, firstRunToken }: Secrets,
  cookie: string,
): readonly SentRequest[] {
  const hasBody = method !== "GET" && method !== "DELETE";
  const query = `${path}?password=${encodeURIComponent(password)}&token=${encodeURIComponent(firstRunToken)}`;
  const authorized = { cookie, authorization: `Bearer ${cookie.slice("auth_token=".length)}` };
  const without: SentRequest[] = [
    { method, path },
    { method, path, headers: { cookie: foreignCookie } },
    { method, path, headers: { ...authorized, ...CROSS_SITE } },
    { method, path: query, headers: authorized },
    { method: "PROPFIND", path: query, headers: authorized },
  ];
  if (!hasBody) return without;
  const bodies = [
    JSON.stringify({ email: password, password: wrongPassword, token: firstRunToken, name: "x" }),
    JSON.stringify({ email: [password], password: { of: wrongPassword }, token: 7 }),
    JSON.stringify({ [password]: password, password: `${password.repeat(40)}` }),
    `{"password": "${wrongPassword}", `,
    JSON.stringify({ password, filler: "x".repeat(TOO_LARGE_BYTES) }),
  ];
  const typed = { ...JSON_TYPE, ...authorized };
  return [
    ...without,
    ...bodies.map((body): SentRequest => ({ method, path, headers: typed, body })),
    { method, path, headers: { ...typed, "content-type": "text/plain" }, body: password },
    { method, path, headers: { ...typed, "content-encoding": "br" }, body: password },
  ];
}

/** Sign-ins that succeed and fail, and paths that are none of the API's. */
function besides({ email, password, wrongPassword, cookie, firstRunToken }: Secrets): readonly SentRequest[] {
  const login = (body: object): SentRequest => ({
    method: "POST",
    path: "/api/login",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  return [
    login({ email, password: wrongPassword }),
    login({ email: wrongPassword, password }),
    {
      method: "POST",
      path: "/api/first-run",
      headers: JSON_TYPE,
      body: JSON.stringify({ token: firstRunToken, name: "Eva", email: "eva@example.org", password }),
    },
    { method: "GET", path: `/api/${encodeURIComponent(password)}` },
    { method: "GET", path: `/%00${encodeURIComponent(password)}` },
    { method: "GET", path: `//[${firstRunToken}`, headers: { cookie } },
    { method: "GET", path: "/primer-uso", headers: { cookie, referer: `http://x/#${firstRunToken}` } },
    { method: "POST", path: "/api/logout", headers: { cookie } },
    { method: "GET", path: "/api/verify", headers: { cookie } },
  ];
}

/** Attempts to sign in, each of which delays the next one from its address. */
const DELAYED = ["/api/login", "/api/first-run", "/api/link"];
let addresses = 0;

async function send(service: RunningService, sent: SentRequest): Promise<string> {
  const { method, path, headers, body } = sent;
  if (method === "POST" && DELAYED.some((delayed) => path.startsWith(delayed))) {
    return sendFromAnotherAddress(service, sent).catch((error: Error) => `not answered: ${error.name}`);
  }
  try {
    const answer = await fetch(service.baseUrl + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    const said = answer.headers.get("content-type")?.startsWith("text/event-stream")
      ? await firstOf(answer)
      : await answer.text();
    return `${answer.status} ${JSON.stringify([...answer.headers])} ${said}`;
  } catch (error) {
    // Node's client refuses to send some of it.
    return `not answered: ${error instanceof Error ? error.name : "?"}`;
  }
}

async function sendFromAnotherAddress(
  { baseUrl }: RunningService,
  { method, path, headers, body }: SentRequest,
): Promise<string> {
  addresses += 1;
  const target = { port: Number(new URL(baseUrl).port), localAddress: `127.${addresses % 250}.0.2` };
  const answer = await exchange(target, method, path, {
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  });
  return `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`;
}

async function firstOf(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}
