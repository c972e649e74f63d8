import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { CARD_FILES } from "../../scripts/image/base.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const SCRIPTS = join(CARD_FILES, "usr/lib/flanco-card");
const CONFIG = "boot/firmware/config.txt";
/** Mounts by moving folders: what is mounted lies in the place, and what was there beside it. */
const STUBS: Readonly<Record<string, string>> = {
  mountpoint: "",
  sync: 'echo "sync $*" >>"$ROOT/done"\n',
  mount: `case "$1" in
  -t) mv "$ROOT/boot/firmware" "$ROOT/boot/real"; mkdir "$ROOT/boot/firmware" ;;
  --bind) cp -a "$2/." "$3" ;;
esac
`,
  umount: `case "$1" in
  */boot/firmware) rm -r "$1"; mv "$ROOT/boot/real" "$1" ;;
  *) find "$1" -mindepth 1 -delete ;;
esac
`,
};

/** Runs the card's hooks on a boot partition that is a folder. */
describe("A card's boot partition", () => {
  const root = forEachTest(() => new TemporaryDirectory());

  function put(path: string, text: string): void {
    mkdirSync(dirname(root.file(path)), { recursive: true });
    writeFileSync(root.file(path), text);
  }
  const read = (path: string) => readFileSync(root.file(path), "utf8");
  const configOf = (version: string) =>
    `arm_64bit=1\nkernel=vmlinuz-${version}\ninitramfs initrd.img-${version}\n`;

  /** A kernel as its package installs it; with `isOnCard`, on the boot partition too. */
  function install(version: string, isOnCard = true): void {
    for (const name of [`vmlinuz-${version}`, `initrd.img-${version}`]) {
      put(`boot/${name}`, `${name} whole`);
      if (isOnCard) put(`boot/firmware/${name}`, `${name} whole`);
    }
  }

  beforeEach(() => {
    for (const [name, script] of Object.entries(STUBS)) {
      put(`bin/${name}`, `#!/bin/sh\n${script}`);
      chmodSync(root.file("bin", name), 0o755);
    }
    put("card/device-trees", "#!/bin/sh\n");
    chmodSync(root.file("card/device-trees"), 0o755);
    mkdirSync(root.file("run"));
    install("6.12.9");
    put(CONFIG, configOf("6.12.9"));
  });

  function run(script: string, ...given: string[]): string {
    const text = readFileSync(join(SCRIPTS, script), "utf8")
      .replaceAll("/boot/", `${root.path}/boot/`)
      .replaceAll("=/boot", `=${root.path}/boot`)
      .replaceAll(/(?<=[= ])\/(?=run\/|etc\/)/g, `${root.path}/`)
      .replaceAll("/usr/lib/flanco-card", root.file("card"));
    const env = { PATH: `${root.file("bin")}:/usr/bin:/bin`, ROOT: root.path };
    const { status, stdout, stderr } = spawnSync("bash", ["-s", ...given], {
      input: text,
      env,
      encoding: "utf8",
    });
    expect(stderr).to.equal("");
    expect(status).to.equal(0);
    return stdout;
  }

  /** As z50-raspi-firmware does it: the newest kernel and its config.txt, in place. */
  function upgrade(version: string): void {
    install(version, false);
    run("boot-stage");
    for (const name of [`vmlinuz-${version}`, `initrd.img-${version}`])
      put(`boot/firmware/${name}`, `${name} whole`);
    put(CONFIG, configOf(version));
  }

  it("is as before until a new kernel is written whole, and then starts it; the one before stays", () => {
    upgrade("6.12.10");
    expect(read("boot/real/config.txt")).to.equal(configOf("6.12.9"));
    expect(readdirSync(root.file("boot/real"))).to.not.include("vmlinuz-6.12.10");
    expect(run("boot-files")).to.equal("");
    expect(read(CONFIG)).to.equal(configOf("6.12.10"));
    expect(readdirSync(root.file("boot/firmware")).sort()).to.deep.equal([
      "config.txt",
      "initrd.img-6.12.10",
      "initrd.img-6.12.9",
      "vmlinuz-6.12.10",
      "vmlinuz-6.12.9",
    ]);
    const synced = read("done")
      .split("\n")
      .filter((line) => line.endsWith(".new"));
    expect(synced.at(-1)).to.match(/config\.txt\.new$/);
    expect(synced).to.have.length(3);
    expect(readdirSync(root.file("run"))).to.deep.equal([]);
  });

  it("is as before where raspi-firmware failed, and the next upgrade begins anew", () => {
    upgrade("6.12.10");
    // Nothing puts it into place.
    run("boot-files", "dpkg");
    expect(read("boot/real/config.txt")).to.equal(configOf("6.12.9"));
    upgrade("6.12.11");
    expect(readdirSync(root.file("boot/firmware"))).to.not.include("vmlinuz-6.12.10");
  });

  it("loses the files of kernels that were removed, once config.txt names them no more", () => {
    put("boot/firmware/vmlinuz-6.12.8", "of a removed package");
    upgrade("6.12.10");
    run("boot-files");
    expect(readdirSync(root.file("boot/firmware"))).to.not.include("vmlinuz-6.12.8");
  });

  it("starts the kernel before the newest where flanco.txt says so, also after the next upgrade, and goes back", () => {
    install("6.12.10");
    put(CONFIG, configOf("6.12.10"));
    put("etc/flanco/kernel", "");
    expect(run("boot-files")).to.equal("");
    expect(read(CONFIG)).to.equal(configOf("6.12.9"));
    upgrade("6.12.11");
    run("boot-files");
    expect(read(CONFIG)).to.equal(configOf("6.12.10"));
    rmSync(root.file("etc/flanco/kernel"));
    run("boot-files");
    expect(read(CONFIG)).to.equal(configOf("6.12.11"));
  });

  it("says in both languages that there is no kernel before", () => {
    put("etc/flanco/kernel", "");
    expect(run("boot-files")).to.match(/no hay otro anterior.* \/ there is none before it/);
    expect(read(CONFIG)).to.equal(configOf("6.12.9"));
  });

  it("has both names of a Pi 5's second tree, which is written beside the old one, and only where it is another", () => {
    put("bin/fdtget", "#!/bin/sh\necho GPIO4\n");
    chmodSync(root.file("bin/fdtget"), 0o755);
    const twin = "boot/firmware/bcm2712d0-rpi-5-b.dtb";
    put("boot/firmware/bcm2712-d-rpi-5-b.dtb", "a tree");
    put(twin, "a tree");
    run("device-trees", "named");
    expect(existsSync(root.file("done"))).to.equal(false);
    put("boot/firmware/bcm2712-d-rpi-5-b.dtb", "another tree");
    run("device-trees", "named");
    expect(read(twin)).to.equal("another tree");
    expect(read("done")).to.match(/^sync .*\/bcm2712d0-rpi-5-b\.dtb\.new\n$/);
  });

  it("never starts a kernel of which only a part is there", () => {
    install("6.12.10");
    put("boot/firmware/initrd.img-6.12.10", "half");
    run("boot-files");
    expect(read(CONFIG)).to.equal(configOf("6.12.9"));
  });
});
