import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { installFor } from "../../scripts/debian.ts";
import { buildPackage } from "../../scripts/release/package.ts";
import { isOwn } from "../../scripts/release/processor.ts";
import { seedLedger } from "../cli/ledger.ts";
import { CHECKOUT, PASSWORD } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { buildSealed, makeSealed, TESTED, WORK } from "./sealed.ts";

const MAX_BYTES = { x64: 114_000_000, arm64: 109_000_000 };
/** Memory of an idle service that the kernel cannot read from a file again: what is left once V8 has given back what it does not need. */
const MAX_IDLE_KB = 43_000;
const EPOCH_SECONDS = 1_763_000_000;
/** It unpacks and reads a hundred megabytes. */
const LINTIAN_MS = 600_000;
const SETTLED_MS = 60_000;
const ADD_EVA = ["user", "add", "--email", "eva@example.org", "--name", "Eva", "--password-stdin"];
const RECORD = {
  locationName: "Clínica",
  locationId: "1",
  deviceId: "7234",
  deviceName: "Pasillo A",
  habitacion: "101",
  valor: 4.5,
  createdTime: 1_763_000_000_000,
};
interface RecordAnswer {
  readonly number: number;
}

/** One of each kind beside the running service, and what they are told. */
const COMMANDS: readonly (readonly [string, string?])[] = [
  ["--version"],
  ["--help"],
  ["config check"],
  ["config show"],
  ["health"],
  ["user add --email eva@example.org --name Eva --password-stdin", PASSWORD],
  ["user passwd --email eva@example.org --password-stdin", `${PASSWORD} two`],
  ["user list --json"],
  ["user remove --email eva@example.org"],
  ["gpio detect"],
  ["gpio info SIM0"],
  ["wiring list"],
  ["wiring export"],
  ["status --json"],
  ["verify --json"],
  ["backup"],
];

for (const processor of TESTED) {
  describe(`The sealed program for ${processor.debian}`, () => {
    let binary: string;
    const sealed = forEachTest(() => makeSealed(binary, processor));

    before(async () => {
      binary = await buildSealed(processor);
    });

    it("is no larger than promised, and names no path of the machine that built it", () => {
      expect(statSync(binary).size).to.be.at.most(MAX_BYTES[processor.node]);
      const content = readFileSync(binary);
      expect(content.includes("../source/start.cjs")).to.equal(true);
      for (const path of [CHECKOUT, WORK]) expect(content.includes(path), path).to.equal(false);
    });

    // It warns where V8 does not take a code cache: one that another Node made, another processor or with other options.
    it("starts from its code caches", async () => {
      expect(await sealed.run(["--version"])).to.include({ exitCode: 0, stderr: "" });
      const service = await sealed.start({ FLANCO_LOG_LEVEL: "error" });
      expect((await service.end("SIGTERM")).exitCode).to.equal(0);
      expect(service.stderr).not.to.contain("code cache");
    });

    it("serves page and API, records, and is asked by every command", async () => {
      const service = await sealed.start();
      const cookie = await service.makeFirstUser();
      const page = await service.get("/");
      const html = await page.text();
      const [script = ""] = /\/assets\/app-[^"]+\.js/.exec(html) ?? [];
      expect((await service.get(script)).headers.get("content-encoding")).to.equal("gzip");
      expect((await service.post("/api/data", RECORD, cookie)).status).to.equal(201);
      expect((await service.get("/api/openapi.json")).status).to.equal(200);
      const { data } = (await (await service.get("/api/record", cookie)).json()) as { data: [RecordAnswer] };
      const voids = [`void ${data[0].number} --reason tested`] as const;
      for (const [line, input = ""] of [voids, ...COMMANDS]) {
        const { exitCode, stderr } = await sealed.run(line.split(" "), { input });
        // This service has faults to report.
        expect(exitCode, `flanco ${line}: ${stderr}`).to.be.within(0, line.startsWith("status") ? 1 : 0);
      }
      expect((await service.end("SIGTERM")).exitCode).to.equal(0);
      expect((await sealed.run(["verify"])).exitCode).to.equal(0);
    });

    it("does long work in a process of its own", async () => {
      await seedLedger(sealed.ledgerFile, [RECORD.createdTime]);
      const service = await sealed.start({ FLANCO_TIME_ZONE: "Europe/Madrid", FLANCO_LOG_LEVEL: "info" });
      expect(service.stderr).to.contain("the ledger is being prepared");
      expect((await service.end("SIGTERM")).exitCode).to.equal(0);
    });

    it("makes a package that Debian's lintian has nothing to say of", async function () {
      this.timeout(LINTIAN_MS);
      installFor("package check");
      const target = join(WORK, `flanco-tested_${processor.debian}.deb`);
      const common = { processor, checkout: CHECKOUT, directory: WORK, epochSeconds: EPOCH_SECONDS };
      await buildPackage({ ...common, version: "0.0.1", binary, target, quick: true });
      const checked = spawnSync("lintian", ["--fail-on", "error,warning", target], { encoding: "utf8" });
      expect(checked.stdout).to.equal("");
      expect(checked.status, checked.stderr).to.equal(0);
    });

    it("says mistakes in one line, without a stack", async () => {
      const { exitCode, stderr } = await sealed.run(["verify"]);
      expect(exitCode).to.equal(1);
      expect(stderr.trim().split("\n")).to.have.length(1);
    });

    it("runs no code that NODE_OPTIONS names, in no thread", async () => {
      const mark = join(sealed.directory, "ran");
      const code = join(sealed.directory, "code.cjs");
      writeFileSync(code, `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`);
      const service = await sealed.start({ NODE_OPTIONS: `--require=${code}` });
      await service.makeFirstUser();
      await service.end("SIGTERM");
      expect(existsSync(mark)).to.equal(false);
    });

    if (isOwn(processor)) {
      it("idles within the promised memory", async () => {
        const service = await sealed.start({ FLANCO_GPIO_DRIVER: "none", MALLOC_ARENA_MAX: "1" });
        const anonymousKb = () =>
          Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]);
        await until("its memory is small", () => anonymousKb() <= MAX_IDLE_KB, SETTLED_MS);
        expect((await service.get("/healthz")).status).to.equal(200);
      });

      const MOUNTED: Readonly<Record<string, string>> = {
        "without a home": "exec env -u HOME -u XDG_CACHE_HOME",
        "where /run, /dev/shm and /tmp run no programs":
          "for d in /run /dev/shm; do mount -t tmpfs -o noexec tmpfs $d; done; exec env",
        "on a file system that is read-only":
          "mount -t tmpfs tmpfs /dev/shm; mount --bind $0 $0; mount -o remount,ro,bind /; exec env",
      };
      for (const [where, script] of Object.entries(MOUNTED)) {
        it(`starts ${where}`, async () => {
          const wrapper = ["unshare", "--mount", "sh", "-ec", `${script} "$@"`, sealed.directory];
          const { exitCode, stderr } = await sealed.run(ADD_EVA, { input: PASSWORD, wrapper });
          expect(stderr).to.equal("");
          expect(exitCode).to.equal(0);
        });
      }

      it("says in one line where it can put its native parts nowhere", async () => {
        const script = `mount -t tmpfs tmpfs /mnt; cp "$1" /mnt/flanco; shift
          for d in /run /dev/shm /var/tmp; do mount -t tmpfs -o noexec tmpfs $d; done
          mount --bind /tmp /tmp; mount -o remount,noexec,bind /tmp; exec /mnt/flanco "$@"`;
        const wrapper = ["unshare", "--mount", "sh", "-ec", script, "sh"];
        const { exitCode, stderr } = await sealed.run(ADD_EVA, { input: PASSWORD, wrapper });
        expect(exitCode).to.equal(1);
        expect(stderr).to.contain("The native part sqlite cannot be loaded");
        expect(stderr.trim().split("\n")).to.have.length(1);
      });
    }
  });
}
