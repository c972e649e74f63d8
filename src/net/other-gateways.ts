import { type ExecFileException, execFile } from "node:child_process";
import { isIPv4 } from "node:net";
import { MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { MAX_OTHER_GATEWAYS, type OtherGateway, toGatewayName } from "../domain/gateway.ts";
import type { Log } from "../domain/log.ts";
import { isPrivateAddress } from "./host-names.ts";

/** avahi's own tool (Debian's avahi-utils): what its daemon knows of the type of service in /etc/avahi/services/flanco.service. */
const TOOL = "avahi-browse";
const ARGUMENTS = ["--parsable", "--resolve", "--terminate", "--ignore-local", "_flanco._tcp"];
const LOOK_MS = MINUTE_MS;
/** An address without an answer takes avahi five seconds. */
const PATIENCE_MS = 15 * SECOND_MS;
/** A gateway's line has 150 bytes. */
const MAX_BYTES = 64 * 1024;
/** One found service: its name, as avahi escapes it, address and port. */
const FOUND = /^=;[^;]*;IPv4;([^;]*);[^;]*;[^;]*;[^;]*;([\d.]+);([1-9]\d{0,4});/;
const MAX_PORT = 65_535;

export interface OtherGatewaysOptions {
  readonly log: Log;
  /** In place of avahi's tool, and of how long it may take: for tests. */
  readonly tool?: string;
  readonly patienceMs?: number;
}

/**
 * Finds the other gateways of the local network. Only avahi-daemon reads that network's
 * packets: this asks its tool once a minute, with bounds on time and output. What it
 * says may be anybody's claim. Without the tool or the daemon nothing is found.
 */
export class OtherGateways {
  readonly #options: OtherGatewaysOptions;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #found: readonly OtherGateway[] = [];
  #isTold = false;

  constructor(options: OtherGatewaysOptions) {
    this.#options = options;
  }

  /** The gateways that the last look found, by name. */
  list(): readonly OtherGateway[] {
    return this.#found;
  }

  /** Begins to look. Never throws, and keeps no process running. */
  open(): void {
    this.#timer = setInterval(() => void this.refresh(), LOOK_MS).unref();
    void this.refresh();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#closed.abort();
  }

  /** Asks the tool. Never rejects. Await it before the next call. */
  async refresh(): Promise<void> {
    const { log, tool = TOOL, patienceMs = PATIENCE_MS } = this.#options;
    const options = {
      timeout: patienceMs,
      maxBuffer: MAX_BYTES,
      killSignal: "SIGKILL",
      encoding: "latin1",
      signal: this.#closed.signal,
    } as const;
    const { failure, output } = await new Promise<ToolAnswer>((done) => {
      execFile(tool, ARGUMENTS, options, (failure, output) => done({ failure, output }));
    });
    if (this.#closed.signal.aborted) return;
    this.#found = failure === null ? foundIn(output) : [];
    if (failure !== null && !this.#isTold) {
      // Not its message, which has what the network wrote.
      const { code, signal } = failure;
      log.info({ code, signal }, `other gateways are not found: ${tool} does not answer (see avahi-daemon)`);
    }
    this.#isTold = failure !== null;
  }
}

interface ToolAnswer {
  readonly failure: ExecFileException | null;
  readonly output: string;
}

/** The gateways in the tool's output, of which any part may be hostile: at most 32, each once. */
export function foundIn(output: string): OtherGateway[] {
  const found = new Map<string, OtherGateway>();
  for (const line of output.split("\n")) {
    const [, label = "", host = "", port = ""] = FOUND.exec(line) ?? [];
    const name = toGatewayName(unescaped(label));
    if (name === "" || !isIPv4(host) || !isPrivateAddress(host) || Number(port) > MAX_PORT) continue;
    const address = `https://${host}:${port}/`;
    if (found.size < MAX_OTHER_GATEWAYS) found.set(address, { name, address });
  }
  return [...found.values()].sort(
    (one, other) => one.name.localeCompare(other.name) || one.address.localeCompare(other.address),
  );
}

/** A name as avahi escapes it: `\.`, and each byte that is neither letter nor digit in three decimal digits. */
function unescaped(label: string): string {
  const bytes = label.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped) & 0xff) : escaped,
  );
  return Buffer.from(bytes, "latin1").toString();
}
