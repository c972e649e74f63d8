// Keeps the page's own files in the browser, so that it opens while the gateway cannot be reached, and says
// so in its own words. It never answers for the API: what it would tell could be old.
declare const self: ServiceWorkerGlobalScope;
/** The addresses of this build's files. */
declare const ASSETS: readonly string[];
declare const VERSION: string;

// A module, so that `self` here is the worker's own.
export {};

const CACHE = `flanco-${VERSION}`;
/** Every view is this one file. */
const PAGE = "/";
const ASSET_FOLDER = "/assets/";
const API_FOLDER = "/api/";
/** A gateway that does not answer for so long counts as away. */
const PATIENCE_MS = 4_000;

self.addEventListener("install", (event) => event.waitUntil(keepFiles()));
self.addEventListener("activate", (event) => event.waitUntil(dropOldFiles()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (pathname.startsWith(API_FOLDER)) return;
  if (request.mode === "navigate") event.respondWith(openPage(request));
  else if (pathname.startsWith(ASSET_FOLDER)) event.respondWith(openAsset(request));
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...ASSETS]);
  await self.skipWaiting();
}

async function dropOldFiles(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** From the gateway while it answers: an update is seen at once. */
async function openPage(request: Request): Promise<Response> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    return await fetch(request, { signal: patience.signal });
  } catch (error) {
    const kept = await caches.match(PAGE);
    if (kept === undefined) throw error;
    return kept;
  } finally {
    clearTimeout(timer);
  }
}

/** Its address names its content, so a kept one is as good as any. */
async function openAsset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
