import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { CHECKOUT } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const SCRIPT = join(CHECKOUT, "packaging/root/usr/lib/flanco/backup-disk");
const SETTING = (place: string) => `backup_disk_dir = "${place}/flanco"\n`;
const BACKUP = `flanco/${"5f1c".repeat(8)}/flanco-20261121T120000Z.db`;
const OTHER_GROUP = 12_345;
const DISK_BYTES = 48 * 1024 * 1024;
/** systemd, by what its units do (packaging/root): they mount the disk. */
const SYSTEMCTL = `case "$*" in
  start*) findmnt "$PLACE" >/dev/null || mount "$DISK" "$PLACE"; install -d -m 0700 "$PLACE/flanco" ;;
  *) echo "$*" >>"$STATE" ;;
esac
`;
const STUBS: Readonly<Record<string, string>> = {
  systemctl: SYSTEMCTL,
  flanco: 'echo "flanco $*" >>"$STATE"\n',
  // A disk that the script takes by mistake is not formatted, but counted.
  "mkfs.ext4": `case "$*" in *"$DISK") exec /usr/sbin/mkfs.ext4 "$@" ;; *) echo mkfs >>"$STATE" ;; esac\n`,
  "writable/root-writable": 'echo "writable $1" >>"$STATE"\n',
};

/** Runs the package's script with real disks, each a file of this machine, and a systemd of its own. */
describe("flanco backup-disk", () => {
  before(() => installFor("disk with partitions"));

  const disks: string[] = [];
  // Before the directory is removed that they lie in.
  afterEach(() => {
    spawnSync("umount", ["--quiet", place()]);
    for (const disk of disks.splice(0)) {
      // The kernel keeps the partitions of a detached one.
      spawnSync("partx", ["--delete", disk]);
      runCommand(["losetup", "--detach", disk]);
    }
  });

  const root = forEachTest(() => new TemporaryDirectory());
  const place = () => root.file("mnt");
  const settings = () => root.file("etc/flanco.toml");
  const done = () => (existsSync(root.file("state")) ? readFileSync(root.file("state"), "utf8") : "");

  beforeEach(() => {
    mkdirSync(place());
    for (const [name, script] of Object.entries(STUBS)) {
      const file = root.file("bin", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}`);
      chmodSync(file, 0o755);
    }
    mkdirSync(root.file("etc"));
    writeFileSync(settings(), '# Disk.\n#backup_disk_dir = ""\n\nlog_level = "info"\n');
    const text = readFileSync(SCRIPT, "utf8")
      .replaceAll("/mnt/backup", place())
      .replaceAll("/etc/flanco/flanco.toml", settings())
      .replaceAll("/usr/lib/flanco-card", root.file("bin/writable"));
    writeFileSync(root.file("script"), text);
  });

  /** A disk; with `mkfs`, formatted so. */
  function plugIn(mkfs: readonly string[] = [], files: readonly string[] = []): string {
    const image = root.file(`disk${disks.length}`);
    writeFileSync(image, "");
    truncateSync(image, DISK_BYTES);
    const disk = runCommand(["losetup", "--find", "--show", image]).trim();
    disks.push(disk);
    if (mkfs.length > 0) runCommand([...mkfs, disk]);
    if (files.length > 0) {
      runCommand(["mount", disk, place()]);
      for (const file of files) {
        mkdirSync(dirname(join(place(), file)), { recursive: true });
        writeFileSync(join(place(), file), "kept");
      }
      runCommand(["umount", place()]);
    }
    return disk;
  }

  function prepare(
    disk: string,
    answer = "",
    prepared = disks[0],
  ): { readonly status: number | null; readonly said: string } {
    const env = {
      PATH: `${root.file("bin")}:/usr/sbin:/usr/bin:/sbin:/bin`,
      PLACE: place(),
      DISK: prepared,
      STATE: root.file("state"),
    };
    const { status, stdout, stderr } = spawnSync("sh", [root.file("script"), disk], {
      input: `${answer}\n`,
      env,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  }

  /** It says why, and the disk is what it was. */
  function refuses(given: string, why: RegExp, disk = given, answer = "erase"): void {
    const before = runCommand(["sha256sum", disk]);
    const { status, said } = prepare(given, answer);
    expect(said).to.match(why);
    expect(status).to.equal(1);
    expect(runCommand(["sha256sum", disk])).to.equal(before);
    expect(done()).to.equal("");
    expect(readFileSync(settings(), "utf8")).to.contain("#backup_disk_dir");
  }

  it("formats a disk without backups after the question, mounts it, sets it in the settings, and makes a backup", () => {
    const disk = plugIn(["mkfs.ext2", "-q", "-L", "STICK"], ["holiday.jpg"]);
    chmodSync(settings(), 0o640);
    chownSync(settings(), 0, OTHER_GROUP);
    const { status, said } = prepare(disk, "erase");
    expect(status, said).to.equal(0);
    expect(said).to.match(/ext2 "STICK", files on it: 1\.\nEverything on it is erased/);
    expect(runCommand(["findmnt", "--noheadings", "--output", "SOURCE,FSTYPE,LABEL", place()])).to.match(
      new RegExp(`^${disk} +ext4 +flanco-backup`),
    );
    expect(readFileSync(settings(), "utf8")).to.equal(`# Disk.\n${SETTING(place())}\nlog_level = "info"\n`);
    expect(done().split("\n")).to.deep.equal([
      "writable yes",
      "writable no",
      "--quiet is-active flanco.service",
      "restart flanco.service",
      "flanco backup",
      "",
    ]);
    expect(statSync(settings())).to.include({ mode: 0o100640, gid: OTHER_GROUP });
    // Once more: nothing is asked, and the settings are as they were.
    expect(prepare(disk).status).to.equal(0);
    expect(readFileSync(settings(), "utf8").match(/backup_disk_dir/g)).to.have.length(1);
  });

  it("formats the one partition that a new stick has", () => {
    const disk = plugIn();
    runCommand(["sfdisk", "--quiet", disk], { input: ",,c\n" });
    runCommand(["partx", "--add", disk]);
    const { status, said } = prepare(disk, "erase", `${disk}p1`);
    expect(status, said).to.equal(0);
    expect(said).to.contain(`${disk}p1 is formatted`);
  });

  for (const [what, label] of [
    ["of the gateway before", "flanco-backup"],
    ["that a disk of another name has", "old"],
  ] as const) {
    it(`takes backups ${what} into use as they are, without a question`, () => {
      const disk = plugIn(["mkfs.ext4", "-q", "-L", label], [BACKUP, "notes.txt"]);
      const { status, said } = prepare(disk);
      expect(status, said).to.equal(0);
      expect(said).to.contain("holds backups: nothing on it is erased");
      for (const file of [BACKUP, "notes.txt"]) {
        expect(readFileSync(join(place(), file), "utf8")).to.equal("kept");
      }
      expect(runCommand(["e2label", disk])).to.equal("flanco-backup\n");
    });
  }

  it("takes a disk into use that is mounted in its place already", () => {
    const disk = plugIn(["mkfs.ext4", "-q", "-L", "flanco-backup"], [BACKUP]);
    runCommand(["mount", disk, place()]);
    expect(prepare(disk)).to.have.property("status", 0);
    expect(readFileSync(join(place(), BACKUP), "utf8")).to.equal("kept");
  });

  it("writes the setting before all others where the settings file has no line for it", () => {
    writeFileSync(settings(), 'log_level = "info"\n[table]\n');
    expect(prepare(plugIn(), "erase")).to.have.property("status", 0);
    expect(readFileSync(settings(), "utf8")).to.equal(`${SETTING(place())}log_level = "info"\n[table]\n`);
  });

  it("erases nothing without the answer", () => {
    const disk = plugIn(["mkfs.ext4", "-q"], ["holiday.jpg"]);
    refuses(disk, /Nothing was changed/, disk, "yes");
  });

  for (const file of [BACKUP, "flanco/tail-3-0000000000000012", "lib/flanco/flanco.db"]) {
    it(`erases no disk of another file system that holds ${file.split("/").at(-1)}`, () => {
      refuses(plugIn(["mkfs.ext3", "-q"], [file]), /holds backups, in ext3/);
    });
  }

  it("erases no disk whose file system cannot be read, and says how to if nothing on it is needed", () => {
    const disk = plugIn(["mkfs.ext4", "-q"], [BACKUP]);
    // A block of its inodes is damaged: the superblock is whole.
    runCommand(["dd", "if=/dev/urandom", `of=${disk}`, "bs=1024", "seek=2", "count=8", "conv=notrunc"]);
    refuses(disk, /holds ext4, which cannot be read here.*wipefs --all/);
  });

  describe("of a card, which asks nobody", () => {
    /** `lsblk` with the disk as a USB disk, among others. */
    function asUsb(...usb: readonly string[]): void {
      const rows = ["/dev/vda  disk", ...usb.map((disk) => `${disk} usb disk`)].join("\\n");
      writeFileSync(
        root.file("bin/lsblk"),
        `#!/bin/sh\ncase "$*" in *TRAN*) printf '${rows}\\n' ;; *) exec /usr/bin/lsblk "$@" ;; esac\n`,
      );
      chmodSync(root.file("bin/lsblk"), 0o755);
    }

    it("prepares the one USB disk, which holds no file but what other systems put there", () => {
      const disk = plugIn(["mkfs.ext2", "-q"], ["System Volume Information/IndexerVolumeGuid"]);
      asUsb(disk);
      const { status, said } = prepare("--empty");
      expect(status, said).to.equal(0);
      expect(said).to.contain(`${disk} is formatted`);
      expect(done(), "its service finds the disk").to.equal("");
    });

    it("leaves a disk with a file, one without a file system, and several as they are", () => {
      const used = plugIn(["mkfs.ext2", "-q"], ["holiday.jpg"]);
      asUsb(used);
      refuses("--empty", /is not empty/, used);
      const unknown = plugIn();
      asUsb(unknown);
      refuses("--empty", /is not empty/, unknown);
      asUsb(used, unknown);
      refuses("--empty", /2 USB disks are there, and not one/, used);
    });
  });

  it("refuses the system's disk", () => {
    const source = runCommand(["findmnt", "--noheadings", "--output", "SOURCE", "/"]).trim();
    const { status, said } = prepare(source, "erase");
    expect(said).to.contain("is on the disk that this system runs from");
    expect(status).to.equal(1);
    expect(done()).to.equal("");
  });

  it("refuses a mounted disk, one of several partitions, and what is no disk", () => {
    const disk = plugIn(["mkfs.ext4", "-q"]);
    const elsewhere = root.file("elsewhere");
    mkdirSync(elsewhere);
    runCommand(["mount", disk, elsewhere]);
    const mounted = prepare(disk, "erase");
    runCommand(["umount", elsewhere]);
    expect(mounted.said).to.match(/is mounted at \S+elsewhere: umount it first/);
    expect(mounted.status).to.equal(1);

    const parted = plugIn();
    runCommand(["sfdisk", "--quiet", parted], { input: "2048,8192\n16384,8192\n" });
    runCommand(["partx", "--add", parted]);
    refuses(parted, /holds several things, name the one that is meant: \S+p1 \S+p2/);
    refuses(root.file("script"), /is no disk/);
  });

  it("is not taken in by another disk of that label that is plugged in", () => {
    plugIn(["mkfs.ext4", "-q", "-L", "flanco-backup"]);
    const { status, said } = prepare(plugIn(), "erase", disks[0]);
    expect(said).to.contain(`${disks[0]} has the label flanco-backup too`);
    expect(status).to.equal(1);
  });

  it("leaves no disk mounted where it is ended while it looks", () => {
    const disk = plugIn(["mkfs.ext4", "-q"], [BACKUP]);
    const ended = '#!/bin/sh\nif [ "$2" = find ]; then kill -TERM "$PPID"; fi\nshift\nexec "$@"\n';
    writeFileSync(root.file("bin/timeout"), ended, { mode: 0o755 });
    expect(prepare(disk).status).to.equal(130);
    expect(runCommand(["lsblk", "--noheadings", "--output", "MOUNTPOINTS", disk]).trim()).to.equal("");
  });

  it("refuses a second disk while another is in use", () => {
    const disk = plugIn(["mkfs.ext4", "-q", "-L", "flanco-backup"]);
    runCommand(["mount", disk, place()]);
    refuses(plugIn(), /Another disk is in use for backups: \/dev\/loop/);
  });
});
