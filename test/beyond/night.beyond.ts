import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { makePassphrase, setSetup } from "../../src/contract/sink.ts";
import { DiskTrial } from "../faults/disk-trial.ts";
import { Variants } from "../faults/variant.ts";
import { CONTROLS } from "../rig/controls.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { RemoteServer } from "./remote-server.ts";

/** A pulse comes within each minute; a monitor grants some seconds more. */
const SILENT_MS = 75_000;
/** With room for backups, and for the copy of an upgrade. */
const DISK_MEBIBYTES = 128;
const OFF_MS = 100_000;
const BACKUP_MS = 240_000;
const NIGHT_MS = 1_200_000;

/** A monitor outside of the gateway: when it was called, and what it was told of. */
class Monitor {
  readonly pulses: { readonly atMs: number; readonly wrong: string }[] = [];
  readonly #server: Server = createServer(async (request, answer) => {
    const wrong = request.url?.endsWith("/fail") === true ? await text(request) : "";
    this.pulses.push({ atMs: Date.now(), wrong });
    answer.end("OK");
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ping/token`;
  }

  /** Called again after this moment, and told of this. */
  async hears(what: string, isSo: (wrong: string) => boolean): Promise<void> {
    const fromMs = Date.now();
    const isHeard = () => this.pulses.some(({ atMs, wrong }) => atMs > fromMs && isSo(wrong));
    await until(`the monitor hears ${what}`, isHeard, 2 * SILENT_MS).catch((error: unknown) => {
      throw new Error(JSON.stringify(this.pulses.slice(-5)), { cause: error });
    });
  }

  /** When it was not called for longer than a monitor waits. */
  silences(): readonly { readonly fromMs: number; readonly toMs: number }[] {
    return this.pulses.slice(1).flatMap(({ atMs }, index) => {
      const fromMs = this.pulses[index]?.atMs ?? atMs;
      return atMs - fromMs > SILENT_MS ? [{ fromMs, toMs: atMs }] : [];
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe("A night of a clinic", () => {
  const trial = forEachTest(() => DiskTrial.make(DISK_MEBIBYTES));
  const variants = forEachTest(() => new Variants());
  const monitor = forEachTest(() => new Monitor().open());
  const remote = forEachTest(() => new RemoteServer("webdav").start());

  it("has each sale once, a backup abroad, and a monitor that hears of each silence and each fault, and of nothing else", async function () {
    this.timeout(NIGHT_MS);
    const storedBackups = () =>
      execFileSync("find", [remote.stored, "-name", "*.db.json.bin"], { encoding: "utf8" }).split("\n")
        .length - 1;

    await trial.start();
    await trial.remote.ask(setSetup, { body: { name: "pulse", values: { pulse_url: monitor.url } } });
    const values = {
      remote_address: remote.address,
      remote_login: remote.login,
      remote_password: remote.password,
      remote_authority: readFileSync(remote.authorityFile, "utf8"),
    };
    await trial.remote.ask(setSetup, { body: { name: "remote", values } });
    await trial.remote.ask(makePassphrase, {});
    await monitor.hears("that all is well", (wrong) => wrong === "");
    await trial.switchTimes(4);
    await until("the first backup is abroad", () => storedBackups() === 1, BACKUP_MS);

    // A crash, after which systemd starts it again.
    await trial.service.end("SIGKILL");
    await trial.start();
    await trial.switchTimes(4);

    // An update whose ledger has another schema.
    const program = variants.program(CONTROLS["the ledger has a later schema"]);
    await trial.service.end("SIGTERM");
    await trial.start({ program });
    await trial.switchTimes(4);
    await monitor.hears("that all is well", (wrong) => wrong === "");

    // The power is away for longer than a monitor waits.
    await trial.service.end("SIGKILL");
    const [offMs] = [Date.now(), await pause(OFF_MS)];
    const onMs = Date.now();
    await trial.start({ program });
    await monitor.hears("that all is well", (wrong) => wrong === "");
    await trial.switchTimes(4);

    await until("a backup of the new schema is abroad", () => storedBackups() >= 2, BACKUP_MS);

    const fullMs = Date.now();
    await trial.fillUp();
    await monitor.hears("of the full disk", (wrong) => wrong.includes("disk_full"));
    trial.disk.free();
    await monitor.hears("that all is well again", (wrong) => wrong === "");
    const wellMs = Date.now();
    await until("every sale is in", () => trial.edgeRecords === trial.edges / 2);

    await trial.service.end("SIGTERM");
    const [silence, ...others] = monitor.silences();
    expect(others).to.deep.equal([]);
    expect(silence?.fromMs).to.be.at.most(offMs);
    expect(silence?.toMs).to.be.at.least(onMs);
    const told = monitor.pulses.filter(({ wrong }) => wrong !== "");
    expect(told.filter(({ atMs }) => atMs < fullMs || atMs > wellMs)).to.deep.equal([]);
    trial.expectAcknowledged();
    const verified = trial.appliance.spawn(["verify", "--json"], { program });
    expect(JSON.parse(await text(verified.stdout ?? expect.fail()))).to.deep.include({
      findings: [],
      damage: [],
    });
  });
});
