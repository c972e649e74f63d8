import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../scripts/ports.ts";
import { until } from "../rig/until.ts";
import type { Card } from "./card.ts";

/** A Zero 2 W has no more. */
const MEMORY_MIB = 512;
/** A private one: flanco's authority signs for no other. */
const NETWORK = "192.168.77.0/24";
/** Emulated, and the machine may be busy. */
const START_MS = 1_200_000;
/** systemd's limits are those of a machine, and this one is emulated on a busy other. */
const UNIT_PATIENCE = "[Service]\nTimeoutStartSec=900\nWatchdogSec=120\n";
const PATIENCE = [
  "systemd.default_timeout_start_sec=900",
  "systemd.default_device_timeout_sec=900",
  `systemd.set_credential_binary=systemd.unit-dropin.flanco.service~patience:${Buffer.from(UNIT_PATIENCE).toString("base64")}`,
];
const PORTS = { ssh: 22, http: 8080, https: 8443 } as const;

/** Ports of this machine that lead to the gateway's. */
export type Ports = Readonly<Record<keyof typeof PORTS, number>>;

/**
 * A gateway of qemu's (`virt`) that runs from a card: its kernel, initramfs and command line are those of the card's boot
 * partition. Its GPIO line that is moved from outside is number 3 of the chip that the machine has for its power button.
 */
export class Gateway {
  readonly card: Card;
  readonly ports: Ports;
  readonly #qemu: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly #directory: string;
  #wrong = "";
  #monitor = "";

  private constructor(card: Card, ports: Ports, qemu: ChildProcess, directory: string) {
    this.card = card;
    this.ports = ports;
    this.#qemu = qemu;
    this.#gone = once(qemu, "close");
    this.#directory = directory;
    qemu.stderr?.on("data", (chunk) => (this.#wrong += chunk));
    qemu.stdout?.on("data", (chunk) => (this.#monitor += chunk));
  }

  /** Switches a gateway on. `address` is the one that it is going to have. */
  static async switchOn(card: Card, address: string): Promise<Gateway> {
    const directory = mkdtempSync(join(card.directory, "gateway-"));
    const boot = card.bootFiles();
    const [kernel, initrd] = ["vmlinuz-", "initrd.img-"].map((prefix) => {
      const name = boot.find((file) => file.startsWith(prefix));
      if (name === undefined) throw new Error(`The boot partition has no ${prefix}: ${boot.join(" ")}`);
      card.bootFile(name);
      return join(card.directory, name);
    });
    const parameters = card.bootFile("cmdline.txt").toString().trim().split(/\s+/);
    const append = [
      ...parameters.filter((parameter) => !parameter.startsWith("console=")),
      "console=ttyAMA0",
      // Otherwise the kernel itself has the power button's line.
      "modprobe.blacklist=gpio_keys",
      ...PATIENCE,
    ].join(" ");
    const ports = { ssh: await freePort(), http: await freePort(), https: await freePort() };
    const forwards = (Object.keys(PORTS) as (keyof typeof PORTS)[]).map(
      (name) => `hostfwd=tcp:127.0.0.1:${ports[name]}-${address}:${PORTS[name]}`,
    );
    const qemu = spawn(
      "qemu-system-aarch64",
      [
        ...["-M", "virt", "-cpu", "cortex-a53", "-accel", "tcg,thread=multi", "-smp", "2"],
        ...["-m", String(MEMORY_MIB), "-display", "none", "-no-user-config", "-nodefaults"],
        ...["-kernel", kernel ?? "", "-initrd", initrd ?? "", "-append", append],
        ...[
          "-drive",
          `file=${card.file},if=none,format=raw,id=card`,
          "-device",
          "virtio-blk-device,drive=card",
        ],
        ...["-netdev", `user,id=net,net=${NETWORK},restrict=on,${forwards.join(",")}`],
        ...["-device", "virtio-net-device,netdev=net", "-device", "i6300esb", "-action", "watchdog=reset"],
        ...["-serial", `file:${join(directory, "console")}`, "-monitor", "stdio"],
        ...["-qtest", `unix:${join(directory, "qtest")},server=on,wait=off`, "-qtest-log", "none"],
      ],
      { stdio: ["pipe", "pipe", "pipe"] },
    );
    return new Gateway(card, ports, qemu, directory);
  }

  /** All that its serial line has shown, without the signs that clear a screen. */
  console(): string {
    const file = join(this.#directory, "console");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal is told by.
    return existsSync(file) ? readFileSync(file, "utf8").replaceAll(/\u001b\[[\d;]*[A-Za-z]|\r/g, "") : "";
  }

  /** Waits for a text on the console, and gives what it matched. */
  async shows(what: RegExp, deadlineMs = START_MS): Promise<RegExpExecArray> {
    try {
      const ask = () => {
        const { exitCode } = this.#qemu;
        if (exitCode !== null) throw new Error(`qemu ended with ${exitCode}: ${this.#wrong}`);
        return what.exec(this.console()) ?? undefined;
      };
      return await until(`${what} on the console`, ask, deadlineMs);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.console().slice(-6_000)}`);
    }
  }

  /**
   * Drives the line from outside, until it is driven otherwise: by the protocol of qemu's own tests. Its power button would be
   * high for a tenth of a second, which an emulated machine is sometimes too slow to see.
   */
  async drive(level: "high" | "low"): Promise<void> {
    this.#qemu.stdin?.write("info qom-tree\n");
    const find = () => /\/(device\[\d+\]) \(pl061\)/.exec(this.#monitor) ?? undefined;
    const [, chip] = await until("qemu's monitor shows the chip", find);
    const socket = connect(join(this.#directory, "qtest"));
    socket.end(`set_irq_in /machine/unattached/${chip} unnamed-gpio-in 3 ${level === "high" ? 1 : 0}\n`);
    let answer = "";
    for await (const piece of socket.setEncoding("utf8")) answer += piece;
    if (answer.trim() !== "OK") throw new Error(`qemu has not moved the line: ${answer}`);
  }

  /** Takes its power away: nothing that it has not written to the card will ever be there. */
  async cutPower(): Promise<void> {
    this.#qemu.kill("SIGKILL");
    await this.#gone;
  }

  async close(): Promise<void> {
    await this.cutPower();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
