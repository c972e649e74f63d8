import type { SinkSettingsOf } from "../contract/sink.ts";
import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { BEGUN_MS, FAULTS, type Fault, faultName, tellsEnd } from "../domain/fault.ts";
import type { Sink } from "../domain/sink.ts";
import { readSecret } from "../platform/secret-file.ts";
import type { Feed, FeedProgress } from "./forwarder.ts";
import { callReceiver, type ReceiverRequest } from "./receiver.ts";

/**
 * The least time between two pulses that say the same. The forwarder looks every 15 seconds,
 * so that they come within a minute, the usual interval of a monitor.
 */
const PULSE_MS = 40 * SECOND_MS;
const ANSWER_MS = 10 * SECOND_MS;
const LAST_RETRY_MS = 45 * SECOND_MS;

/** What is wrong: the codes of the faults that need somebody, with commas between them; empty where none does. */
export type Pulse = string;

export interface PulseOptions {
  readonly settings: SinkSettingsOf<"pulse">;
  readonly status: { status(): Promise<{ readonly faults: readonly Fault[] }> };
  readonly clock: Clock;
}

/**
 * Calls a monitor outside of the gateway, which tells people once the calls cease, or say that something
 * is wrong. The newest state alone matters, and one that was missed is not sent later.
 */
export class PulseSink implements Feed<Pulse>, Sink<Pulse> {
  readonly name = "pulse";
  readonly deliverMs = ANSWER_MS;
  readonly lastRetryMs = LAST_RETRY_MS;
  readonly #options: PulseOptions;
  /** Since when each fault that needs somebody is there, in monotonic milliseconds, by its name. */
  #sinceMs: ReadonlyMap<string, number> = new Map();
  #newest: Pulse | undefined;
  #taken: Pulse | undefined;
  #takenMs = 0;
  #deliveredMs: number | null = null;
  #isMissed = false;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  async next(): Promise<Pulse | undefined> {
    const nowMs = monotonicMs(this.#options.clock);
    const isDue = this.#taken === undefined || nowMs - this.#takenMs >= PULSE_MS;
    const pulse = await this.#look();
    const isOther = (pulse === "") !== (this.#taken === "");
    return isDue || isOther ? pulse : undefined;
  }

  /**
   * The gateway's state. A fault counts once it has lasted for two minutes, or at once where it loses sales. Until
   * then the state stays as it was; undefined where there was none, so that a restart does not hide a fault.
   */
  async #look(): Promise<Pulse | undefined> {
    const { status, clock } = this.#options;
    const faults = (await status.status()).faults.filter(needsSomebody);
    const nowMs = monotonicMs(clock);
    const since = (fault: Fault) => this.#sinceMs.get(faultName(fault)) ?? nowMs;
    this.#sinceMs = new Map(faults.map((fault) => [faultName(fault), since(fault)]));
    const lasting = faults.filter(
      (fault) => FAULTS[fault.code].severity === "grave" || nowMs - since(fault) >= BEGUN_MS,
    );
    if (faults.length === 0 || lasting.length > 0) {
      this.#newest = [...new Set(lasting.map(({ code }) => code))].join(", ");
    }
    return this.#newest;
  }

  taken(pulse: Pulse): void {
    const { clock } = this.#options;
    this.#isMissed = false;
    this.#taken = pulse;
    this.#takenMs = monotonicMs(clock);
    this.#deliveredMs = clock.nowMs();
  }

  notTaken(): void {
    this.#isMissed = true;
  }

  progress(): FeedProgress {
    return { waiting: this.#isMissed ? 1 : 0, deliveredMs: this.#deliveredMs, givenUp: 0 };
  }

  async deliver(pulse: Pulse, signal: AbortSignal): Promise<void> {
    await this.#call(pulse, signal);
  }

  /** Sends the true state: anything else would set off the monitor. */
  async test(signal: AbortSignal): Promise<string> {
    const wrong = (await this.#look()) ?? "";
    return `${await this.#call(wrong, signal)} ${wrong === "" ? "All is well" : `It was told of ${wrong}`}.`;
  }

  async #call(wrong: Pulse, signal: AbortSignal): Promise<string> {
    const { pulse_url_file: urlFile, pulse_authority_file: authorityFile } = this.#options.settings;
    const text = readSecret(urlFile);
    // The error that parsing throws would hold the address.
    if (!URL.canParse(text))
      throw new FlancoError("config", "The address of the pulse is damaged: give it again.");
    const url = new URL(text);
    const { status, text: answer } = await callReceiver(
      { ...requestOf(url, wrong), authorityFile, settings: "pulse", readsText: true },
      signal,
    );
    // healthchecks.io answers 200 and this to an address without a check, and then tells no person.
    const [objection] = /^OK \([a-z ]{1,40}\)/.exec(answer) ?? [];
    if (objection === undefined) return `The receiver ${url.host} answers ${status}.`;
    throw new FlancoError("unavailable", `The receiver ${url.host} answers: ${objection}.`, {
      hint: "Copy the address from the monitor again: its check may have been removed.",
    });
  }
}

/**
 * Whether a fault is one that somebody can mend. That of the pulses
 * themselves is none: it would outlast the receiver's absence by a pulse.
 */
function needsSomebody(fault: Fault): boolean {
  const isOwn = fault.code === "sink_failing" && fault.details["sink"] === "pulse";
  return FAULTS[fault.code].severity !== "note" && tellsEnd(fault) && !isOwn;
}

/**
 * An Uptime Kuma is told by parameters (`/api/push/TOKEN`); every other
 * monitor as healthchecks.io, whose path for a failure ends with `/fail`.
 */
function requestOf(url: URL, wrong: Pulse): Pick<ReceiverRequest, "url" | "body"> {
  const called = new URL(url);
  if (url.pathname.includes("/api/push/")) {
    called.searchParams.set("status", wrong === "" ? "up" : "down");
    called.searchParams.set("msg", wrong || "OK");
  } else if (wrong !== "") {
    called.pathname = `${url.pathname.replace(/\/$/, "")}/fail`;
    return { url: called, body: wrong };
  }
  return { url: called };
}
