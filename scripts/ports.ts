import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the kernel's own range (`net.ipv4.ip_local_port_range`), whose ports any process may be given at any moment. */
const FIRST = 20_000;
const END = 32_768;
const BLOCK = 64;
const BLOCKS = Math.floor((END - FIRST) / BLOCK);

/**
 * The next port of a block that belongs to this process alone: the process listens on the block's first port until it ends.
 * Suites run side by side, each with several processes.
 */
let next = 0;
let end = 0;
let last: Promise<unknown> = Promise.resolve();

/** A port of loopback that is free, and that no other caller is given, in this process or another. */
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
  throw new Error(`Other processes hold all ports from ${FIRST} to ${END}.`);
}

/** Undefined where the port is taken. */
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
