import type { Context, Next } from "koa";
import { API } from "../../contract/declaration.ts";

/** Limits what browsers do with an answer. The two pages replace the policy by one of their own. */
export const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

const HEADERS = Object.entries(SECURITY_HEADERS);

const DENIED_FEATURES = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid"],
  ...["magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb"],
];

/** The further headers of an HTML page that loads only what `sources` permits, by directive of the policy. */
export function pageHeaders(sources: Readonly<Record<string, string>>): Record<string, string> {
  const permitted = Object.entries(sources).map(([directive, source]) => `${directive} ${source}; `);
  return {
    "Content-Security-Policy": `default-src 'none'; ${permitted.join("")}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "Permissions-Policy": DENIED_FEATURES.map((feature) => `${feature}=()`).join(", "),
  };
}

/** Adds the security headers to every answer, and keeps the API's answers out of caches. */
export function headMiddleware({ path, res }: Context, next: Next): Promise<void> {
  // Directly on Node's response: koa's `set` costs a tenth of a whole post.
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  if (path.startsWith(API)) res.setHeader("Cache-Control", "no-store");
  return next();
}
