import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { CARD_FILES } from "../../scripts/image/base.ts";
import { SECOND_MS } from "../../src/domain/clock.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const TREE = "sys/firmware/devicetree/base";
const BUS = "sys/bus/i2c/devices/i2c-3";
const CLOCK = "sys/bus/i2c/devices/3-0068/rtc/rtc0";
const TRUSTED = "run/flanco-clock";
const CHECKED = "var/lib/flanco-card/rtc-checked";

/** Runs the card's script on a kernel's files in a directory of its own. */
describe("A card's clock chip", () => {
  const root = forEachTest(() => new TemporaryDirectory());

  function put(path: string, text: string): void {
    mkdirSync(dirname(root.file(path)), { recursive: true });
    writeFileSync(root.file(path), text);
  }

  /** As fake-hwclock saves it, and the kernel tells it. */
  const stamp = (offsetSeconds: number) =>
    new Date(Date.now() + offsetSeconds * SECOND_MS).toISOString().replace("T", " ").slice(0, 19);
  const seconds = (offsetSeconds: number) => String(Math.round(Date.now() / SECOND_MS) + offsetSeconds);

  beforeEach(() => {
    put("etc/flanco/rtc", "ds3231\n");
    put(`${TREE}/soc/i2c@7e804000/status`, "okay\0");
    put(`${TREE}/__symbols__/i2c1`, "/soc/i2c@7e804000\0");
    for (const [number, node] of [
      ["1", "base"],
      ["3", "base/soc/i2c@7e804000"],
    ] as const) {
      mkdirSync(root.file(`sys/bus/i2c/devices/i2c-${number}`), { recursive: true });
      symlinkSync(
        root.file("sys/firmware/devicetree", node),
        root.file(`sys/bus/i2c/devices/i2c-${number}/of_node`),
      );
    }
    put(`${CLOCK}/hctosys`, "1\n");
    put(`${CLOCK}/since_epoch`, seconds(-2));
    put("var/lib/fake-hwclock/time", stamp(-3_600));
    put(CHECKED, "ds3231\n");
    put("run/nothing", "");
    for (const name of ["modprobe", "sleep", "fake-hwclock"]) {
      put(`bin/${name}`, `#!/bin/sh\necho "$0 $*" >>"${root.file("called")}"\n`);
      chmodSync(root.file("bin", name), 0o755);
    }
  });

  function run(step: "start" | "check"): string {
    const text = readFileSync(join(CARD_FILES, "usr/lib/flanco-card/rtc"), "utf8").replaceAll(
      /(?<= |=|<|>)\/(?=sys\/|run\/|var\/|etc\/)/g,
      `${root.path}/`,
    );
    const env = { PATH: `${root.file("bin")}:/usr/bin:/bin` };
    const { status, stdout, stderr } = spawnSync("sh", ["-s", step], { input: text, env, encoding: "utf8" });
    expect(stderr).to.equal("");
    expect(status).to.equal(0);
    return stdout;
  }
  const isTrusted = () => existsSync(root.file(TRUSTED));
  const isSetForward = () => readFileSync(root.file("called"), "utf8").includes("fake-hwclock load");

  it("is told to the kernel at the header's bus, whatever that's number, and trusted once it was checked", () => {
    run("start");
    expect(readFileSync(root.file(BUS, "new_device"), "utf8")).to.equal("ds3231 0x68\n");
    expect(isTrusted()).to.equal(true);
    expect(isSetForward()).to.equal(false);
  });

  it("is not trusted before the network has confirmed it, nor after another chip was", () => {
    rmSync(root.file(CHECKED));
    run("start");
    expect(isTrusted()).to.equal(false);
    put(CHECKED, "ds1307\n");
    run("start");
    expect(isTrusted()).to.equal(false);
  });

  it("is not trusted where the kernel has not set the clock by it", () => {
    put(`${CLOCK}/hctosys`, "0\n");
    run("start");
    expect(isTrusted()).to.equal(false);
  });

  it("that has lost the time is not trusted, and the clock goes on from the saved time", () => {
    put("var/lib/fake-hwclock/time", stamp(86_400));
    run("start");
    expect(isTrusted()).to.equal(false);
    expect(isSetForward()).to.equal(true);
  });

  it("that does not answer, or has no bus, is told on the screen in both languages", () => {
    rmSync(root.file(CLOCK), { recursive: true });
    expect(run("start")).to.match(/ds3231 no responde.* \/ it does not answer/);
    rmSync(root.file(TREE, "__symbols__"), { recursive: true });
    expect(run("start")).to.match(/no tiene bus.* \/ the kernel has no bus/);
    expect(readFileSync(root.file("run/flanco-card-rtc"), "utf8")).to.contain("no bus");
    expect(isTrusted()).to.equal(false);
  });

  it("is confirmed by the network, and no longer once it differs from it by more than a minute", () => {
    rmSync(root.file(CHECKED));
    run("check");
    expect(existsSync(root.file(CHECKED)), "without the network").to.equal(false);
    put("run/systemd/timesync/synchronized", "");
    run("check");
    expect(readFileSync(root.file(CHECKED), "utf8")).to.equal("ds3231\n");
    put(`${CLOCK}/since_epoch`, seconds(-90));
    run("check");
    expect(existsSync(root.file(CHECKED))).to.equal(false);
  });
});
