import { X509Certificate } from "node:crypto";
import { open } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { isIP } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { type AnswerOf, codeOf, type Declaration, errorOf } from "../contract/declaration.ts";
import { beginMove, finishMove, getMove, readMove } from "../contract/move.ts";
import { FlancoError, messageOf, systemCode } from "../domain/error.ts";
import { beginOf, type MoveCode } from "../domain/move.ts";
import { OWNER_ONLY } from "../durable-file.ts";

/** The usual port of a gateway's HTTPS. */
const PORT = 8_443;
/** A connection without a byte for this long counts as cut. */
const SILENCE_MS = 30_000;
const ASK_EVERY_MS = 1_000;
/** After so many connections in a row without a byte the move is given up; after the first it waits this long. */
const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 1_000;
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;

/** The address of a gateway. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Undefined for a text that is no address. Throws `invalid` for
 * one that is not HTTPS's, or has more than host and port.
 */
export function parseAddress(given: string): GatewayAddress | undefined {
  if (!given.includes("://")) return undefined;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (
    url?.protocol !== "https:" ||
    url.pathname !== "/" ||
    url.search + url.hash + url.username + url.password !== ""
  ) {
    throw new FlancoError("invalid", `${given} is no address of a gateway.`, {
      hint: "Write it as https://192.168.1.20, with the port where that is not 8443.",
    });
  }
  // A URL drops the port that is HTTPS's own.
  const port = /:443\/?$/.test(given) ? 443 : Number(url.port || PORT);
  return { host: url.hostname.replaceAll(/[[\]]/g, ""), port };
}

/**
 * Fetches a clinic from the gateway that has it. Sends nothing before the
 * gateway's certificate was found to be the one that the code names. Who signed it
 * does not matter, because people carry the code from one gateway to the other.
 */
export class GatewayClient {
  readonly #address: GatewayAddress;
  readonly #code: MoveCode;
  readonly #firstWaitMs: number;
  #ticket = "";

  constructor(address: GatewayAddress, code: MoveCode, firstWaitMs = FIRST_WAIT_MS) {
    this.#address = address;
    this.#code = code;
    this.#firstWaitMs = firstWaitMs;
  }

  /**
   * Uses the code up. Throws `forbidden` for another certificate,
   * `unauthorized` for a code that is used or has ended.
   */
  async begin(): Promise<void> {
    const { data } = beginMove.answer.parse(await this.#ask(beginMove, { secret: this.#code.secret }));
    this.#ticket = data.ticket;
  }

  /** Waits until the other gateway has made a backup and checked it in full. */
  async clinic(): Promise<NonNullable<AnswerOf<typeof getMove>["data"]>> {
    for (;;) {
      const ask = () => this.#ask(getMove, { ticket: this.#ticket });
      const { data } = getMove.answer.parse(await this.#patiently(ask, () => 0));
      if (data !== null) return data;
      await pause(ASK_EVERY_MS);
    }
  }

  /**
   * Writes the backup, of `bytes` bytes, to a file, and continues where a connection was cut. Throws
   * `damaged` where the gateway sends more, `unavailable` where it stays away or the disk is full.
   */
  async fetch(file: string, bytes: number, onProgress: (done: number, total: number) => void): Promise<void> {
    await using target = await open(file, "w", OWNER_ONLY);
    let done = 0;
    onProgress(0, bytes);
    const fetchRest = async () => {
      const answer = await this.#send(readMove, { ticket: this.#ticket, from: done });
      await requireSuccess(readMove, answer);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        if (done + chunk.length > bytes) throw tooLong();
        await target.write(chunk, 0, chunk.length, done);
        done += chunk.length;
        onProgress(done, bytes);
      }
      if (done < bytes) throw new CutConnection();
    };
    await this.#patiently(fetchRest, () => done);
    await target.sync();
  }

  /** Tells the other gateway that its clinic is here. */
  async finish(): Promise<void> {
    await this.#ask(finishMove, { ticket: this.#ticket });
  }

  /** Tries again after a cut connection, with longer waits while nothing comes. */
  async #patiently<T>(attempt: () => Promise<T>, progress: () => number): Promise<T> {
    for (let failures = 0, before = progress(); ; ) {
      try {
        return await attempt();
      } catch (error) {
        if (!isCut(error)) throw error;
        const now = progress();
        failures = now > before ? 1 : failures + 1;
        before = now;
        if (failures >= MAX_FAILURES) throw gone(this.#address, error);
        await pause(this.#firstWaitMs * 2 ** (failures - 1));
      }
    }
  }

  async #ask(declaration: Declaration, body: object): Promise<unknown> {
    const answer = await this.#send(declaration, body);
    await requireSuccess(declaration, answer);
    return JSON.parse(await boundedText(answer));
  }

  async #send({ method, path }: Declaration, body: object): Promise<IncomingMessage> {
    const socket = await this.#connect();
    const { host, port } = this.#address;
    const content = JSON.stringify(body);
    const sent = request({
      method: method.toUpperCase(),
      path,
      createConnection: () => socket,
      headers: {
        host: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(content),
        connection: "close",
      },
      timeout: SILENCE_MS,
    });
    return new Promise((resolve, reject) => {
      sent.once("response", resolve);
      sent.once("timeout", () => sent.destroy(new CutConnection()));
      sent.once("error", reject);
      sent.end(content);
    });
  }

  /** A connection to the machine with the certificate that the code names. */
  #connect(): Promise<TLSSocket> {
    const { host, port } = this.#address;
    // The certificate is compared below, before anything is sent.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new CutConnection()));
    return new Promise((resolve, reject) => {
      socket.once("error", (error) => reject(error));
      socket.once("secureConnect", () => {
        const { raw } = socket.getPeerCertificate();
        const { fingerprint256 } = new X509Certificate(raw);
        if (beginOf(fingerprint256) === this.#code.fingerprint) resolve(socket);
        else {
          socket.destroy();
          reject(otherMachine(this.#address));
        }
      });
    });
  }
}

async function requireSuccess({ status }: Declaration, answer: IncomingMessage): Promise<void> {
  const { statusCode = 0 } = answer;
  if (statusCode === status) return;
  const otherwise = `The old gateway answers ${statusCode}: it may be of an older version.`;
  const body = parsedOrNull(await boundedText(answer));
  throw errorOf(statusCode, body) ?? new FlancoError(codeOf(statusCode), otherwise);
}

function parsedOrNull(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

async function boundedText(answer: IncomingMessage): Promise<string> {
  let characters = 0;
  answer.on("data", (chunk: Buffer) => {
    characters += chunk.length;
    if (characters > MAX_ANSWER_CHARACTERS) answer.destroy(tooLong());
  });
  return text(answer);
}

/** Whether an error is one of the network, by its system code. Throws the error of a full disk. */
function isCut(error: unknown): boolean {
  if (error instanceof CutConnection) return true;
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EIO") throw noRoom(error);
  return code !== undefined;
}

class CutConnection extends Error {
  override readonly message = "the connection was cut";
}

function gone({ host, port }: GatewayAddress, cause: unknown): FlancoError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new FlancoError("unavailable", `The gateway at ${host}, port ${port}, does not answer${reason}.`, {
    hint: "Nothing was changed here. Look at its address and the network, then begin anew with another code.",
    cause,
  });
}

function otherMachine({ host, port }: GatewayAddress): FlancoError {
  return new FlancoError(
    "forbidden",
    `The certificate of ${host}, port ${port}, is not the one that the code tells of: another machine answers there, or the code was mistyped.`,
    {
      hint: "Nothing was sent to it. Compare the address and the code with those that the old gateway shows.",
    },
  );
}

function tooLong(): FlancoError {
  return new FlancoError("damaged", "The old gateway sends more than its backup holds.", {
    hint: "Nothing was changed here. Begin anew with another code.",
  });
}

function noRoom(cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The disk takes no more of the backup: ${messageOf(cause)}.`, {
    hint: "Nothing was changed here. Free some room, then begin anew with another code.",
    cause,
  });
}
