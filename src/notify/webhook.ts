import { createHmac } from "node:crypto";
import { request } from "node:https";
import type { SinkSettingsOf } from "../contract/sink.ts";
import { type Clock, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Notice } from "../domain/notice.ts";
import type { Sink } from "../domain/sink.ts";
import { readConfigured, readSecret } from "../platform/secret-file.ts";
import { connectionProblem } from "../platform/socket.ts";

/** Statuses that refuse this one notice, and would again (RFC 9110). Others concern the address or the key. */
const REFUSALS: readonly number[] = [400, 413, 422];

/**
 * Sends notices by HTTPS: a POST of JSON, signed as docs/beyond.md says. An answer of 2xx means
 * that the receiver has it. Redirects are not followed, because the owner has named the receiver.
 */
export class WebhookSink implements Sink<Notice> {
  readonly name = "webhook";
  readonly #settings: SinkSettingsOf<"webhook">;
  readonly #makeTest: () => Notice;
  readonly #clock: Pick<Clock, "nowMs">;

  constructor(settings: SinkSettingsOf<"webhook">, makeTest: () => Notice, clock: Pick<Clock, "nowMs">) {
    this.#settings = settings;
    this.#makeTest = makeTest;
    this.#clock = clock;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const { webhook_url: url } = this.#settings;
    const body = JSON.stringify(toBody(notice));
    const timestamp = Math.floor(this.#clock.nowMs() / SECOND_MS);
    // With the time in the signature a receiver can refuse old requests that somebody has recorded.
    const signature = createHmac("sha256", readSecret(this.#settings.webhook_key_file))
      .update(`${timestamp}.${body}`)
      .digest("hex");
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "user-agent": "flanco",
      "x-flanco-notice": notice.id,
      "x-flanco-timestamp": timestamp,
      "x-flanco-signature": `v1=${signature}`,
    };
    const status = await this.#post(body, headers, signal).catch((error: unknown) => {
      throw webhookError(url, error);
    });
    if (status < 200 || status > 299) {
      const code = REFUSALS.includes(status) ? "unprocessable" : "unavailable";
      throw new FlancoError(code, `The receiver ${hostOf(url)} answers ${status}.`, {
        hint:
          status >= 300 && status < 400
            ? "Name the address that it redirects to in webhook_url: redirects are not followed."
            : "Look at the receiver's own log; flanco tries again by itself.",
      });
    }
  }

  async test(signal: AbortSignal): Promise<string> {
    await this.deliver(this.#makeTest(), signal);
    return `The receiver ${hostOf(this.#settings.webhook_url)} has taken a test message.`;
  }

  async close(): Promise<void> {}

  /** The status of the answer, once its headers are there. */
  #post(body: string, headers: Record<string, string | number>, signal: AbortSignal): Promise<number> {
    const { webhook_url: url, webhook_authority_file: file } = this.#settings;
    const authority = file === "" ? {} : { ca: readConfigured(file) };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", headers, signal, agent: false, ...authority };
      const sent = request(url, options, (answer) => {
        resolve(answer.statusCode ?? 0);
        // The rest is not used, and a receiver may never end it.
        answer.destroy();
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

function toBody({ id, kind, madeMs, language, subject, text, details }: Notice) {
  return { id, kind, time: new Date(madeMs).toISOString(), language, subject, text, details };
}

function webhookError(url: string, cause: unknown): FlancoError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const problem = connectionProblem(code) ?? "ended the connection";
  return new FlancoError("unavailable", `The receiver ${hostOf(url)} ${problem}.`, {
    hint: "Check the network, the receiver and the settings webhook_*; flanco tries again by itself.",
    cause,
  });
}

function hostOf(url: string): string {
  return new URL(url).host;
}
