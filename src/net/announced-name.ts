import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import { MINUTE_MS, SECOND_MS } from "../domain/clock.ts";

/** systemd's own tool. It does not start an avahi-daemon that somebody has switched off. */
const TOOL = "busctl";
const ARGUMENTS = [
  ...["--system", "--auto-start=no", "--json=short", "call"],
  ...["org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn"],
];
const PATIENCE_MS = 10 * SECOND_MS;
const MAX_BYTES = 4_096;

/** What the tool writes: one text, which is a DNS name. */
const answerSchema = z.object({
  data: z.tuple([z.string().check(z.maxLength(253), z.regex(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i))]),
});

/** How avahi is asked. */
export interface AskOptions {
  /** In place of systemd's tool, and of how long it may take: for tests. */
  readonly tool?: string;
  readonly patienceMs?: number;
  /** Ends the tool. */
  readonly signal?: AbortSignal;
}

/**
 * The name by which avahi announces this machine now, in lower case. It is another one than the host's own while
 * another machine of the network has that. Null where no avahi-daemon answers. Never rejects.
 */
export async function askAnnouncedName(options: AskOptions = {}): Promise<string | null> {
  const { tool = TOOL, patienceMs = PATIENCE_MS, signal } = options;
  const bounds = { timeout: patienceMs, maxBuffer: MAX_BYTES, killSignal: "SIGKILL", signal } as const;
  try {
    const { stdout } = await promisify(execFile)(tool, ARGUMENTS, bounds);
    const { data } = answerSchema.parse(JSON.parse(stdout));
    return data[0].toLowerCase();
  } catch {
    return null;
  }
}

/** Follows the name that avahi announces, because a conflict may come at any time: asks it once a minute. */
export class AnnouncedName {
  readonly #options: AskOptions;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #name: string | null = null;

  constructor(options: AskOptions = {}) {
    this.#options = options;
  }

  /** As avahi said last; null before it has answered, and without it. */
  get(): string | null {
    return this.#name;
  }

  /** Begins to ask. Never rejects, and keeps no process running. */
  async open(): Promise<void> {
    this.#name = await askAnnouncedName({ ...this.#options, signal: this.#closed.signal });
    if (this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => void this.open(), MINUTE_MS).unref();
  }

  /** Asks no more, and ends the tool. */
  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort();
  }
}
