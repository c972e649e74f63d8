import { createHmac } from "node:crypto";
import type { SinkSettingsOf } from "../contract/sink.ts";
import { type Clock, SECOND_MS } from "../domain/clock.ts";
import type { Notice } from "../domain/notice.ts";
import type { Sink } from "../domain/sink.ts";
import { readSecret } from "../platform/secret-file.ts";
import { callReceiver } from "./receiver.ts";

/** Sends notices by HTTPS: a POST of JSON, signed as docs/beyond.md says. An answer of 2xx means that the receiver has it. */
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
    const { webhook_url: url, webhook_authority_file: authorityFile } = this.#settings;
    const body = JSON.stringify(toBody(notice));
    const timestamp = Math.floor(this.#clock.nowMs() / SECOND_MS);
    // With the time in the signature a receiver can refuse old requests that somebody has recorded.
    const signature = createHmac("sha256", readSecret(this.#settings.webhook_key_file))
      .update(`${timestamp}.${body}`)
      .digest("hex");
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-flanco-notice": notice.id,
      "x-flanco-timestamp": timestamp,
      "x-flanco-signature": `v1=${signature}`,
    };
    await callReceiver({ url: new URL(url), headers, body, authorityFile, settings: "webhook" }, signal);
  }

  async test(signal: AbortSignal): Promise<string> {
    await this.deliver(this.#makeTest(), signal);
    return `The receiver ${new URL(this.#settings.webhook_url).host} has taken a test message.`;
  }
}

function toBody({ id, kind, madeMs, language, subject, text, details }: Notice) {
  return { id, kind, time: new Date(madeMs).toISOString(), language, subject, text, details };
}
