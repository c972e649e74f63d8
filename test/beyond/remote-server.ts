import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { freePort } from "../../scripts/ports.ts";
import { DAY_MS } from "../../src/domain/clock.ts";
import { leafValidity, makeAuthority, makeLeaf } from "../../src/net/tls/authority.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

const HOST = {
  names: ["localhost"],
  addresses: ["127.0.0.1"],
  publicAddresses: [],
  alternatives: [],
  announced: null,
};
const LOGIN = "ana";
const PASSWORD = "canary-of-the-place";

/** `rclone serve` on a port of loopback, as a remote place: SFTP, or WebDAV with TLS. */
export class RemoteServer {
  readonly directory = new TemporaryDirectory();
  readonly kind: "sftp" | "webdav";
  readonly login = LOGIN;
  readonly password = PASSWORD;
  /** What is stored there. */
  readonly stored = this.directory.file("stored");
  readonly authorityFile = this.directory.file("authority.pem");
  #port = 0;
  #isSmall = false;
  #process: ChildProcess | undefined;

  constructor(kind: RemoteServer["kind"]) {
    this.kind = kind;
  }

  get address(): string {
    return this.kind === "sftp"
      ? `sftp://127.0.0.1:${this.#port}/clinic`
      : `https://localhost:${this.#port}/`;
  }

  /**
   * @param limit its bandwidth, as rclone writes it
   * @param endedMs how long ago its certificate has ended; 0: it has not
   */
  async start(limit = "off", endedMs = 0): Promise<this> {
    installFor("remote place");
    if (this.#port === 0) {
      this.#port = await freePort();
      mkdirSync(this.stored, { recursive: true });
      const toMs = Date.now() - endedMs;
      const ended = { fromMs: toMs - DAY_MS, toMs };
      const authority = await makeAuthority(HOST, Date.now());
      const { cert, key } = await makeLeaf(authority, HOST, endedMs === 0 ? leafValidity(Date.now()) : ended);
      writeFileSync(this.authorityFile, authority.cert);
      writeFileSync(this.directory.file("cert"), cert);
      writeFileSync(this.directory.file("key"), key, { mode: 0o600 });
    }
    const log = openSync(this.directory.file("log"), "a");
    const tls = ["--cert", this.directory.file("cert"), "--key", this.directory.file("key")];
    const options = [
      ...["--addr", `127.0.0.1:${this.#port}`, "--user", LOGIN, "--pass", PASSWORD, "--bwlimit", limit],
      ...["--config", "", "--dir-cache-time", "0", "--cache-dir", this.directory.file("cache"), "-v"],
      ...(this.kind === "webdav" ? tls : []),
    ];
    this.#process = spawn("rclone", ["serve", this.kind, ...options, this.stored], {
      stdio: ["ignore", log, log],
    });
    await until("the remote place answers", async () => {
      const socket = connect(this.#port, "127.0.0.1");
      return once(socket, "connect")
        .then(() => true)
        .catch(() => false)
        .finally(() => socket.destroy());
    });
    return this;
  }

  /** The host's key that rclone asks for first, as ssh-keyscan prints it. */
  hostKey(): string {
    const text = readFileSync(this.directory.file("cache", "serve-sftp", "id_ecdsa.pub"), "utf8");
    return text.trim().split(" ").slice(0, 2).join(" ");
  }

  /** Gives it a disk of so many bytes. Call it before `start`. */
  makeSmall(bytes: number): void {
    mkdirSync(this.stored, { recursive: true });
    this.#isSmall = true;
    runCommand(["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "none", this.stored]);
  }

  giveRoom(bytes: number): void {
    runCommand(["mount", "-o", `remount,size=${bytes}`, this.stored]);
  }

  /** It takes connections, and answers nothing. */
  hang(): void {
    this.#process?.kill("SIGSTOP");
  }

  goOn(): void {
    this.#process?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }

  async close(): Promise<void> {
    await this.kill();
    if (this.#isSmall) runCommand(["umount", "-l", this.stored]);
    this.directory.remove();
  }
}
