import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { DAY_MS } from "../../src/domain/clock.ts";
import { Rclone, type RemoteAccess } from "../../src/platform/rclone.ts";
import { EMAIL, seededProgram } from "../cli/ledger.ts";
import { aRecord } from "../http/bodies.ts";
import { PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { rejection } from "../rig/rejection.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { RemoteServer } from "./remote-server.ts";

const MB = 1_000_000;
const PASSPHRASE = "canary-abcd-efgh-jkmn-pqrs-tuvw";
const FOLDER = "5f1c";
const MINUTE_MS = 60_000;

for (const kind of ["sftp", "webdav"] as const) {
  describe(`A remote place by ${kind}`, () => {
    let server: RemoteServer;
    let here: TemporaryDirectory;

    beforeEach(() => {
      server = new RemoteServer(kind);
      here = new TemporaryDirectory();
      writeFileSync(here.file("a.db"), randomBytes(2 * MB));
      writeFileSync(here.file("a.db.json"), "{}");
    });

    afterEach(async () => {
      await server.close();
      here.remove();
    });

    const access = (other: Partial<RemoteAccess> = {}): RemoteAccess => ({
      address: server.address,
      login: server.login,
      password: server.password,
      passphrase: PASSPHRASE,
      authorityFile: kind === "webdav" ? server.authorityFile : "",
      hostKey: "",
      limit: 0,
      knownHostsFile: here.file("known-hosts"),
      ...other,
    });
    const within = (ms = MINUTE_MS) => AbortSignal.timeout(ms);
    const place = (other: Partial<RemoteAccess> = {}) => new Rclone(access(other));
    const send = (to: Rclone, signal = within()) => to.send(here.path, FOLDER, ["a.db"], signal);

    async function problem(promise: Promise<unknown>): Promise<string> {
      const { message } = await rejection(promise);
      expect(message)
        .to.match(/^[A-Z][^\n]+\. [A-Z][^\n]+\.$/)
        .and.not.contain("canary");
      return message;
    }

    it("gets files encrypted, lists them, and gives them back", async () => {
      await server.start();
      const one = place();
      expect([...(await one.list(FOLDER, within()))]).to.deep.equal([]);
      await one.tryOut(within());
      await send(one);
      await one.send(here.path, FOLDER, ["a.db.json"], within());
      expect([...(await one.list("", within()))]).to.have.deep.members([
        [`${FOLDER}/a.db`, 2 * MB],
        [`${FOLDER}/a.db.json`, 2],
      ]);
      const stored = execFileSync("find", [server.stored, "-name", "a.db.bin"], { encoding: "utf8" }).trim();
      expect(readFileSync(stored).includes(readFileSync(here.file("a.db")).subarray(0, 100))).to.equal(false);
      const back = here.file("back");
      await place().fetch(FOLDER, back, "*.db", 3 * MB, within());
      expect(readdirSync(back)).to.deep.equal(["a.db"]);
      expect(readFileSync(here.file("back", "a.db")).equals(readFileSync(here.file("a.db")))).to.equal(true);
      await rejection(place().fetch(FOLDER, here.file("bounded"), "*.db", MB, within()));
      expect(existsSync(here.file("bounded", "a.db"))).to.equal(false);
      await one.remove(FOLDER, ["a.db"], within());
      expect([...(await one.list(FOLDER, within())).keys()]).to.deep.equal(["a.db.json"]);
    });

    it("says in a sentence what is wrong: password, passphrase, and that nothing answers", async () => {
      await server.start();
      await send(place());
      expect(await problem(place({ password: "canary-wrong" }).list("", within()))).to.contain(
        "refuses the login",
      );
      const other = place({ passphrase: "canary-wrong-wrong-wrong" });
      expect(await problem(other.fetch(FOLDER, here.file("back"), "*", 3 * MB, within()))).to.contain(
        "cannot be decrypted",
      );
      await server.kill();
      expect(await problem(place().list("", within()))).to.contain("not reached");
      const unknown = `${kind === "sftp" ? "sftp" : "https"}://nosuch.invalid/x`;
      expect(await problem(place({ address: unknown }).list("", within()))).to.match(/not known|not reached/);
    });

    it("needs rclone, and says how to install it", async () => {
      const error = await rejection(new Rclone(access(), "rclone-that-is-missing").list("", within()));
      expect(error.message).to.contain("is not installed");
      expect(error.hint).to.equal("Install it: apt-get install rclone.");
    });

    it("is refused where it is another machine than the one that was set", async () => {
      await server.start();
      if (kind === "webdav") {
        expect(await problem(place({ authorityFile: "" }).list("", within()))).to.contain("authority");
        return;
      }
      await place({ hostKey: server.hostKey() }).tryOut(within());
      const wrong = `${server.hostKey().slice(0, -8)}AAAAAAA=`;
      expect(await problem(place({ hostKey: wrong }).list("", within()))).to.contain("host key");
    });

    it("whose certificate has ended by the gateway's clock asks for that clock", async () => {
      if (kind === "sftp") return;
      await server.start("off", DAY_MS);
      expect(await problem(place().list("", within()))).to.contain("the gateway's clock do not agree");
    });

    it("that is full says so, and takes the backup once it has room", async () => {
      server.makeSmall(MB);
      await server.start();
      expect(await problem(send(place()))).to.match(/is full|does not take/);
      server.giveRoom(8 * MB);
      await send(place());
    });

    it("that breaks off in the middle leaves the sender a sentence, and is sent to again", async () => {
      await server.start("500k");
      const sending = problem(send(place()));
      await pause(2_000);
      await server.kill();
      expect(await sending).to.contain("not reached");
      await server.start();
      await send(place());
    });

    it("that is slow is waited for, with a limit of our own, and left once the time is over", async () => {
      await server.start("100k");
      const time = new AbortController();
      const sending = rejection(send(place(), time.signal));
      // The 19th field of proc_pid_stat(5), after the name in brackets.
      const niceOf = (pid: string) =>
        readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[16];
      // What sets it runs by that command line for a moment, too.
      await until("a child sends, after all else", () => {
        const pids = sendersOf(here.path);
        return pids.length > 0 && pids.every((pid) => niceOf(pid) === "19");
      });
      for (const pid of sendersOf(here.path)) {
        expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).to.not.contain("canary");
        expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).to.equal("900");
      }
      // Over only once the child was seen: on a busy machine a second may pass before it runs.
      time.abort(new DOMException("The time is over.", "TimeoutError"));
      const over = performance.now();
      await sending;
      expect(performance.now() - over).to.be.below(2_000);
      await until("the child is gone", () => sendersOf(here.path).length === 0);
      await server.kill();
      await server.start();
      const limited = performance.now();
      await send(place({ limit: 1_000 }));
      expect(performance.now() - limited, "2 MB at 1 MB/s").to.be.above(1_500);
    });

    it("whose file was changed is found out", async () => {
      await server.start();
      const one = place();
      await send(one);
      const stored = execFileSync("find", [server.stored, "-name", "a.db.bin"], { encoding: "utf8" }).trim();
      const bytes = readFileSync(stored);
      bytes[MB] = (bytes[MB] ?? 0) ^ 1;
      writeFileSync(stored, bytes);
      const back = here.file("back");
      expect(await problem(one.fetch(FOLDER, back, "*.db", 3 * MB, within()))).to.contain(
        "cannot be decrypted",
      );
      expect(existsSync(here.file("back", "a.db"))).to.equal(false);
    });
  });
}

/** The processes of rclone that work on a folder. */
function sendersOf(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`\0${folder}\0`);
    } catch {
      return false;
    }
  });
}

describe("A clinic whose backups leave the house", () => {
  const server = new RemoteServer("sftp");
  let old: Program;
  let fresh: Program;

  before(async () => {
    await server.start();
    old = await seededProgram([Date.UTC(2026, 0, 1, 12), Date.UTC(2026, 0, 1, 13)]);
    fresh = await Program.make();
  });

  after(async () => {
    await old?.close();
    await fresh?.close();
    await server.close();
  });

  const settingsIn = (program: Program, passphrase?: string) => {
    const password = program.write("place-password", server.password);
    const secret = passphrase === undefined ? "" : program.write("place-passphrase", passphrase);
    return program.write(
      "remote.toml",
      [
        `remote_address = "${server.address}"`,
        `remote_login = "${server.login}"`,
        `remote_password_file = "${password}"`,
        ...(secret === "" ? [] : [`remote_passphrase_file = "${secret}"`]),
      ].join("\n"),
    );
  };
  const newest = async (program: Program) => {
    const { sinks } = JSON.parse((await program.run(["status", "--json"])).stdout) as SinkStatuses;
    return sinks?.find(({ name }) => name === "remote");
  };

  const arrived = (program: Program) => {
    const isThere = async () => {
      const { backup = null, waiting } = (await newest(program)) ?? {};
      return backup !== null && waiting === 0;
    };
    // What sends it has the lowest priority, and what asks here has another one: beside other tests that takes long.
    return until("the newest backup is there", isThere, 2 * MINUTE_MS);
  };
  let [passphrase, former] = ["", ""];
  let service: RunningService;

  it("has them there once it has printed the passphrase", async () => {
    service = await old.start();
    await old.succeed(["forward", "import", settingsIn(old)]);
    expect(await old.refused(["forward", "test", "remote"])).to.contain("nobody has printed the passphrase");
    passphrase = (await old.succeed(["forward", "passphrase"])).trim();
    await old.succeed(["backup"]);
    await old.succeed(["forward", "test", "remote"]);
    await arrived(old);
    expect((await old.run(["status"])).stdout).to.match(
      /Sink remote: nothing waits\. Its newest backup is \d+ s old/,
    );
    expect(filesBelow(server.stored)).to.have.length(3);
  });

  it("makes its backups here, and sells, while the place hangs", async () => {
    server.hang();
    const cookie = await service.signIn(EMAIL, PASSWORD);
    await old.succeed(["backup"]);
    expect((await service.post("/api/data", aRecord(), cookie)).status).to.equal(201);
    expect(await newest(old)).to.deep.include({ waiting: 1 });
    server.goOn();
    await arrived(old);
  });

  it("tells of a place that somebody has emptied, and sends the newest again", async () => {
    for (const name of readdirSync(server.stored)) rmSync(join(server.stored, name), { recursive: true });
    await old.succeed(["backup"]);
    await arrived(old);
    const told = await old.run(["status"]);
    expect(told.stderr).to.contain("Files of backups are missing at the remote place");
    expect(filesBelow(server.stored)).to.have.length(3);
  });

  it("are encrypted anew once there is another passphrase, the newest too", async () => {
    await old.succeed(["backup"]);
    await arrived(old);
    former = passphrase;
    passphrase = (await old.succeed(["forward", "passphrase"])).trim();
    await arrived(old);
    expect(filesBelow(server.stored)).to.have.length(5);
    await service.end("SIGTERM");
  });

  it("is brought back on a new card from its sheet alone, and backups go on from there", async () => {
    const wrong = ["restore", "--from-remote", "--settings", settingsIn(fresh, `${passphrase}-a`)];
    expect((await fresh.run(wrong)).stderr).to.contain("its passphrase is another one");
    expect(existsSync(join(fresh.directory, "restore.remote"))).to.equal(false);
    const outdated = ["restore", "--from-remote", "--settings", settingsIn(fresh, former)];
    expect((await fresh.run(outdated)).stderr).to.match(/later backup cannot be restored, by .*another one/);
    const sheet = settingsIn(fresh, passphrase);
    const report = await fresh.succeed(["restore", "--from-remote", "--settings", sheet, "--json"]);
    expect(JSON.parse(report)).to.deep.include({ records: 3, toDo: ["Backups go on to the remote place."] });
    await fresh.start();
    await fresh.succeed(["backup"]);
    await arrived(fresh);
    expect(readdirSync(join(server.stored, "clinic"))).to.have.length(2);
  });
});

interface SinkStatuses {
  readonly sinks?: readonly {
    readonly name: string;
    readonly waiting: number;
    readonly backup?: object | null;
  }[];
}

/** The files below a folder. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
