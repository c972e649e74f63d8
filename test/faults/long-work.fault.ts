import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { compileLibrary } from "../../scripts/debian.ts";
import type { Patch } from "../../scripts/patch.ts";
import { seededProgram } from "../cli/ledger.ts";
import { NotifySocket } from "../platform/notify-socket.ts";
import { CONTROLS } from "../rig/controls.ts";
import { LATER_SCHEMA } from "../rig/later-schema.ts";
import { listen } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { Variants } from "./variant.ts";

const TEST_MS = 300_000;
const RECORDS = 1_000;
const SALES = Array.from({ length: RECORDS }, (_, minute) => Date.UTC(2026, 0, 1) + minute * 60_000);
/** The promise is 5 s, which the test prints; a stop that takes twice as long, on any machine, waits for the work. */
const ENDLESS_MS = 10_000;
/** How long a start waits here for a removable disk. */
const DISK_MS = 1_000;
/** As if the unit had TimeoutStartSec= of this, so that the test is short. */
const TIMEOUT_START_MS = 10_000;
const LOOK_MS = 50;
/** By then the proof is in the one long call of SQLite, after its short ones. */
const IN_THE_CHECK_MS = 6_000;
/** Moments within the work at which the service is stopped, in milliseconds from its first sign. */
const SHORT = process.env["FLANCO_FAULTS"] === "short";
const MOMENTS = SHORT ? [1_500] : [0, 300, 700, 1_500, 4_000];

/** Looks for what is due at once, in place of a minute after the start. */
const AT_ONCE: Patch = {
  file: "src/service/upkeep.ts",
  from: "const LOOK_MS = MINUTE_MS;",
  to: "const LOOK_MS = 100 + 0 * MINUTE_MS;",
};

const IMPATIENT: Patch = {
  file: "src/service/ledger.ts",
  from: "const DISK_MS = 10 * SECOND_MS;",
  to: `const DISK_MS = ${DISK_MS} + 0 * SECOND_MS;`,
};

/** The paths below a directory that have this name. */
function found(directory: string, name: string): string[] {
  const said = execFileSync("find", [directory, "-name", name], { encoding: "utf8" }).trim();
  return said === "" ? [] : said.split("\n");
}

/**
 * Makes a file into one that can be opened and never be read: a pipe, as of a disk that hangs. Gives the function that
 * brings the file back.
 */
function hang(file: string): () => void {
  const content = readFileSync(file);
  rmSync(file);
  execFileSync("mkfifo", [file]);
  return () => {
    rmSync(file);
    writeFileSync(file, content);
  };
}

describe("Long work on a ledger, on a slow disk", function () {
  this.timeout(TEST_MS);
  const appliance = forEachTest(() => seededProgram(SALES, { FLANCO_LOG_LEVEL: "info" }));
  const socket = forEachTest(() => new NotifySocket());
  const variants = forEachTest(() => new Variants());
  const disks: string[] = [];
  const writers: number[] = [];
  afterEach(() => {
    for (const writer of writers.splice(0)) closeSync(writer);
    for (const disk of disks.splice(0)) rmSync(disk, { recursive: true });
  });

  beforeEach(() => {
    compileLibrary(join(import.meta.dirname, "slow-read.c"), join(appliance.directory, "slow-read.so"));
    slow(100);
  });

  const slow = (readMs: number) => writeFileSync(join(appliance.directory, "slow"), String(readMs));
  const fast = () => rmSync(join(appliance.directory, "slow"), { force: true });

  /** Starts the service; reads of files that end so are slow. */
  function begin(program: string, file: string) {
    const wrapper = [
      ...["env", `LD_PRELOAD=${join(appliance.directory, "slow-read.so")}`, `SLOW_READ_OF=${file}`],
      `SLOW_READ_BY=${join(appliance.directory, "slow")}`,
    ];
    const child = appliance.spawn(["serve"], {
      program,
      wrapper,
      environment: { NOTIFY_SOCKET: socket.path },
    });
    return { child, said: listen(child) };
  }

  /** Stops the service while the work has much left to do; gives its exit code, null where it ended itself by a signal. */
  async function stop(child: ChildProcess): Promise<number | null | "waits for the work"> {
    slow(2_000);
    const began = performance.now();
    const closed = once(child, "exit");
    child.kill("SIGTERM");
    let isWaiting = false;
    const patience = globalThis.setTimeout(() => {
      isWaiting = true;
      child.kill("SIGKILL");
    }, ENDLESS_MS);
    const [exitCode] = (await closed) as [number | null];
    clearTimeout(patience);
    console.log(`    ended after ${Math.round(performance.now() - began)} ms`);
    return isWaiting ? "waits for the work" : exitCode;
  }

  const records = async () =>
    (JSON.parse((await appliance.call(["verify", "--json"])).stdout) as { records: number }).records;

  describe("before a start", () => {
    const UPGRADE = "flanco.db.upgrade";
    const upgradeBy = (program: string) => begin(program, UPGRADE);

    /** The longest time that systemd, with that timeout, would have gone beyond: 0 where it would not have killed the start. */
    async function overdue(program: string): Promise<number> {
      const began = performance.now();
      const { said } = upgradeBy(program);
      let deadlineMs = began + TIMEOUT_START_MS;
      let overdueMs = 0;
      for (let ready = false; !ready; ) {
        const nowMs = performance.now();
        overdueMs = Math.max(overdueMs, nowMs - deadlineMs);
        for (const { lines } of socket.receiveAll()) {
          ready ||= lines.includes("READY=1");
          if (lines.some((line) => line.startsWith("EXTEND_TIMEOUT_USEC=")))
            deadlineMs = nowMs + TIMEOUT_START_MS;
        }
        if (nowMs - began > TEST_MS / 2) throw new Error(`It never starts: ${said.stderr}`);
        await setTimeout(LOOK_MS);
      }
      return overdueMs;
    }

    it("is said to systemd, in the log and at the ports, in time, and all records are there after it", async () => {
      const program = variants.program([LATER_SCHEMA]);
      const health: string[] = [];
      const watching = { on: true };
      const base = `http://127.0.0.1:${appliance.httpPort}`;
      const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
      const answers = new Map<string, Response>();
      const watch = async () => {
        for (; watching.on; await setTimeout(LOOK_MS)) {
          const answer = await fetch(`${base}/healthz`).catch(() => undefined);
          if (answer?.status !== 503) continue;
          health.push(await answer.text());
          if (answers.size > 0) continue;
          answers.set("post", await fetch(`${base}/api/data`, post));
          answers.set("page", await fetch(`${base}/`));
        }
      };
      const watched = watch();
      const overdueMs = await overdue(program).finally(() => {
        watching.on = false;
      });
      await watched;
      expect(overdueMs).to.equal(0);
      for (const answer of answers.values()) {
        expect(answer.status).to.equal(503);
        expect(answer.headers.get("Retry-After")).to.match(/^\d+$/);
      }
      expect(await answers.get("post")?.json())
        .to.have.property("message")
        .that.matches(/upgraded: \d+ %/);
      expect(await answers.get("page")?.text()).to.match(
        /Se está actualizando el libro de ventas: \d+&nbsp;%/,
      );
      expect(health.at(-1)).to.match(/"kind":"upgrade","percent":[1-9]/);
      expect((await fetch(`${base}/healthz`)).status).to.equal(200);
    });

    if (!SHORT)
      it("goes on beyond systemd's patience where nothing is said (control)", async () => {
        const program = variants.program([LATER_SCHEMA, ...CONTROLS["long work says nothing to systemd"]]);
        expect(await overdue(program)).to.be.above(0);
      });

    for (const momentMs of MOMENTS) {
      it(`ends with a stop ${momentMs} ms after its beginning, and the next start does it`, async () => {
        const program = variants.program([LATER_SCHEMA]);
        const { child, said } = upgradeBy(program);
        await until("work has begun", () => said.stderr.includes("is being prepared"));
        await setTimeout(momentMs);
        expect(await stop(child), said.stderr).to.equal(0);
        expect(await records()).to.equal(RECORDS);
        fast();
        await appliance.start({}, { program });
      });
    }
  });

  describe("on a removable disk that hangs", () => {
    /** Stops while the tail cannot even be opened: a pipe that is never read stands for its disk. */
    async function stopHanging(program: string): ReturnType<typeof stop> {
      const { child, said } = begin(program, "none");
      await until("it is ready", () => said.stdout.includes("flanco is ready."));
      const mend = hang(await until("the tail is written", () => found(appliance.dataDir, "tail-*")[0]));
      const ended = await stop(child);
      mend();
      return ended;
    }

    /** Begins a start where the proofs of the disk's backups, and the tail, can be opened and never be read. */
    async function startBeside(
      program: string,
    ): Promise<{ readonly said: { readonly stdout: string }; readonly tails: readonly string[] }> {
      const disk = mkdtempSync("/dev/shm/flanco-hanging-disk-");
      disks.push(disk);
      const environment = { FLANCO_BACKUP_DISK_DIR: disk };
      // With the program's own patience: on a busy machine the look at a sound disk takes longer than the test's.
      const before = await appliance.start(environment);
      await until("the tail is written", () => found(disk, "tail-*")[0]);
      await before.end("SIGTERM");
      await appliance.succeed(["backup", "--backup-disk-dir", disk]);
      const tails = found(disk, "tail-*");
      for (const file of [...found(disk, "*.json"), ...tails]) hang(file);
      return { said: listen(appliance.spawn(["serve"], { program, environment })), tails };
    }

    /** Whether a process reads the pipe; then it waits from here on, for a writer that never writes. */
    function isRead(pipe: string): boolean {
      try {
        writers.push(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
        throw error;
      }
    }

    it("starts all the same, with its tail on the gateway", async () => {
      const { said } = await startBeside(variants.program([IMPATIENT]));
      await until("it is ready", () => said.stdout.includes("flanco is ready."));
      await until("the tail is on the gateway", () => found(appliance.dataDir, "tail-*")[0]);
    });

    it("brings its ledger up to date all the same", async () => {
      const { said } = await startBeside(variants.program([IMPATIENT, LATER_SCHEMA]));
      await until("it is ready", () => said.stdout.includes("flanco is ready."));
    });

    if (!SHORT)
      it("does not start where it is waited for (control)", async () => {
        const { said, tails } = await startBeside(
          variants.program([IMPATIENT, ...CONTROLS["a start waits for each disk"]]),
        );
        await until("the start reads the tail", () => tails.some(isRead));
        expect(said.stdout).not.to.contain("flanco is ready.");
      });

    it("ends all the same", async () => {
      // A thread that waits for a disk cannot be ended: the process is.
      expect(await stopHanging(variants.program([]))).to.equal(null);
      expect(await records()).to.equal(RECORDS);
    });

    if (!SHORT)
      it("does not end where it is waited for (control)", async () => {
        expect(await stopHanging(variants.program(CONTROLS["a stop waits for each disk"]))).to.equal(
          "waits for the work",
        );
      });
  });

  describe("beside the service", () => {
    /** Stops in the middle of the proof of a backup. */
    async function stopAt(program: string, momentMs: number): ReturnType<typeof stop> {
      const { child, said } = begin(program, "backup.draft");
      await until("it is ready", () => said.stdout.includes("flanco is ready."));
      await until("a proof goes on", () => found(appliance.dataDir, "backup.draft")[0]);
      await setTimeout(momentMs);
      return stop(child);
    }

    for (const momentMs of [...MOMENTS, IN_THE_CHECK_MS]) {
      it(`ends with a stop ${momentMs} ms after its beginning`, async () => {
        expect(await stopAt(variants.program([AT_ONCE]), momentMs)).to.equal(0);
        expect(await records()).to.equal(RECORDS);
      });
    }

    if (!SHORT)
      it("holds a stop up where it runs in a thread of the service (control)", async () => {
        const program = variants.program([AT_ONCE, ...CONTROLS["jobs run in a thread of the service"]]);
        // It waits for the work, or for the program's own end of a stop that hangs: by the moment that the thread is in.
        expect(await stopAt(program, IN_THE_CHECK_MS)).not.to.equal(0);
      });
  });
});
