import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../scripts/command.ts";

/** A technician who signs in by SSH, with the key that flanco.txt names. */
export class Technician {
  readonly publicKey: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    const key = join(directory, "key");
    runCommand(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tecnico", "-f", key]);
    this.publicKey = readFileSync(`${key}.pub`, "utf8").trim();
  }

  /** Runs a command on the gateway as root and gives what it says; throws unless it ends with 0. */
  async run(port: number, command: string): Promise<string> {
    const child = spawn(
      "ssh",
      [
        ...["-F", "none", "-i", join(this.#directory, "key"), "-p", String(port)],
        ...["-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=accept-new"],
        ...["-o", `UserKnownHostsFile=${join(this.#directory, "known_hosts")}`, "-o", "LogLevel=ERROR"],
        // Whatever port leads to it this time: a gateway with another key is refused.
        ...["-o", "HostKeyAlias=gateway", "root@127.0.0.1", command],
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let said = "";
    let wrong = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.stderr.on("data", (chunk) => (wrong += chunk));
    const [exitCode] = (await once(child, "close")) as [number | null];
    if (exitCode !== 0) throw new Error(`${command} on the gateway ended with ${exitCode}: ${said}${wrong}`);
    return said.trim();
  }

  /** The gateway's host key, as the first visit has seen it. */
  hostKey(): string {
    return readFileSync(join(this.#directory, "known_hosts"), "utf8");
  }
}
