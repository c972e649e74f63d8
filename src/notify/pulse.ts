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

/** What the gateway says of itself. */
export interface Pulse {
  /** The codes of the faults that need somebody, with commas between them; empty where none does. */
  readonly wrong: string;
}

export interface PulseFeedOptions {
  readonly status: { status(): Promise<{ readonly faults: readonly Fault[] }> };
  readonly clock: Clock;
}

/** The pulses: the newest alone matters, and one that was missed is not sent later. */
export class PulseFeed implements Feed<Pulse> {
  readonly #options: PulseFeedOptions;
  /** Since when each fault that needs somebody is there, in monotonic milliseconds, by its name. */
  #sinceMs: ReadonlyMap<string, number> = new Map();
  #newest: Pulse | undefined;
  #taken: Pulse | undefined;
  #takenMs = 0;
  #deliveredMs: number | null = null;
  #isMissed = false;

  constructor(options: PulseFeedOptions) {
    this.#options = options;
  }

  async next(): Promise<Pulse | undefined> {
    const nowMs = monotonicMs(this.#options.clock);
    const isDue = this.#taken === undefined || nowMs - this.#takenMs >= PULSE_MS;
    const pulse = await this.look();
    const isOther = (pulse?.wrong === "") !== (this.#taken?.wrong === "");
    return isDue || isOther ? pulse : undefined;
  }

  /**
   * The gateway's state. A fault counts once it has lasted for two minutes, or at once where it loses sales. Until
   * then the state stays as it was; undefined where there was none, so that a restart does not hide a fault.
   */
  async look(): Promise<Pulse | undefined> {
    const { status, clock } = this.#options;
    const faults = (await status.status()).faults.filter(needsSomebody);
    const nowMs = monotonicMs(clock);
    const since = (fault: Fault) => this.#sinceMs.get(faultName(fault)) ?? nowMs;
    this.#sinceMs = new Map(faults.map((fault) => [faultName(fault), since(fault)]));
    const lasting = faults.filter(
      (fault) => FAULTS[fault.code].severity === "grave" || nowMs - since(fault) >= BEGUN_MS,
    );
    if (faults.length === 0 || lasting.length > 0) {
      this.#newest = { wrong: [...new Set(lasting.map(({ code }) => code))].join(", ") };
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

  close(): void {}
}

/**
 * Whether a fault is one that somebody can mend. That of the pulses
 * themselves is none: it would outlast the receiver's absence by a pulse.
 */
function needsSomebody(fault: Fault): boolean {
  const isOwn = fault.code === "sink_failing" && fault.details["sink"] === "pulse";
  return FAULTS[fault.code].severity !== "note" && tellsEnd(fault) && !isOwn;
}

/** Calls a monitor outside of the gateway, which tells people once the calls cease, or say that something is wrong. */
export class PulseSink implements Sink<Pulse> {
  readonly name = "pulse";
  readonly deliverMs = ANSWER_MS;
  readonly lastRetryMs = LAST_RETRY_MS;
  readonly #settings: SinkSettingsOf<"pulse">;
  readonly #look: PulseFeed["look"];

  constructor(settings: SinkSettingsOf<"pulse">, look: PulseFeed["look"]) {
    this.#settings = settings;
    this.#look = look;
  }

  async deliver(pulse: Pulse, signal: AbortSignal): Promise<void> {
    await this.#call(pulse, signal);
  }

  /** Sends the true state: anything else would set off the monitor. */
  async test(signal: AbortSignal): Promise<string> {
    const pulse = (await this.#look()) ?? { wrong: "" };
    return `${await this.#call(pulse, signal)} ${pulse.wrong === "" ? "All is well" : `It was told of ${pulse.wrong}`}.`;
  }

  async close(): Promise<void> {}

  async #call({ wrong }: Pulse, signal: AbortSignal): Promise<string> {
    const text = readSecret(this.#settings.pulse_url_file);
    // The error that parsing throws would hold the address.
    if (!URL.canParse(text))
      throw new FlancoError("config", "The address of the pulse is damaged: give it again.");
    const url = new URL(text);
    const { status, text: answer } = await callReceiver(
      {
        ...requestOf(url, wrong),
        authorityFile: this.#settings.pulse_authority_file,
        settings: "pulse",
        readsText: true,
      },
      signal,
    );
    // healthchecks.io answers 200 and this to an address without a check: nobody would be told.
    const [objection] = /^OK \([a-z ]{1,40}\)/.exec(answer) ?? [];
    if (objection === undefined) return `The receiver ${url.host} answers ${status}.`;
    throw new FlancoError("unavailable", `The receiver ${url.host} answers: ${objection}.`, {
      hint: "Copy the address from the monitor again: its check may have been removed.",
    });
  }
}

/**
 * An Uptime Kuma is told by parameters (`/api/push/TOKEN`); every other
 * monitor as healthchecks.io, whose path for a failure ends with `/fail`.
 */
function requestOf(url: URL, wrong: string): Pick<ReceiverRequest, "url" | "method" | "body"> {
  const called = new URL(url);
  if (url.pathname.includes("/api/push/")) {
    called.searchParams.set("status", wrong === "" ? "up" : "down");
    called.searchParams.set("msg", wrong || "OK");
    return { url: called, method: "GET" };
  }
  if (wrong === "") return { url: called, method: "GET" };
  called.pathname = `${url.pathname.replace(/\/$/, "")}/fail`;
  return { url: called, method: "POST", body: wrong };
}
