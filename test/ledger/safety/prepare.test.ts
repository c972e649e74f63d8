import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { prepareLedger } from "../../../src/ledger/safety/prepare.ts";
import { change } from "../../rig/ledger-file.ts";
import { thrown } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

describe("A start that must bring the ledger up to date", () => {
  const ledger = forEachTest(() => new TestLedger());
  let disk: string;
  let names: readonly string[];

  /** A disk has a backup and the tail of this program's schema. */
  beforeEach(async () => {
    ledger.tail = true;
    await ledger.open();
    const { id } = await ledger.addUser();
    await ledger.backUp();
    await ledger.writer.addRecord(id, newRecord(), null);
    const { folder } = ledger;
    await ledger.close();
    disk = join(ledger.directory, "disk");
    cpSync(folder, folder.replace(ledger.backups, disk), { recursive: true });
    names = heldBy(disk);
    expect(names.map((name) => name.split("-")[0])).to.have.members(["flanco", "flanco", "tail"]);
  });

  function heldBy(directory: string): readonly string[] {
    const files = readdirSync(ledger.folder.replace(ledger.backups, directory));
    return files.filter((name) => name !== "backup.lock");
  }

  function prepare(answering = [ledger.backups, disk]): unknown {
    return prepareLedger(
      {
        ledger: ledger.file,
        timeZone: "UTC",
        tailDirectory: answering.at(-1) ?? "",
        answering,
        directories: [ledger.backups, disk],
        nowMs: ledger.nowMs,
        damage: null,
      },
      () => {},
    );
  }

  it("first sets aside what the disks hold of a later schema: the older file was put back after it", () => {
    change(ledger.file, "PRAGMA user_version = 0");
    // No file of a schema before the first can be brought up to date.
    expect(thrown(prepare).message).to.match(/could not be brought from schema 0/);
    for (const directory of [ledger.backups, disk]) {
      expect(heldBy(directory)).to.have.members(names.map((name) => `${name}.later`));
    }
  });

  it("leaves a disk alone that does not answer", () => {
    change(ledger.file, "PRAGMA user_version = 0");
    expect(thrown(() => prepare([ledger.backups])).message).to.match(/could not be brought from schema 0/);
    expect(heldBy(disk)).to.have.members(names);
  });

  it("passes over a disk that cannot be read", () => {
    change(ledger.file, "PRAGMA user_version = 0");
    const folder = ledger.folder.replace(ledger.backups, disk);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "no directory");
    expect(thrown(prepare).message).to.match(/could not be brought from schema 0/);
    expect(heldBy(ledger.backups)).to.have.members(names.map((name) => `${name}.later`));
  });

  for (const [which, version] of [
    ["this program's schema", SCHEMA_VERSION],
    ["a later schema, which this program refuses", SCHEMA_VERSION + 1],
  ] as const) {
    it(`leaves it all in its place beside a ledger of ${which}`, () => {
      change(ledger.file, `PRAGMA user_version = ${version}`);
      if (version === SCHEMA_VERSION) expect(prepare()).to.equal(null);
      else expect(thrown(prepare).code).to.equal("too_new");
      for (const directory of [ledger.backups, disk]) expect(heldBy(directory)).to.have.members(names);
    });
  }
});
