import { extname } from "node:path";
import { constants, gzipSync } from "node:zlib";
import type { Context, Middleware, Next } from "koa";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a file's name has behind it when it is another one's content, compressed with gzip. */
const COMPRESSED = ".gz";

/** A file of the built page. */
export interface PageFile {
  /** Path on the server, without the first slash. */
  readonly name: string;
  readonly content: Buffer;
}
/** What the page may ask the browser for: nothing of all this. */
const PERMISSIONS = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid"],
  ...["magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb"],
]
  .map((feature) => `${feature}=()`)
  .join(", ");

interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** The same, compressed; null where that saves nothing. */
  readonly gzip: Buffer | null;
}

/** The built page, held in memory: a request for it asks no disk, and no path of a request names a file. */
export class Page {
  readonly #assets: ReadonlyMap<string, Asset>;

  private constructor(assets: ReadonlyMap<string, Asset>) {
    this.#assets = assets;
  }

  /** Takes every file of the built page; none when it has not been built. */
  static of(files: readonly PageFile[]): Page {
    const compressed = new Map(files.map(({ name, content }) => [name, content]));
    const assets = new Map<string, Asset>();
    for (const { name, content } of files) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      // Of the page only its files that never change are compressed: no answer that might ever hold something of the one
      // who asks, beside something secret, gives that away by its length.
      const gzip = type.startsWith("text/html")
        ? null
        : (compressed.get(`${name}${COMPRESSED}`) ?? compress(content));
      assets.set(`/${name}`, {
        type,
        content,
        gzip: gzip !== null && gzip.length < content.length ? gzip : null,
      });
    }
    return new Page(assets);
  }

  /** Serves the assets, and index.html for every other path without a dot: the page has its own routes. */
  middleware(): Middleware {
    return async (context: Context, next: Next): Promise<void> => {
      const readable = context.method === "GET" || context.method === "HEAD";
      const path =
        this.#assets.has(context.path) || context.path.includes(".") ? context.path : "/index.html";
      const asset = this.#assets.get(path);
      if (!readable || asset === undefined) return next();
      context.type = asset.type;
      context.set("Content-Security-Policy", POLICY);
      context.set("Permissions-Policy", PERMISSIONS);
      context.set("Cross-Origin-Opener-Policy", "same-origin");
      context.set(
        "Cache-Control",
        path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      );
      context.vary("Accept-Encoding");
      const compressed = context.acceptsEncodings("gzip", "identity") === "gzip" ? asset.gzip : null;
      if (compressed !== null) context.set("Content-Encoding", "gzip");
      context.body = compressed ?? asset.content;
    };
  }
}

/** For a page that was built without its compressed files. */
function compress(content: Buffer): Buffer {
  return gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
}
