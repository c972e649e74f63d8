import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** From here up to where the kernel's own begin (`net.ipv4.ip_local_port_range`), which anybody may be given meanwhile. */
const FIRST = 20_000;
const END = 32_768;
const BLOCK = 64;
const BLOCKS = Math.floor((END - FIRST) / BLOCK);

/**
 * Numbers from blocks that are this process's alone: it listens on a block's first port as long as it lives, and the
 * kernel lets nobody else do so. Suites run side by side, each with several processes.
 */
let next = 0;
let end = 0;
let last: Promise<unknown> = Promise.resolve();

/** A port of loopback that nobody listens on, and that no other test is given, of whatever process. */
export function freePort(): Promise<number> {
  const port = last.then(unusedPort);
  last = port.catch(() => {});
  return port;
}

async function unusedPort(): Promise<number> {
  for (;;) {
    if (next === end) await takeBlock();
    const port = next;
    next += 1;
    const server = await listenOn(port);
    if (server === undefined) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

async function takeBlock(): Promise<void> {
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const first = FIRST + ((process.pid + tried) % BLOCKS) * BLOCK;
    const server = await listenOn(first);
    if (server === undefined) continue;
    server.unref();
    [next, end] = [first + 1, first + BLOCK];
    return;
  }
  throw new Error(`Others hold all ports from ${FIRST} to ${END}.`);
}

/** Undefined where somebody else listens. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
