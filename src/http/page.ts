import { extname } from "node:path";
import { constants, gzipSync } from "node:zlib";
import type { Context, Middleware, Next } from "koa";
import { pageHeaders } from "./middleware.ts";
import { inPieces } from "./router.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const HEADERS = {
  ...pageHeaders({
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
  }),
  // Not on the trust page: browsers ignore it on plain HTTP.
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** The end of the name of a file that is another file, compressed with gzip. */
const COMPRESSED = ".gz";

export interface PageFile {
  /** Path on the server, without the first slash. */
  readonly name: string;
  readonly content: Buffer;
}

interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** The content, compressed; null where that saves nothing. */
  readonly gzip: Buffer | null;
}

/** The built page, held in memory: a request reads no disk, and its path never names a file. */
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
      // HTML is not compressed: the length of a compressed answer
      // can show a secret that stands beside a client's text.
      const gzip = type.startsWith("text/html")
        ? null
        : // A page may have been built without its compressed files.
          (compressed.get(`${name}${COMPRESSED}`) ??
          gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
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
      context.set(HEADERS);
      context.set(
        "Cache-Control",
        path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      );
      context.vary("Accept-Encoding");
      const compressed = context.acceptsEncodings("gzip", "identity") === "gzip" ? asset.gzip : null;
      if (compressed !== null) context.set("Content-Encoding", "gzip");
      context.body = inPieces(compressed ?? asset.content, context);
    };
  }
}
