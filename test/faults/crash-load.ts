import { setTimeout } from "node:timers/promises";
import type { ControlClient } from "../../src/cli/door.ts";
import { driveLine } from "../../src/contract/line.ts";
import type { RunningService } from "../rig/program.ts";

const CONNECTIONS = 8;
const PULSE_EVERY_MS = 3;
const LINE = "SIM0";

/** One post, as it can be sent again. */
export interface Post {
  readonly body: { readonly habitacion: string };
  readonly key: string | undefined;
}

/** What was asked and answered over all runs of a service. Each post has its own room. */
export class CrashAccount {
  /** Rooms whose post was answered with 201. */
  readonly acknowledged = new Set<string>();
  /** Posts whose answer the end of the process took away, by their room. */
  readonly unanswered = new Map<string, Post>();
  /** Rises of the line that were asked for. */
  rises = 0;
  #posts = 0;

  /** Every second post has a key, so that it may be sent again. */
  newPost(): Post {
    this.#posts += 1;
    const habitacion = `n${this.#posts}`;
    const place = { locationName: "L", deviceName: "D", deviceId: "1" };
    const key = this.#posts % 2 === 0 ? `key-${this.#posts}` : undefined;
    return { body: { ...place, habitacion, valor: 1, createdTime: Date.now() } as Post["body"], key };
  }
}

/** Posts and drives a line until the service dies, and keeps account of it. */
export class CrashLoad {
  readonly #account: CrashAccount;
  readonly #work: Promise<unknown>;
  #going = true;

  constructor(account: CrashAccount, service: RunningService, remote: ControlClient, cookie: string) {
    this.#account = account;
    const posting = Array.from({ length: CONNECTIONS }, () => this.#post(service, cookie));
    this.#work = Promise.allSettled([...posting, this.#drive(remote)]);
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#work;
  }

  async #post(service: RunningService, cookie: string): Promise<void> {
    while (this.#going) await sendPost(this.#account, this.#account.newPost(), service, cookie);
  }

  async #drive(remote: ControlClient): Promise<void> {
    while (this.#going) {
      this.#account.rises += 1;
      await remote.ask(driveLine, { body: { line: LINE, level: true } });
      await remote.ask(driveLine, { body: { line: LINE, level: false } });
      await setTimeout(PULSE_EVERY_MS);
    }
  }
}

/** Sends a post and keeps account of what became of it. Throws when the service did not answer, or with another status. */
export async function sendPost(
  account: CrashAccount,
  post: Post,
  service: RunningService,
  cookie: string,
): Promise<void> {
  const { body, key } = post;
  account.unanswered.set(body.habitacion, post);
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const { status } = await service.post("/api/data", body, cookie, headers);
  if (status !== 201) throw new Error(`A post was answered with ${status}.`);
  account.unanswered.delete(body.habitacion);
  account.acknowledged.add(body.habitacion);
}
