import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { freePort } from "../../scripts/ports.ts";
import type { KeyedCertificate } from "../../src/net/tls/keyed-certificate.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { giveTo } from "./postgres.ts";

const USER = "flanco";
/** The broker gives up root's rights for those of this user. */
const SYSTEM_USER = "mosquitto";

/** Debian's mosquitto on a port of loopback, with TLS and a password, which keeps sessions in a temporary folder. */
export class Mosquitto {
  readonly directory = new TemporaryDirectory();
  readonly user = USER;
  readonly password: string;
  port = 0;
  #process: ChildProcess | undefined;

  constructor(password: string) {
    this.password = password;
  }

  async start({ key, cert }: KeyedCertificate): Promise<this> {
    installFor("broker");
    this.port = await freePort();
    const lines = [
      `listener ${this.port} 127.0.0.1`,
      `certfile ${this.#file("server.crt", cert)}`,
      `keyfile ${this.#file("server.key", key)}`,
      "allow_anonymous false",
      `acl_file ${this.#file("acl", `user ${USER}\ntopic readwrite #\n`)}`,
      `password_file ${this.directory.file("passwords")}`,
      "persistence true",
      `persistence_location ${this.directory.path}/`,
      // Each change is written at once: a broker that is killed keeps its sessions.
      "autosave_on_changes true",
      "autosave_interval 1",
    ];
    this.#file("mosquitto.conf", `${lines.join("\n")}\n`);
    const passwords = this.#file("passwords", `${USER}:${this.password}\n`);
    runCommand(["mosquitto_passwd", "-U", passwords]);
    for (const file of [passwords, this.directory.path]) giveTo(file, SYSTEM_USER);
    await this.resume();
    return this;
  }

  get url(): string {
    return `mqtts://127.0.0.1:${this.port}`;
  }

  /** What the user may read and write from now on, in the words of an `acl_file`. */
  allow(...topics: readonly string[]): void {
    this.#file("acl", [`user ${USER}`, ...topics.map((topic) => `topic ${topic}`), ""].join("\n"));
    this.#process?.kill("SIGHUP");
  }

  /** Starts it, also after `kill`. */
  async resume(): Promise<void> {
    const log = openSync(this.directory.file("log"), "a");
    this.#process = spawn("mosquitto", ["-c", this.directory.file("mosquitto.conf")], {
      stdio: ["ignore", log, log],
    });
    await until("the broker answers", async () => {
      const socket = connect(this.port, "127.0.0.1");
      try {
        await once(socket, "connect");
        return true;
      } catch {
        // It has not opened its port yet.
        return false;
      } finally {
        socket.destroy();
      }
    });
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }

  async stop(): Promise<void> {
    await this.kill();
    this.directory.remove();
  }

  #file(name: string, text: string): string {
    const path = this.directory.file(name);
    writeFileSync(path, text, { mode: 0o600 });
    giveTo(path, SYSTEM_USER);
    return path;
  }
}
