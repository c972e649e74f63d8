import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { SETUP_NAMES } from "../../src/domain/sink.ts";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { segmentsIn } from "../../src/ledger/safety/tail.ts";
import { readHostNames } from "../../src/net/host-names.ts";
import { ensureOwnCertificate } from "../../src/net/tls/own-certificate.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { SinkSettings } from "../../src/service/sink-settings.ts";
import { aRecord } from "../http/bodies.ts";
import { onlyLine, PASSWORD, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { EMAIL, seededProgram, seedLedger } from "./ledger.ts";

const SALES = Array.from({ length: 5 }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
const authorityOf = ({ dataDir }: Program) => readFileSync(join(dataDir, "tls", "authority.pem"), "utf8");

interface RestoreReport {
  readonly records: number;
  readonly certificates: string;
  readonly toDo: readonly string[];
  readonly sinksKeptAs: string | null;
  readonly otherSettings: readonly string[];
}

/** Sets up on the page that daily summaries are sent. */
function setUpSummaries({ dataDir }: Program): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const directory = dataDirectoryOf(dataDir).sinks;
  const values = { notice_language: "es", notice_silent_days: 0, notice_summaries: ["daily"] };
  const setup = { name: "notice", values: { ...values, notice_quiet_hours: "" } } as const;
  new SinkSettings({ config: { sinks: {} }, directory, log: { info() {}, error() {} } }).set(setup, false);
}

describe("flanco restore on a new gateway", () => {
  const old = forEachTest(() => seededProgram(SALES));
  const fresh = forEachTest(() => Program.make());
  // Another file system than the root's, as a removable disk is.
  const disk = forEachTest(() => new TemporaryDirectory("/dev/shm/flanco-disk-"));

  beforeEach(async () => {
    // As the first start of its service would.
    const now = { clock: systemClock, clockTrusted: true };
    await ensureOwnCertificate(join(old.dataDir, "tls"), readHostNames([]), now);
  });

  const onDisk = { FLANCO_BACKUP_DISK_DIR: "" };
  const restore = (args: readonly string[] = [], input = "") =>
    fresh.call(["restore", "--json", ...args], input, { ...onDisk, FLANCO_BACKUP_DISK_DIR: disk.path });

  it("finds the disk's backup by itself, and browsers trust it as the one before", async () => {
    await old.succeed(["backup", "--to", disk.path]);
    // It was started once: it has a ledger and an authority of its own.
    const first = await fresh.start();
    await first.end("SIGTERM");
    const own = authorityOf(fresh);
    const { exitCode, stdout, stderr } = await restore();
    expect(exitCode, stderr).to.equal(0);
    expect(JSON.parse(stdout) as RestoreReport).to.deep.include({ records: 5, certificates: "restored" });
    expect(authorityOf(fresh)).to.equal(authorityOf(old)).and.not.to.equal(own);
    const service = await fresh.start();
    expect(authorityOf(fresh)).to.equal(authorityOf(old));
    await service.signIn(EMAIL, PASSWORD);
    expect(JSON.parse(await fresh.succeed(["wiring", "list", "--json"]))).to.have.length(8);
  });

  it("takes what came after the backup from the tail on the disk; a backup that is named comes as it is", async () => {
    const service = await old.start({ FLANCO_BACKUP_DISK_DIR: disk.path });
    const backUp = await old.call(["backup", "--json"], "", { FLANCO_BACKUP_DISK_DIR: disk.path });
    const backup = (JSON.parse(backUp.stdout) as { directory: string; file: string }[]).at(-1);
    const named = join(backup?.directory ?? "", backup?.file ?? "");
    await service.post("/api/data", aRecord(), await service.signIn(EMAIL, PASSWORD));
    await old.succeed(["wiring", "remove", "SIM0"]);
    await service.end("SIGTERM");
    rmSync(old.dataDir, { recursive: true });
    const { exitCode, stdout, stderr } = await restore();
    expect(exitCode, stderr).to.equal(0);
    expect((JSON.parse(stdout) as RestoreReport).records).to.equal(6);
    expect(JSON.parse(await fresh.succeed(["wiring", "list", "--json"]))).to.have.length(7);
    expect(await fresh.succeed(["verify"])).to.include("6 records: file, chain and rollups are right");
    const asNamed = JSON.parse((await restore([named])).stdout) as RestoreReport;
    expect([asNamed.records, asNamed.toDo]).to.deep.equal([5, []]);
    expect(JSON.parse(await fresh.succeed(["wiring", "list", "--json"]))).to.have.length(8);
    const folder = dirname(named);
    for (const { file } of segmentsIn(folder)) renameSync(file, join(folder, "tail-0-0000000000000001"));
    const ofOther = await restore(["--replace-ledger"]);
    expect((JSON.parse(ofOther.stdout) as RestoreReport).toDo.join()).to.include(
      "install that version, restore again",
    );
  });

  it("takes the newest backup of a folder that is named, and says of one without any what to name", async () => {
    const [{ directory }] = JSON.parse(await old.succeed(["backup", "--to", disk.path, "--json"])) as [
      { directory: string },
    ];
    for (const folder of [disk.path, directory]) {
      const { stdout } = await restore([folder]);
      expect((JSON.parse(stdout) as RestoreReport).records, folder).to.equal(5);
    }
    const refused = await restore([old.directory]);
    expect(onlyLine(refused)).to.match(/^flanco: The folder .* holds no proven backup\. Name the folder/);
    expect(refused.exitCode).to.equal(1);
  });

  it("is refused what is no file, and no name: a script's variable that was not set", async () => {
    spawnSync("mkfifo", [disk.file("pipe")]);
    for (const what of [disk.file("pipe"), "/dev/zero"]) {
      expect(onlyLine(await restore([what])), what).to.match(
        /fails its check: it is no file\. Nothing was changed/,
      );
    }
    const nameless = await restore([""]);
    expect(nameless.exitCode).to.equal(2);
    expect(nameless.stderr).to.include("It must name a backup or a folder.");
  });

  it("does not stop a service for a backup that is not there", async () => {
    await fresh.start();
    const said = join(fresh.directory, "said");
    chmodSync(fresh.write("systemctl", `#!/bin/sh\necho "$@" >> ${said}\n`), 0o755);
    const environment = { PATH: `${fresh.directory}:${process.env["PATH"]}` };
    const refused = await fresh.run(["restore", disk.file("no.db")], { environment });
    expect(onlyLine(refused)).to.include("There is no backup");
    expect(existsSync(said)).to.equal(false);
  });

  it("asks for the clinic's host name before anything changes, or makes keys of its own", async () => {
    await old.succeed(["backup", "--to", disk.path]);
    const environment = { FLANCO_BACKUP_DISK_DIR: disk.path, FLANCO_HOST_NAMES: "otra.example.org" };
    const refused = await fresh.call(["restore"], "", environment);
    expect(refused.exitCode).to.equal(1);
    expect(onlyLine(refused)).to.include(`hostnamectl set-hostname ${hostname()}`);
    const { stdout } = await fresh.call(["restore", "--without-certificates"], "", environment);
    expect(stdout).to.include("each browser must trust it once");
    expect(stdout).to.include("host_names = []");
  });

  it("turns the page's sinks off where the ledger is another one: they would get its sales", async () => {
    await old.succeed(["backup", "--to", disk.path]);
    await seedLedger(fresh.ledgerFile);
    setUpSummaries(fresh);
    const { stdout } = await restore(["--replace-ledger"]);
    const { sinksKeptAs } = JSON.parse(stdout) as RestoreReport;
    expect(sinksKeptAs).to.match(/sinks\.replaced-\d+$/);
    const { setups, decided } = JSON.parse(readFileSync(join(fresh.dataDir, "sinks", "setups.json"), "utf8"));
    expect(setups).to.deep.equal([]);
    expect(decided, "nor does a settings file set one up again").to.deep.equal(SETUP_NAMES);
    expect(readdirSync(sinksKeptAs ?? "")).to.deep.equal(["setups.json"]);
  });

  it("keeps the keys and the page's sinks of a gateway that goes back to a backup of its own", async () => {
    setUpSummaries(old);
    await old.succeed(["backup"]);
    const renewed = await old.call(["tls", "renew", "--authority"]);
    expect(renewed.exitCode, renewed.stderr).to.equal(0);
    const authority = authorityOf(old);
    const restored = JSON.parse(await old.succeed(["restore", "--json"])) as RestoreReport;
    expect(restored).to.deep.include({ records: 5, certificates: "kept", sinksKeptAs: null });
    // What the page has set up is no difference, to be set up again.
    expect(restored.otherSettings).to.deep.equal([]);
    expect(authorityOf(old)).to.equal(authority);
  });
});
