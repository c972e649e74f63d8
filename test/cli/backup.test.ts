import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { query } from "../rig/ledger-file.ts";
import { onlyLine, PASSWORD, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { EMAIL, seededProgram } from "./ledger.ts";

const SALES = Array.from({ length: 50 }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
const HALF = 25;

interface Status {
  readonly data: {
    readonly lastBackup: { readonly records: number } | null;
    readonly faults: readonly { readonly code: string; readonly message: string }[];
  };
}

describe("flanco backup and flanco restore", () => {
  const program = forEachTest(() => seededProgram(SALES.slice(0, HALF)));

  async function backUp(): Promise<string> {
    const [made] = JSON.parse(await program.succeed(["backup", "--json"])) as {
      directory: string;
      file: string;
    }[];
    return join(made?.directory ?? "", made?.file ?? "");
  }

  it("make a proven backup beside the running service, and restore it once the service is stopped", async () => {
    const service = await program.start();
    const said = await program.succeed(["backup"]);
    expect(said).to.match(/backups\/[0-9a-f]{32}\/flanco-\d{8}T\d{6}Z\.db: 25 records, checked in full\.\n$/);
    const file = said.split(": ")[0] ?? "";
    expect(await program.refused(["restore", file])).to.include(
      "Another flanco is using this data directory.",
    );
    await service.end("SIGTERM");
    const restored = await program.succeed(["restore", file]);
    expect(restored).to.include("holds 25 records, the newest of 2026-01-01T12:24:00.000Z");
    expect(restored).to.match(
      /kept as .*flanco\.db\.replaced-\d{8}T\d{6}Z\.\nNone of its records is missing\.\n$/,
    );
    expect(await program.succeed(["verify"])).to.include("25 records");
  });

  it("say of a backup that is named which voids it lacks: their records count again", async () => {
    const file = await backUp();
    const [record] = JSON.parse(`[${(await program.succeed(["export"])).trim().split("\n").at(-1)}]`) as [
      { key: string },
    ];
    await program.succeed(["void", record.key.split("/")[1] ?? "", "--reason", "relay tested"]);
    expect(await program.succeed(["restore", file])).to.match(
      /\nNone of its records is missing\. Voids are missing, whose records count again \(flanco audit names them\): 1\.\n/,
    );
    expect(await program.succeed(["audit"])).to.match(/\trecord_voided\t/);
  });

  it("go to a directory that is named, and end with 3 where a removable disk is not mounted", async () => {
    const elsewhere = join(program.directory, "elsewhere");
    await program.succeed(["backup", "--to", elsewhere]);
    expect(
      readdirSync(elsewhere, { encoding: "utf8", recursive: true }).filter((name) => name.endsWith(".db")),
    ).to.have.length(1);
    const environment = { FLANCO_BACKUP_DISK_DIR: "/nowhere/disk" };
    const skipped = await program.call(["backup"], "", environment);
    expect(skipped.exitCode).to.equal(3);
    expect(skipped.stdout).to.match(/backups\/.*: 25 records, checked in full\.\n$/);
    expect(onlyLine(skipped)).to.include("No disk is mounted at /nowhere/disk");
  });

  it("let a service start with a damaged ledger: it is set aside, rebuilt, and reported in the status", async () => {
    await backUp();
    truncateSync(program.ledgerFile, 40_960);
    const service = await program.start();
    expect(readdirSync(program.dataDir).filter((name) => /\.damaged-\w+$/.test(name))).to.have.length(1);
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const { data } = (await (await service.get("/api/status", cookie)).json()) as Status;
    const { stdout } = await program.call(["status", "--json"]);
    expect((JSON.parse(stdout) as Status["data"]).lastBackup?.records).to.equal(HALF);
    expect(data.faults.map(({ code }) => code)).to.include("records_lost");
    const verified = await program.call(["verify"]);
    expect([verified.exitCode, verified.stderr]).to.satisfy(
      ([exitCode, stderr]: [number, string]) => exitCode === 3 && / is lost .*a damaged file/.test(stderr),
    );
    await program.succeed(["verify", "--acknowledge", "Ana Ruiz"]);
    expect(await program.succeed(["verify"])).to.include("25 records");
    const after = JSON.parse((await program.call(["status", "--json"])).stdout) as Status["data"];
    expect(after.faults.map(({ code }) => code)).not.to.include("records_lost");
  });

  it("repair damage that a start does not see, once flanco verify has found it; other commands name that", async () => {
    await backUp();
    damageFirstRecords(program.ledgerFile);
    expect(await program.refused(["export"])).to.include("run flanco verify");
    const verified = await program.call(["verify"]);
    expect(verified.exitCode).to.equal(1);
    expect(verified.stderr).to.match(/Start the service( again)?: it sets/);
    await program.start();
    expect(readdirSync(program.dataDir).filter((name) => /\.damaged-\w+$/.test(name))).to.have.length(1);
    expect((await program.call(["verify"])).stderr).not.to.include("The ledger's file is damaged");
  });
});

describe("A start without the ledger's file, which is gone,", () => {
  const program = forEachTest(() => Program.make());

  it("makes it again of backup and tail, also before the first backup, and nothing is lost", async () => {
    const people = ["ana", "eva"];
    for (const name of people) {
      const service = await program.start();
      await program.succeed(["user", "add", "--email", `${name}@example.org`, "--name", name, "--link"]);
      await service.end("SIGTERM");
      rmSync(program.ledgerFile);
      expect(await program.refused(["user", "list"])).to.include("Start the service");
      if (name === "eva") break;
      await (await program.start()).end("SIGTERM");
      await program.succeed(["backup"]);
    }
    await program.start();
    const users = JSON.parse(await program.succeed(["user", "list", "--json"])) as { name: string }[];
    expect(users.map(({ name }) => name)).to.have.members(people);
    expect((await program.call(["verify"])).exitCode).to.equal(0);
  });
});

/** Overwrites the first leaf of the table of records. */
function damageFirstRecords(file: string): void {
  const { rootpage } = query<{ rootpage: number }>(
    file,
    "SELECT rootpage FROM sqlite_schema WHERE name = 'record'",
  )[0] ?? { rootpage: 0 };
  const content = readFileSync(file);
  const PAGE_BYTES = 1_024;
  const root = content.subarray((rootpage - 1) * PAGE_BYTES);
  // Of an interior page: behind its header, where its first cell is, which begins with the number of the page below.
  const leaf = root.readUInt32BE(root.readUInt16BE(12));
  content.fill(0, (leaf - 1) * PAGE_BYTES, leaf * PAGE_BYTES);
  writeFileSync(file, content);
}
