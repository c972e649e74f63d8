import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import {
  dataDirectoryOf,
  openToOthers,
  prepareDataDirectory,
} from "../../../src/ledger/engine/data-directory.ts";
import { takeLock } from "../../../src/ledger/engine/lock.ts";
import { onlyLine, Program } from "../../rig/program.ts";
import { thrown } from "../../rig/rejection.ts";
import { forEachTest, forSuite } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const NOBODY_UID = 65_534;
/** Everything of the program's own that lies in a data directory, or may. */
const FILES = [
  "flanco.db",
  "flanco.db-wal",
  "flanco.db-shm",
  "flanco.db.schema-1",
  "flanco.db.replaced-20261121T120000Z",
  "flanco.lock",
  "reserve",
  "session.key",
  "checked.json",
  "demo.done",
  "control.sock",
  "tls/leaf.pem",
  "tls/authority.pem",
  "backups/flanco-20261121T120000Z.db",
  "backups/flanco-20261121T120000Z.db.json",
];

describe("the data directory", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let data: string;
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0o077);
    data = directory.file("it's data");
    for (const folder of ["", "tls", "backups"]) mkdirSync(join(data, folder), { mode: 0o700 });
    for (const file of FILES) writeFileSync(join(data, file), "x", { mode: 0o600 });
  });

  afterEach(() => {
    process.umask(umask);
  });

  const prepare = () => prepareDataDirectory(dataDirectoryOf(data));

  const refusal = () => thrown(prepare);

  /** Runs the command that the refusal names, as its reader would. */
  function mend({ hint = "" }: FlancoError): void {
    const command = hint.replace(/^[^:]*: /, "");
    const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    expect(status, `${command}\n${stderr}`).to.equal(0);
  }

  it("is taken as it is made by the program", () => {
    prepare();
  });

  for (const name of ["", "tls", "backups", ...FILES]) {
    it(`is refused while others have any right to ${name || "it"}, until its command was run`, () => {
      const path = join(data, name);
      const own = statSync(path).mode & 0o777;
      for (const right of [0o040, 0o020, 0o010, 0o004, 0o002, 0o001, 0o077]) {
        chmodSync(path, own | right);
        const refused = refusal();
        expect(refused.code).to.equal("config");
        expect(refused.message).to.contain(path).and.to.contain("open to other users");
        expect(`${refused.message} ${refused.hint}`).not.to.contain("\n");
      }
      // It takes all of them away.
      mend(refusal());
      prepare();
    });
  }

  // Only root can give a file away.
  const itAsRoot = process.getuid?.() === 0 ? it : () => {};
  itAsRoot("is refused with a file of another user, until its command was run", () => {
    chownSync(join(data, "session.key"), NOBODY_UID, NOBODY_UID);
    const refused = refusal();
    expect(refused.message).to.contain(`session.key belongs to the user ${NOBODY_UID}`);
    mend(refused);
    prepare();
  });

  for (const name of ["session.key", "tls", "backups"]) {
    it(`is refused with a link in the place of ${name}, until its command was run`, () => {
      renameSync(join(data, name), directory.file("elsewhere"));
      symlinkSync(directory.file("elsewhere"), join(data, name));
      expect(refusal().message).to.contain(`${name} is a symbolic link`);
      mend(refusal());
      prepare();
    });
  }

  it("is taken with folders that cannot be read: a failing disk of backups keeps no service from its start", () => {
    // A path that is longer than the kernel takes fails as one on a failing disk does.
    const deeper = `d=$(printf %0200d 1); for i in $(seq 21); do mkdir -m 700 $d && cd $d || exit; done`;
    spawnSync("bash", ["-c", deeper], { cwd: join(data, "backups") });
    prepare();
    spawnSync("rm", ["-rf", join(data, "backups")]);
  });

  it("is refused when it is a link itself, and told the directory's own name", () => {
    const link = directory.file("link");
    symlinkSync(data, link);
    expect(() => prepareDataDirectory(dataDirectoryOf(link)))
      .to.throw(FlancoError, /is a symbolic link/)
      .with.property("hint")
      .that.contains("FLANCO_DATA_DIR='");
  });

  it("is refused in a directory in which anybody may put another in its place, until its command was run", () => {
    chmodSync(directory.path, 0o777);
    const refused = refusal();
    mend(refused);
    prepare();
    chmodSync(directory.path, 0o1777);
    prepare();
  });

  it("is not to be closed or given away where it holds other files and none of the program's", () => {
    const other = directory.file("etc");
    mkdirSync(other);
    chmodSync(other, 0o755);
    const ask = () => thrown(() => prepareDataDirectory(dataDirectoryOf(other)));
    expect(ask().hint, "an empty one").to.contain("chmod");
    mkdirSync(join(other, "lost+found"));
    expect(ask().hint, "a new file system").to.contain("chmod");
    rmSync(join(other, "lost+found"), { recursive: true });
    writeFileSync(join(other, "passwd"), "");
    const { code, hint } = ask();
    expect(code).to.equal("config");
    expect(hint).to.equal("Name a directory for flanco alone, by data_dir or FLANCO_DATA_DIR.");
    writeFileSync(join(other, "flanco.db"), "");
    expect(ask().hint, "with a ledger among them").to.contain("chmod");
  });

  it("is not refused for files that are not the program's: the closed directory protects them", () => {
    writeFileSync(join(data, "notes.txt"), "", { mode: 0o644 });
    chmodSync(join(data, "notes.txt"), 0o644);
    mkdirSync(join(data, "lost+found"));
    chmodSync(join(data, "lost+found"), 0o755);
    prepare();
  });

  it("elsewhere is told of and not refused: a disk may know no owners", () => {
    const disk = directory.file("disk");
    expect(openToOthers(disk)).to.equal(null);
    mkdirSync(disk, { mode: 0o700 });
    expect(openToOthers(disk)).to.equal(null);
    chmodSync(disk, 0o755);
    expect(openToOthers(disk)).to.match(/disk is open to other users of this machine: chmod 700 .*disk$/);
  });
});

describe("flanco, in a data directory that others may read", () => {
  const appliance = forSuite(() => Program.make());

  before(async () => {
    mkdirSync(appliance.dataDir, { mode: 0o700 });
    chmodSync(appliance.dataDir, 0o750);
  });

  for (const args of [["serve"], ["user", "add", "--link", "--email", "a@example.org", "--name", "A"]]) {
    it(`refuses to ${args.join(" ")}, in one line with the command that mends it`, async () => {
      const refused = await appliance.run(args);
      expect(onlyLine(refused)).to.equal(
        `flanco: ${appliance.dataDir} is open to other users of this machine (mode 0750). Close it: chmod -R go= ${appliance.dataDir}`,
      );
      expect(refused.exitCode).to.equal(78);
    });
  }
});

describe("the lock of a data directory", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const file = () => directory.file("flanco.lock");

  const refusal = () => thrown(() => takeLock(file()));

  it("is one process's at a time", () => {
    const release = takeLock(file());
    expect(refusal().code).to.equal("conflict");
    release();
    takeLock(file())();
  });

  it("needs no room on the disk: beside its empty file there is none", () => {
    const release = takeLock(file());
    expect(readdirSync(directory.path)).to.deep.equal(["flanco.lock"]);
    expect(statSync(file()).size).to.equal(0);
    release();
  });

  it("is taken also where its file is damaged, which holds nothing, and then it is one process's", () => {
    for (const bytes of [1, 90, 100, 5_000]) {
      writeFileSync(file(), "x".repeat(bytes));
      const release = takeLock(file());
      expect(refusal().code, `${bytes} bytes`).to.equal("conflict");
      release();
    }
  });

  it("names its file when that cannot be opened", () => {
    mkdirSync(file());
    const { code, message, hint } = refusal();
    expect(code).to.equal("unavailable");
    expect(message).to.equal(`The lock file ${file()} cannot be used (SQLITE_CANTOPEN).`);
    expect(hint).to.contain("may write to the data directory");
  });

  it("names its file when the directory is not there", () => {
    const { code } = thrown(() => takeLock(directory.file("gone", "flanco.lock")));
    expect(code).to.equal("unavailable");
  });
});
