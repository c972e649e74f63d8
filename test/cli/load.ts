import { setTimeout } from "node:timers/promises";
import type { ControlClient } from "../../src/control/client.ts";
import type { RunningService } from "../rig/program.ts";

const CONNECTIONS = 8;
const PULSE_EVERY_MS = 3;
const LINE = "SIM0";

/** Posts and drives a line until the service ends, and keeps account of it. Each post has its own room. */
export class Load {
  /** Rooms whose post was answered with 201. */
  readonly acknowledged = new Set<string>();
  /** Rises of the line that were asked for. */
  rises = 0;
  /** Posts whose answer the end of the process took away, as they are sent again, by their room. */
  readonly #unanswered = new Map<string, Readonly<Record<string, string>>>();
  readonly #cookie: string;
  readonly #work: Promise<unknown>;
  #posts = 0;
  #going = true;

  constructor(service: RunningService, remote: ControlClient, cookie: string) {
    this.#cookie = cookie;
    const posting = Array.from({ length: CONNECTIONS }, () => this.#post(service));
    this.#work = Promise.allSettled([...posting, this.#drive(remote)]);
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#work;
  }

  /** As a client does that had no answer and used a key. */
  async sendAgain(service: RunningService): Promise<void> {
    for (const [room, headers] of this.#unanswered) {
      if ("idempotency-key" in headers) await this.#send(service, room, headers);
    }
  }

  async #post(service: RunningService): Promise<void> {
    while (this.#going) {
      this.#posts += 1;
      const headers: Record<string, string> =
        this.#posts % 2 === 0 ? { "idempotency-key": `key-${this.#posts}` } : {};
      await this.#send(service, `n${this.#posts}`, headers);
    }
  }

  async #send(
    service: RunningService,
    habitacion: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    this.#unanswered.set(habitacion, headers);
    const body = { locationName: "L", deviceName: "D", deviceId: "1", habitacion, valor: 1, createdTime: 1 };
    const { status } = await service.post("/api/data", body, this.#cookie, headers);
    if (status !== 201) throw new Error(`A post was answered with ${status}.`);
    this.#unanswered.delete(habitacion);
    this.acknowledged.add(habitacion);
  }

  async #drive(remote: ControlClient): Promise<void> {
    while (this.#going) {
      this.rises += 1;
      await remote.call("setLine", { line: LINE, high: true });
      await remote.call("setLine", { line: LINE, high: false });
      await setTimeout(PULSE_EVERY_MS);
    }
  }
}
