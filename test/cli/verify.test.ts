import { rmSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { change, readIn } from "../rig/ledger-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { FIRST_RECORD, seededProgram } from "./ledger.ts";

/** One sale on the last day of 2025 and two on the first of 2026. */
const SALES = [Date.UTC(2025, 11, 31, 23, 30), Date.UTC(2026, 0, 1, 0, 30), Date.UTC(2026, 0, 1, 12)];

const SOUND = { records: 3, entries: FIRST_RECORD + 2, findings: [], unlisted: 0, damage: [], copies: [] };

describe("flanco verify", () => {
  const program = forEachTest(() => seededProgram(SALES));

  it("says that file and rollups are right, also as JSON", async () => {
    expect(await program.succeed(["verify"])).to.equal("3 records: file, chain and rollups are right.\n");
    const json = (await program.call(["verify", "--json"])).stdout;
    expect(JSON.parse(json)).to.deep.equal(SOUND);
  });

  it("says in one line what to do where a failing disk does not show the backups", async () => {
    const [{ directory }] = JSON.parse(await program.succeed(["backup", "--json"])) as [
      { directory: string },
    ];
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "no folder");
    expect(await program.refused(["verify"])).to.match(/ENOTDIR.*Check that the disk is mounted\.$/);
  });

  it("finds a report's fingerprint on the chain, and says so where it is not there", async () => {
    const head = readIn(program.ledgerFile, (reader) => reader.chainHead());
    expect(await program.succeed(["verify", "--head", head.slice(0, 16).toUpperCase()])).to.equal(
      `3 records: file, chain and rollups are right.\n${head} is entry ${SOUND.entries} of ${SOUND.entries}.\n`,
    );
    const other = await program.call(["verify", "--head", "f".repeat(64)]);
    expect(other.exitCode).to.equal(3);
    expect(other.stderr).to.contain(`No entry of this ledger has the fingerprint ${"f".repeat(64)}.`);
    expect((await program.call(["verify", "--head", "12345"])).exitCode).to.equal(2);
  });

  it("names each rollup that was changed by hand, and what the records say instead", async () => {
    change(
      program.ledgerFile,
      "UPDATE rollup_day SET total_micros = total_micros + 1000000 WHERE day = 20260101",
    );
    change(program.ledgerFile, "DELETE FROM rollup_month WHERE month = 202512");
    const wrong = await program.call(["verify"]);
    expect(wrong.exitCode).to.equal(3);
    expect(wrong.stdout).to.equal("");
    expect(wrong.stderr.trimEnd().split("\n")).to.deep.equal([
      "flanco: The check of the ledger has findings:",
      "flanco: rollup_day 20260101, Clínica, device 7234: holds 2 records, 9000000 millionths; the records say 2 records, 8000000 millionths. Sales: 0 of ana@example.org, 1 in all.",
      "flanco: rollup_month 202512, Clínica, device 7234: holds 0 records, 0 millionths; the records say 1 records, 4000000 millionths. Sales: -1 of ana@example.org, -4 in all.",
      "flanco: Keep a copy of the data directory and of the backups. The owner acknowledges what is explained: flanco verify --acknowledge NAME.",
    ]);
    const json = await program.call(["verify", "--json"]);
    expect(json.exitCode).to.equal(3);
    const { findings } = JSON.parse(json.stdout) as { findings: { kind: string; costs: object[] }[] };
    const account = "ana@example.org";
    expect(findings.map(({ kind, costs }) => [kind, costs])).to.deep.equal([
      ["sum", [{ account, sales: 0, revenue: 1 }]],
      ["sum", [{ account, sales: -1, revenue: -4 }]],
    ]);
  });

  it("lists a finding until the owner acknowledges it, beside a running service too, and then a new one", async () => {
    change(program.ledgerFile, `UPDATE record SET room = '9' WHERE record_id = ${FIRST_RECORD}`);
    expect((await program.call(["verify"])).stderr).to.contain(`The entry ${FIRST_RECORD} was altered`);
    const service = await program.start();
    const acknowledged = await program.succeed([
      "verify",
      "--acknowledge",
      "Ana Ruiz",
      "--reason",
      "a typing mistake",
    ]);
    expect(acknowledged).to.contain("Acknowledged by Ana Ruiz: 1.");
    expect(await program.succeed(["verify"])).to.contain("Findings that were acknowledged: 1.");
    const audit = await program.succeed(["audit"]);
    expect(audit).to.match(
      /findings_acknowledged\tby a command of root \(ana\)\tname="Ana Ruiz" reason="a typing mistake"/,
    );
    await service.end("SIGTERM");
    change(program.ledgerFile, `UPDATE record SET room = '9' WHERE record_id = ${FIRST_RECORD + 1}`);
    const later = await program.call(["verify"]);
    expect(later.exitCode).to.equal(3);
    expect(later.stderr).to.contain(`The entry ${FIRST_RECORD + 1} was altered`);
    expect(later.stderr).not.to.contain(`The entry ${FIRST_RECORD} `);
  });
});
