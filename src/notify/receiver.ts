import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { FlancoError, systemCode } from "../domain/error.ts";
import { readConfigured } from "../platform/secret-file.ts";
import { connectionProblem } from "../platform/socket.ts";

/** Statuses that refuse this one message, and would again (RFC 9110). Others concern the address or the key. */
const REFUSALS: readonly number[] = [400, 413, 422];
/** How much is read of an answer's text, in bytes at most. */
const ANSWER_BYTES = 200;

export interface ReceiverRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** With one it is a POST, else a GET. */
  readonly body?: string;
  /** PEM of the authority that the receiver's certificate must be of; empty: the usual ones. */
  readonly authorityFile: string;
  /** What its sink's settings begin with, for the texts of errors. */
  readonly settings: "webhook" | "pulse";
  /** Whether the answer's text matters. Without it the answer is there with its headers. */
  readonly readsText?: boolean;
}

export interface ReceiverAnswer {
  readonly status: number;
  /** The first piece of the text, where it was to be read. */
  readonly text: string;
}

/**
 * Sends one request to a receiver outside of the gateway, and resolves with its answer of 2xx. Redirects are not
 * followed, because the owner has named the receiver. Rejects with `unavailable`, or `unprocessable` where this
 * message is refused. The texts name the receiver's host, and nothing else of its address, which may be secret.
 */
export async function callReceiver(call: ReceiverRequest, signal: AbortSignal): Promise<ReceiverAnswer> {
  const { host } = call.url;
  const answer = await exchange(call, signal).catch((cause: unknown) => {
    const problem = connectionProblem(systemCode(cause)) ?? "ended the connection";
    throw new FlancoError("unavailable", `The receiver ${host} ${problem}.`, {
      hint: `Check the network, the receiver and the settings ${call.settings}_*; flanco tries again by itself.`,
      cause,
    });
  });
  const { status } = answer;
  if (status >= 200 && status <= 299) return answer;
  const code = REFUSALS.includes(status) ? "unprocessable" : "unavailable";
  throw new FlancoError(code, `The receiver ${host} answers ${status}.`, {
    hint:
      status >= 300 && status < 400
        ? `Name the address that it redirects to in ${call.settings}_url: redirects are not followed.`
        : "Look at the receiver's own log; flanco tries again by itself.",
  });
}

function exchange(
  { url, headers = {}, body, authorityFile, readsText = false }: ReceiverRequest,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const options = {
    method: body === undefined ? "GET" : "POST",
    headers: { "user-agent": "flanco", ...headers },
    signal,
    agent: false,
    ...(authorityFile !== "" && { ca: readConfigured(authorityFile) }),
  };
  const request = url.protocol === "http:" ? requestPlain : requestTls;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const finish = (text: string) => {
        resolve({ status: answer.statusCode ?? 0, text });
        // The rest is not used, and a receiver may never end it.
        answer.destroy();
      };
      answer.on("error", reject);
      if (!readsText) return finish("");
      answer.once("data", (piece: Buffer) => finish(piece.toString("utf8", 0, ANSWER_BYTES)));
      answer.once("end", () => finish(""));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
