import type { Context } from "koa";

const NAME = "auth_token";
/** Of one request: each costs a signature, and nobody has more than a few. */
const MAX_TOKENS = 8;

/**
 * What a request brings as the session's token, the likeliest last. Browsers send the cookie of the longest path first,
 * of equal ones the oldest: what a forged page of plain HTTP set for a path of ours (`Path=/api`) stands before
 * our own, which is for `/`, and tells nobody that it is another's.
 */
export function tokensOf({ req }: Context): readonly string[] {
  const tokens: string[] = [];
  for (const pair of (req.headers.cookie ?? "").split(";")) {
    const [name = "", ...value] = pair.trim().split("=");
    if (name === NAME) tokens.push(value.join("="));
  }
  return tokens.slice(-MAX_TOKENS);
}

/**
 * Writes the contract's cookie: Secure always, also on a plain connection, where browsers take it from
 * localhost and koa's own cookie layer refuses it.
 */
export function setSessionCookie(context: Context, token: string, maxAgeSeconds: number): void {
  writeCookie(context, token, maxAgeSeconds, "/");
  // One alone is the contract's own. Of several, those for a longer path are nobody's whom we know.
  if (tokensOf(context).length < 2) return;
  for (const path of pathsUnder(context.path)) writeCookie(context, "", 0, path);
}

function writeCookie(context: Context, token: string, maxAgeSeconds: number, path: string): void {
  context.append(
    "Set-Cookie",
    `${NAME}=${token}; Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; Secure; SameSite=None`,
  );
}

/** Every path but `/` whose cookies a browser sends to this one: of `/api/login` `/api`, `/api/` and itself. */
function pathsUnder(path: string): readonly string[] {
  const paths: string[] = [];
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    paths.push(path.slice(0, end), path.slice(0, end + 1));
  }
  return [...paths, path];
}
