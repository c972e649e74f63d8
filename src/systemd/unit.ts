import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

const UNIT = "flanco.service";

/**
 * Stops systemd's unit for the time of a command. A shell of root starts it again once this process calls `start`, or ends,
 * because the process itself goes on as another user.
 */
export class StoppedUnit {
  readonly #starter: ChildProcess;

  private constructor(starter: ChildProcess) {
    this.#starter = starter;
  }

  /** Undefined where this user is not root or the unit does not run. */
  static stop(): StoppedUnit | undefined {
    if (process.getuid?.() !== 0) return undefined;
    try {
      execFileSync("systemctl", ["is-active", "--quiet", UNIT], { stdio: "ignore" });
    } catch {
      return undefined;
    }
    execFileSync("systemctl", ["stop", UNIT], { stdio: "ignore" });
    // Ends its read when the last holder of the pipe closes it, this process at its end at the latest. Not on a terminal's Ctrl-C.
    const script = `cat >/dev/null; exec systemctl start ${UNIT}`;
    return new StoppedUnit(
      spawn("sh", ["-c", script], { stdio: ["pipe", "inherit", "inherit"], detached: true }),
    );
  }

  /** Starts it again; gives whether it did start. */
  async start(): Promise<boolean> {
    this.#starter.stdin?.end();
    const [exitCode] = (await once(this.#starter, "close")) as [number | null];
    return exitCode === 0;
  }
}
