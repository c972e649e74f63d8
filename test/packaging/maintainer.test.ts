import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const PACKAGING = join(CHECKOUT, "packaging");
const GO_BACK = "root/usr/lib/flanco/go-back";
/** An answer that comes later hangs dpkg. */
const LIMIT_MS = 15_000;
const STUBS = [
  ...["flanco", "systemctl", "deb-systemd-helper", "dpkg", "chown"],
  ...["install", "systemd-sysusers", "journalctl"],
];
/** A systemd whose service is as these files say, and starts. */
const SYSTEMCTL = `case "$*" in
  *is-active*) test -e "$STATE/active" ;;
  *is-enabled*) test ! -e "$STATE/disabled" ;;
  "restart flanco.service") touch "$STATE/active" "$STATE/restarted" ;;
esac
`;
/** What may lie in the place of a file, beside nothing. */
const ODD = ["a FIFO", "a directory", "a link to a file", "a link to a device", "a link to nothing"] as const;

/** Runs the package's scripts on files of a directory of its own in place of the system's. */
describe("The package's scripts as root", () => {
  const root = forEachTest(() => new TemporaryDirectory());
  let data: string;
  let kept: string;
  let outside: string;

  beforeEach(() => {
    [data, kept, outside] = [
      root.file("lib/flanco"),
      root.file("lib/flanco-upgrade"),
      root.file("outside.db"),
    ];
    mkdirSync(join(data, "backups"), { recursive: true });
    mkdirSync(kept);
    mkdirSync(root.file("bin"));
    writeFileSync(outside, "of another program");
    for (const name of STUBS) {
      writeFileSync(root.file("bin", name), `#!/bin/sh\nexit ${name === "dpkg" ? 1 : 0}\n`);
      chmodSync(root.file("bin", name), 0o755);
    }
  });

  function run(script: string, ...given: string[]): SpawnSyncReturns<string> {
    const text = readFileSync(join(PACKAGING, script), "utf8")
      .replaceAll("/var/lib/", `${root.path}/lib/`)
      .replaceAll("/var/cache/", `${root.path}/cache/`)
      .replaceAll("/etc/flanco", `${root.path}/etc/flanco`)
      .replaceAll("/run/systemd/system", root.file("run"))
      .replaceAll("/run/udev", root.file("udev"))
      .replaceAll("@SCHEMA@", "2")
      .replaceAll("@KIB@", "1");
    const env = { PATH: `${root.file("bin")}:/usr/bin:/bin`, STATE: root.file("run") };
    const done = spawnSync("sh", ["-s", ...given], { input: text, env, encoding: "utf8", timeout: LIMIT_MS });
    expect(done.error, "ends by itself").to.equal(undefined);
    return done;
  }

  /** A ledger's file, as far as the scripts look into it. */
  function writeLedger(file: string, schema: number): void {
    const header = Buffer.alloc(100);
    header.writeUInt32BE(schema, 60);
    writeFileSync(file, header);
  }

  function put(what: (typeof ODD)[number], file: string): void {
    if (what === "a FIFO") spawnSync("mkfifo", [file]);
    else if (what === "a directory") mkdirSync(file);
    else
      symlinkSync(
        what === "a link to a file" ? outside : what === "a link to a device" ? "/dev/zero" : "gone",
        file,
      );
  }

  const lasts = () => readdirSync(root.file("lib")).filter((name) => name.startsWith("flanco-last-"));
  const inLast = () => readdirSync(root.file("lib", lasts()[0] ?? "")).sort();

  it("keep the ledger and its newest backup with its proof when the package is purged", () => {
    writeLedger(join(data, "flanco.db"), 1);
    writeLedger(join(data, "backups", "a.db"), 1);
    writeFileSync(join(data, "backups", "a.db.json"), "{}");
    expect(run("maintainer/postrm", "purge").status).to.equal(0);
    expect(inLast()).to.deep.equal(["a.db", "a.db.json", "flanco.db"]);
    expect(existsSync(data)).to.equal(false);
  });

  it("move no foreign file for a directory whose name has the end of a line in it (purge)", () => {
    writeLedger(join(data, "flanco.db"), 1);
    const forged = join(data, "backups", `x.db\n9999999999 ${root.path}`);
    mkdirSync(forged, { recursive: true });
    writeFileSync(join(forged, "outside.db"), "");
    expect(run("maintainer/postrm", "purge").status).to.equal(0);
    expect(inLast()).to.deep.equal(["flanco.db"]);
    expect(readFileSync(outside, "utf8")).to.equal("of another program");
  });

  for (const what of ODD) {
    it(`keep nothing of ${what} in place of a backup, its proof or the log (purge)`, () => {
      writeLedger(join(data, "flanco.db"), 1);
      writeLedger(join(data, "backups", "a.db"), 1);
      for (const name of [
        "flanco.db-wal",
        "flanco.db-shm",
        "backups/b.db",
        "backups/a.db.json",
        "backups/a.json",
      ]) {
        put(what, join(data, name));
      }
      expect(run("maintainer/postrm", "purge").status).to.equal(0);
      expect(inLast()).to.deep.equal(["a.db", "flanco.db"]);
      expect(readFileSync(outside, "utf8")).to.equal("of another program");
    });

    it(`keep nothing of ${what} in place of the folder of backups, or of the ledger (purge)`, () => {
      rmSync(join(data, "backups"), { recursive: true });
      put(what, join(data, "backups"));
      put(what, join(data, "flanco.db"));
      expect(run("maintainer/postrm", "purge").status).to.equal(0);
      expect(readFileSync(outside, "utf8")).to.equal("of another program");
      expect(existsSync(data)).to.equal(false);
    });

    it(`refuse ${what} in place of the ledger before anything is replaced (install)`, () => {
      put(what, join(data, "flanco.db"));
      const { status, stderr } = run("maintainer/preinst", "install");
      expect(status).to.equal(1);
      expect(stderr).to.contain("cannot be read as a plain file");
    });

    it(`leave ${what} in place of the ledger, or of the one before, where it is (go-back)`, () => {
      for (const name of ["flanco.db", "flanco.db.schema-1"]) {
        const [odd, other] = [name, name === "flanco.db" ? "flanco.db.schema-1" : "flanco.db"];
        put(what, join(data, odd));
        writeLedger(join(data, other), 2);
        writeFileSync(join(kept, "schema"), "1\n");
        writeFileSync(join(kept, "ledger"), `${join(data, "flanco.db")}\n`);
        expect(run(GO_BACK, "ledger").status).to.equal(0);
        expect(readdirSync(data).sort()).to.deep.equal(["backups", "flanco.db", "flanco.db.schema-1"]);
        expect(lstatSync(join(data, odd)).isFile()).to.equal(false);
        for (const one of [odd, other]) rmSync(join(data, one), { recursive: true });
      }
      expect(readFileSync(outside, "utf8")).to.equal("of another program");
    });
  }

  it("put the ledger of before back, and the new one aside (go-back)", () => {
    writeLedger(join(data, "flanco.db"), 2);
    writeLedger(join(data, "flanco.db.schema-1"), 1);
    put("a link to a file", join(data, "flanco.db-wal"));
    writeFileSync(join(kept, "schema"), "1\n");
    writeFileSync(join(kept, "ledger"), `${join(data, "flanco.db")}\n`);
    expect(run(GO_BACK, "ledger").status).to.equal(0);
    expect(readFileSync(join(data, "flanco.db")).readUInt32BE(60)).to.equal(1);
    const aside = readdirSync(data).filter((name) => name.includes(".failed-"));
    expect(aside).to.have.lengthOf(2);
    expect(readFileSync(outside, "utf8")).to.equal("of another program");
  });

  it("install over a ledger that this version knows, and refuse one of a newer version", () => {
    writeLedger(join(data, "flanco.db"), 2);
    expect(run("maintainer/preinst", "install").status).to.equal(0);
    writeLedger(join(data, "flanco.db"), 3);
    expect(run("maintainer/preinst", "install").stderr).to.contain("written by a newer flanco (schema 3");
  });

  for (const [exitCode, made] of [
    [0, true],
    [3, true],
    [1, false],
  ] as const) {
    it(`say that a last backup is ${made ? "made" : "missing"} where flanco backup ends with ${exitCode} (remove)`, () => {
      writeLedger(join(data, "flanco.db"), 2);
      writeFileSync(root.file("bin", "flanco"), `#!/bin/sh\nexit ${exitCode}\n`);
      const { status, stderr } = run("maintainer/prerm", "remove");
      expect([status, !stderr.includes("no last backup")]).to.deep.equal([0, made]);
    });
  }

  describe("under systemd", () => {
    const upgraded = "flanco: upgraded from 0.0.9";

    beforeEach(() => {
      mkdirSync(root.file("run"));
      writeFileSync(root.file("bin", "systemctl"), `#!/bin/sh\n${SYSTEMCTL}`);
    });

    /** What postinst says of a package of which dpkg has a version from before, and whether the service runs then. */
    function configure(
      keptFiles: readonly string[],
      ...state: readonly string[]
    ): { said: string; runs: boolean; restarted: boolean } {
      for (const name of keptFiles) writeFileSync(join(kept, name), "0.0.9\n");
      for (const name of state) writeFileSync(root.file("run", name), "");
      const { status, stdout } = run("maintainer/postinst", "configure", "0.0.9");
      expect(status).to.equal(0);
      expect(existsSync(kept), "nothing is kept").to.equal(false);
      const is = (name: string) => existsSync(root.file("run", name));
      return { said: stdout, runs: is("active"), restarted: is("restarted") };
    }

    it("start the service that is installed again after it was removed, and say what it says", () => {
      const { said, runs } = configure([]);
      expect(runs).to.equal(true);
      expect(said).to.match(/^flanco: installed\. It says:/);
    });

    it("give a reason where it does not work and has said nothing itself", () => {
      const health = "#!/bin/sh\necho 'flanco: No service answers. Start it.' >&2\nexit 1\n";
      writeFileSync(root.file("bin", "flanco"), health);
      expect(run("maintainer/postinst", "configure").stderr).to.contain(
        "flanco: installed, and does not work yet. No service answers. Start it.\n",
      );
    });

    it("leave it off where an administrator has disabled it, and say so", () => {
      const { said, runs } = configure([], "disabled");
      expect(runs).to.equal(false);
      expect(said).to.contain("systemctl enable --now flanco");
    });

    it("restart a running one at an upgrade", () => {
      const running = configure(["version", "active", "healthy"], "active");
      expect(running).to.deep.equal({ said: `${upgraded}; it works.\n`, runs: true, restarted: true });
    });

    it("leave a stopped one stopped at an upgrade, and say how it is started", () => {
      const { said, runs } = configure(["version"]);
      expect(runs).to.equal(false);
      expect(said).to.equal(`${upgraded}. The service does not run, as before: systemctl start flanco\n`);
    });

    it("leave a running one alone where nothing was replaced", () => {
      expect(configure([], "active")).to.deep.equal({ said: "", runs: true, restarted: false });
    });
  });
});
