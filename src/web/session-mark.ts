/**
 * A mark beside the session's cookie, which no script can read: it lasts as long, and says that it is worth asking
 * who is signed in. It proves nothing and opens nothing.
 */
const MARK = "flanco_visitor";
/** Of a session. */
const LIFETIME_SECONDS = 24 * 60 * 60;
const ATTRIBUTES = "path=/; secure; samesite=strict";

export function hasSessionMark(): boolean {
  return document.cookie.split("; ").includes(`${MARK}=1`);
}

export function setSessionMark(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the CookieStore is younger than the tablets that this page is for.
  document.cookie = `${MARK}=1; max-age=${LIFETIME_SECONDS}; ${ATTRIBUTES}`;
}

export function removeSessionMark(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: see setSessionMark.
  document.cookie = `${MARK}=; max-age=0; ${ATTRIBUTES}`;
}
