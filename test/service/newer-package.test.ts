import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { NewerPackages } from "../../src/service/newer-package.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const ARCHITECTURE = process.arch === "arm64" ? "arm64" : "amd64";
const OTHER = process.arch === "arm64" ? "amd64" : "arm64";
const RUNNING = "0.9.0";

describe("A newer package", () => {
  const work = forEachTest(() => new TemporaryDirectory());
  /** A file system of its own, as a mounted disk is: a file may lie at its root. */
  const disk = forEachTest(() => new TemporaryDirectory("/dev/shm/flanco disk' "));
  const clock = forEachTest(() => new SetClock(0));
  let packages: NewerPackages;

  beforeEach(() => {
    // apt of its own: it knows no package until a test has it read a source.
    writeFileSync(work.file("apt.conf"), `Dir "${work.file("apt")}";\nDir::Bin "/usr/lib/apt/";\n`);
    for (const part of [
      "etc/apt/preferences.d",
      "var/lib/apt/lists/partial",
      "var/cache/apt/archives/partial",
    ]) {
      mkdirSync(work.file("apt", part), { recursive: true });
    }
    mkdirSync(work.file("apt/var/lib/dpkg"), { recursive: true });
    writeFileSync(work.file("apt/var/lib/dpkg/status"), "");
    packages = make();
  });
  afterEach(() => packages.close());

  function make(): NewerPackages {
    const environment = { PATH: process.env["PATH"] ?? "", APT_CONFIG: work.file("apt.conf") };
    return new NewerPackages({ version: RUNNING, clock, log: new KeptLog(), environment });
  }

  /** Builds a package, and gives its file. */
  function build(
    version: string,
    fields: readonly string[] = [],
    name = "flanco",
    processor = ARCHITECTURE,
  ): string {
    const tree = work.file("tree");
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(join(tree, "DEBIAN"), { recursive: true });
    // dpkg-deb refuses one that is closed to others, as this process makes them.
    chmodSync(join(tree, "DEBIAN"), 0o755);
    const control = [
      ...[
        `Package: ${name}`,
        `Version: ${version}`,
        `Architecture: ${processor}`,
        "Maintainer: a <a@b.invalid>",
      ],
      ...["Description: of a test", ...fields],
    ];
    writeFileSync(join(tree, "DEBIAN", "control"), `${control.join("\n")}\n`);
    const file = work.file(`flanco_${version}_${processor}.deb`);
    execFileSync("dpkg-deb", ["-Znone", "--root-owner-group", "--build", tree, file], { stdio: "pipe" });
    return file;
  }

  function lay(file: string, name = basename(file)): string {
    const path = disk.file(name);
    copyFileSync(file, path);
    return path;
  }

  async function found(directory: string | null = disk.path) {
    await packages.refresh(directory);
    return packages.newest;
  }

  it("on the disk is named with its notes and with what installs it, the newest of them", async () => {
    lay(build("0.9.0"));
    lay(build("0.10.0~rc1"));
    const notes = ["Notes-Es:", " Uno.", " .", " Dos.", "Notes-En:", " One."];
    const file = lay(build("0.10.0", notes));
    lay(build("0.9.1"));
    expect(await found()).to.deep.equal({
      version: "0.10.0",
      source: "disk",
      file,
      notes: { es: "Uno.\n\nDos.", en: "One." },
      command: `apt install '${file.replace("'", "'\\''")}'`,
    });
    const { command = "" } = packages.newest ?? {};
    const words = execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" });
    expect(words).to.equal(`apt\ninstall\n${file}\n`);
  });

  it("is not one that is older, of another program, or for another processor", async () => {
    for (const file of [build("0.8.0"), build("2.0.0", [], "other"), build("3.0.0", [], "flanco", OTHER)])
      lay(file);
    expect(await found()).to.equal(null);
  });

  it("in apt's lists is named as they are, and the disk's before it where that is newer", async () => {
    source(build("1.1.0", ["Notes-En: By apt."]));
    const notes = { es: "", en: "By apt." };
    const byApt = { version: "1.1.0", source: "apt", file: null, notes, command: "apt install flanco" };
    expect(await found(null)).to.deep.equal(byApt);
    lay(build("1.1.0"));
    expect(await found(), "the one that apt checks").to.deep.equal(byApt);
    await found(null);
    lay(build("1.2.0"));
    expect((await found())?.version).to.equal("1.2.0");
  });

  /** Makes a source of packages that holds this file, and has apt read it. */
  function source(file: string): void {
    const [folder, bytes] = [work.file("source"), readFileSync(file)];
    mkdirSync(folder);
    copyFileSync(file, join(folder, basename(file)));
    const control = execFileSync("dpkg-deb", ["--field", file], { encoding: "utf8" });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const entry = `${control}Filename: ./${basename(file)}\nSize: ${bytes.length}\nSHA256: ${sha256}\n`;
    writeFileSync(join(folder, "Packages"), entry);
    writeFileSync(work.file("apt/etc/apt/sources.list"), `deb [trusted=yes] copy:${folder} ./\n`);
    const env = { ...process.env, APT_CONFIG: work.file("apt.conf") };
    execFileSync("apt-get", ["--quiet", "-oAPT::Sandbox::User=root", "update"], { env, stdio: "pipe" });
  }

  it("is looked for again after six hours, and at once when a disk comes or goes", async () => {
    expect(await found(null)).to.equal(null);
    lay(build("1.0.0"));
    expect((await found())?.version, "a disk").to.equal("1.0.0");
    lay(build("1.0.1"));
    clock.pass(6 * HOUR_MS - 1);
    expect((await found())?.version).to.equal("1.0.0");
    clock.pass(1);
    expect((await found())?.version).to.equal("1.0.1");
    expect(await found(null), "no disk").to.equal(null);
  });

  it("does no harm where the disk holds something else under its name", async () => {
    const name = (version: string) => disk.file(`flanco_${version}_${ARCHITECTURE}.deb`);
    writeFileSync(name("9"), "no archive");
    execFileSync("mkfifo", [name("9.1")]);
    symlinkSync("/dev/zero", name("9.2"));
    mkdirSync(name("9.3"));
    writeFileSync(name("9.4\u001b[2J"), readFileSync(build("9.4")));
    writeFileSync(name("9.5"), archiveOf("Package: flanco\nVersion: 9.5; reboot\nArchitecture: all\n"));
    writeFileSync(name("9.6"), archiveOf("a".repeat(2 * 1024 * 1024)));
    const file = lay(
      build("9.7", ["Notes-Es: \u001b]0;x\u0007 \u202eabc", "Notes-En: ".padEnd(5_000, "x")]),
      `flanco_$(reboot)_${ARCHITECTURE}.deb`,
    );
    const seen = await found();
    expect(seen?.file).to.equal(file);
    expect(seen?.notes).to.deep.equal({ es: "]0;x abc", en: "x".repeat(2_000) });
  });

  /** A package whose control archive is of this test's making. */
  function archiveOf(control: string): Buffer {
    const folder = work.file("hostile");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "control"), control);
    writeFileSync(join(folder, "debian-binary"), "2.0\n");
    for (const part of ["control", "data"]) {
      execFileSync("tar", ["--create", `--file=${part}.tar`, "./control"], { cwd: folder });
    }
    const parts = ["debian-binary", "control.tar", "data.tar"];
    // ar(5): a name, a time, an owner, a group, a mode and a size, each of so many characters.
    const members = parts.map((part) => {
      const bytes = readFileSync(join(folder, part));
      const head = `${part.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}`;
      return Buffer.concat([Buffer.from(`${head}${String(bytes.length).padEnd(10)}\`\n`), bytes]);
    });
    return Buffer.concat([Buffer.from("!<arch>\n"), ...members]);
  }

  it("is none where Debian's programs are missing", async () => {
    lay(build("1.0.0"));
    const environment = { PATH: work.path };
    packages = new NewerPackages({ version: RUNNING, clock, log: new KeptLog(), environment });
    expect(await found()).to.equal(null);
  });
});
