import { once } from "node:events";
import {
  type Agent,
  get,
  globalAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import { connect, isIPv6 } from "node:net";
import { text } from "node:stream/consumers";

const ANSWER_MS = 30_000;

export interface Target {
  readonly port: number;
  readonly agent?: Agent | false;
  /** The client's own address. */
  readonly localAddress?: string;
  /** Of `node:http` unless it is told otherwise. */
  readonly open?: typeof request;
  /** How long an answer may take before it counts as none. */
  readonly answerMs?: number;
}

export interface Exchange {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The bytes as text. */
  readonly body: string;
  /** From the beginning of the request to the last byte of the answer. */
  readonly ms: number;
}

/** Sends these bytes on a connection of their own, and gives all that comes until the service hangs up. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

/** Asks on a connection of its own, and gives the answer before its body is read. */
export async function begin(url: string, cookie: string): Promise<IncomingMessage> {
  const asked = get(url, { headers: { cookie }, agent: false });
  asked.on("error", () => {});
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response.on("error", () => {});
}

/** One request with exactly these headers and bytes: nothing is encoded, typed or asserted on the way. */
export function exchange(
  { port, agent = globalAgent, localAddress = "127.0.0.1", open = request, answerMs = ANSWER_MS }: Target,
  method: string,
  path: string,
  { headers = {}, body = "" }: Exchange = {},
): Promise<Answer> {
  const began = performance.now();
  const host = isIPv6(localAddress) ? "::1" : "127.0.0.1";
  const options = { host, port, agent, localAddress, method, path, headers, timeout: answerMs };
  return new Promise((resolve, reject) => {
    const outgoing = open(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, bytes, body: bytes.toString(), ms: performance.now() - began });
      });
    });
    outgoing.on("error", reject);
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.end(body);
  });
}
