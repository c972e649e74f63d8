import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { CARD_FILES } from "../../scripts/image/base.ts";
import { CHECKOUT, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

/** What each is called, as two cards of one clinic are whose technician gave both one name. */
const NAME = "clinica";
const ADDRESSES = ["192.168.79.1", "192.168.79.2"] as const;
const CONSOLE = join(CARD_FILES, "usr/lib/flanco-card/console");
/** A machine's own network, name, D-Bus and avahi, which announces what the package has it announce. */
const MACHINE = `
mount -t tmpfs tmpfs /run
mkdir /run/dbus
mount --bind "$3/packaging/root/etc/avahi/services" /etc/avahi/services
hostname "$1"
ip link set lo up
until ip link set eth0 up 2>/dev/null; do sleep 0.1; done
ip address add "$2/24" dev eth0
dbus-daemon --system --nofork --nopidfile &
until [ -S /run/dbus/system_bus_socket ]; do sleep 0.1; done
read -r _
exec avahi-daemon --no-drop-root --no-chroot --no-rlimits`;
/** Opens a URL at an address, and trusts one authority alone. */
const VISIT = `
const [url, address, ca] = process.argv.slice(1);
const lookup = (_name, options, done) => options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
require("node:https").get(url, { ca: require("node:fs").readFileSync(ca), lookup }, (answer) => console.log(answer.statusCode));`;

/** A machine on a network of its own with the other one: namespaces of this kernel, with a real avahi-daemon. */
class NetworkMachine {
  readonly address: string;
  readonly program: Program;
  readonly #child: ChildProcess;

  constructor(address: string, program: Program) {
    this.address = address;
    this.program = program;
    const words = ["--net", "--mount", "--uts", "sh", "-ec", MACHINE, "sh", NAME, address, CHECKOUT];
    this.#child = spawn("unshare", words, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  }

  get pid(): string {
    return String(this.#child.pid);
  }

  isApart(): boolean {
    return readlinkSync(`/proc/${this.pid}/ns/net`) !== readlinkSync("/proc/self/ns/net");
  }

  /** Begins a command that is to be run on it. */
  get wrapper(): readonly string[] {
    return ["nsenter", `--target=${this.pid}`, "--net", "--mount", "--uts"];
  }

  /** Starts its avahi. Gives the name that it has settled on. */
  async announce(): Promise<string> {
    this.#child.stdin?.end("\n");
    return until("avahi has settled on a name", () => {
      try {
        return this.run("avahi-resolve", "-4", "--address", this.address).trim().split("\t")[1];
      } catch {
        return undefined;
      }
    });
  }

  run(...words: readonly string[]): string {
    return runCommand([...this.wrapper, ...words]);
  }

  /** The finding of `flanco doctor` about its name. */
  async doctor(): Promise<{ readonly fine: boolean; readonly message: string }> {
    const { stdout } = await this.program.run(["doctor", "--json"], { wrapper: this.wrapper });
    interface Examination {
      readonly findings: readonly { check: string; fine: boolean; message: string }[];
    }
    const { findings } = JSON.parse(stdout) as Examination;
    const { fine, message } = findings.find(({ check }) => check === "name") ?? { fine: false, message: "" };
    return { fine, message };
  }

  async close(): Promise<void> {
    await this.program.close();
    const gone = once(this.#child, "exit");
    // It leads a group, in which its D-Bus is.
    process.kill(-Number(this.pid), "SIGKILL");
    await gone;
  }
}

describe("Two gateways of one name in one network", () => {
  const machines = forSuite(() => ({ all: [] as NetworkMachine[], close }));
  async function close(): Promise<void> {
    await Promise.all(machines.all.map((machine) => machine.close()));
  }

  async function start(address: string): Promise<NetworkMachine> {
    const program = await Program.make({ FLANCO_HOST: "", FLANCO_HTTPS_PORT: "8443" });
    const machine = new NetworkMachine(address, program);
    machines.all.push(machine);
    return machine;
  }

  it("are each found by a name that leads to itself: screen, certificate, doctor and page agree", async () => {
    installFor("network of two machines");
    const [first, second] = [await start(ADDRESSES[0]), await start(ADDRESSES[1])];
    await until("each has a network of its own", () => machines.all.every((machine) => machine.isApart()));
    const link = ["ip", "link", "add", "eth0", "netns", first.pid, "type", "veth"];
    runCommand([...link, "peer", "name", "eth0", "netns", second.pid]);
    // One after the other: two that begin at once may both give way, again and again, up to NAME-12.
    expect(await first.announce()).to.equal(`${NAME}.local`);
    const other = await second.announce();
    expect(other).to.equal(`${NAME}-2.local`);
    for (const machine of machines.all) await machine.program.start({}, { wrapper: machine.wrapper });
    for (const [machine, name] of [
      [first, `${NAME}.local`],
      [second, other],
    ] as const) {
      const shown = async () =>
        (await machine.program.run(["tls", "show"], { wrapper: machine.wrapper })).stdout;
      await until("its certificate has the name", async () => (await shown()).includes(name));
      const ca = join(machine.program.dataDir, "tls", "flanco-ca.crt");
      const from = machine === first ? second : first;
      const [, address = ""] = from.run("avahi-resolve", "-4", "--name", name).trim().split("\t");
      expect(address).to.equal(machine.address);
      const visit = [process.execPath, "--eval", VISIT, `https://${name}:8443/healthz`, address, ca];
      expect(from.run(...visit).trim()).to.equal("200");
      const screen = machine.run("sh", "-c", `timeout 5 bash ${CONSOLE} 2>/dev/null || true`);
      expect(screen).to.contain(`https://${address}:8443/`).and.to.contain(`https://${name}:8443/`);
    }
    expect(await first.doctor()).to.deep.equal({ fine: true, message: `${NAME}.local` });
    const lost = await second.doctor();
    expect(lost).to.deep.equal({
      fine: false,
      message: `This machine is called ${NAME}.local, and announced as ${other}. The gateway at https://${first.address}:8443/ has the name ${NAME}.local.`,
    });
    second.run("hostname", "clinica-sur");
    const renamed = await second.doctor();
    expect(renamed.message).to.contain(
      `This machine is called clinica-sur.local, and announced as ${other}.`,
    );
  });
});
