import { connect, type Socket } from "node:net";

/** A client that holds connections open from one address of loopback. */
export interface SlowTask {
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly address: string;
  readonly count: number;
}

/** The first bytes of an offer of TLS, whose rest never comes. */
const HALF_AN_OFFER = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);
const HALF_A_HEAD = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ";
const DROP_EVERY_MS = 1_000;
/** How soon a connection that was closed is opened again. */
const AGAIN_MS = 1_000;

const { httpsPort, httpPort, address, count } = JSON.parse(process.argv[2] ?? "") as SlowTask;
const open = new Set<Socket>();
const unmet = new Set<number>();
let isOver = false;
let tried = 0;

function hold(index: number): void {
  if (isOver) return;
  tried += 1;
  const isTls = index % 2 === 0;
  const socket = connect({ port: isTls ? httpsPort : httpPort, host: "127.0.0.1", localAddress: address });
  open.add(socket);
  socket.on("error", () => {});
  socket.once("connect", () => {
    met(index);
    socket.write(isTls ? HALF_AN_OFFER : HALF_A_HEAD);
  });
  socket.once("close", () => {
    open.delete(socket);
    met(index);
    setTimeout(hold, AGAIN_MS, index);
  });
}

/** Reports once that every connection was accepted or refused. */
function met(index: number): void {
  if (unmet.delete(index) && unmet.size === 0) process.send?.("stands");
}

for (let index = 0; index < count; index += 1) {
  unmet.add(index);
  hold(index);
}
const dropping = setInterval(() => {
  for (const socket of open) if (socket.writable) socket.write("a");
}, DROP_EVERY_MS);

// Anything that is said ends it; the answer is how often one was opened, or tried.
process.once("message", () => {
  isOver = true;
  clearInterval(dropping);
  for (const socket of open) socket.destroy();
  process.send?.(tried, () => process.exit());
});
