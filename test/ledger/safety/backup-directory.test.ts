import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  chooseBackup,
  findBackups,
  foreignBackups,
  mountedDisks,
  writeProof,
} from "../../../src/ledger/safety/backup-directory.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { aBackup } from "../../service/upkeep-rig.ts";

const OWN = "a".repeat(32);
const OTHER = "b".repeat(32);

describe("The search for a backup", () => {
  const disk = forEachTest(() => new TemporaryDirectory());

  function leave(folder: string, ledger: string, number: number): string {
    const file = `flanco-2026010${number}T120000Z.db`;
    const directory = disk.file(folder, ledger);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), "x");
    writeProof(directory, aBackup({ ledger, file, number, commits: number, locations: ["Clínica"] }));
    return join(directory, file);
  }

  const found = () => findBackups([disk.path]);

  it("takes the newest by its commits, of the ledger here, in folders below the disk's top", () => {
    leave("flanco", OTHER, 9);
    leave("", OWN, 1);
    const newest = leave("copies/flanco", OWN, 3);
    leave("flanco", OWN, 2);
    leave("much/too/deep", OWN, 8);
    expect(chooseBackup(found(), [OWN]).path).to.equal(newest);
  });

  it("takes the only ledger's on a new gateway, and asks which one of several", async () => {
    expect(await codeOf(async () => chooseBackup(found(), []))).to.equal("not_found");
    const only = leave("flanco", OTHER, 1);
    expect(chooseBackup(found(), []).path).to.equal(only);
    leave("flanco", OWN, 1);
    const choose = () => chooseBackup(found(), []);
    expect(await codeOf(async () => choose())).to.equal("conflict");
    expect(choose).to.throw(only);
  });

  it("of other ledgers passes over what cannot be read as a folder", () => {
    leave("", OTHER, 1);
    writeFileSync(disk.file("c".repeat(32)), "");
    const foreign = foreignBackups(disk.path, [OWN]);
    expect(foreign.map(({ ledger }) => ledger)).to.deep.equal([OTHER]);
  });

  it("passes over a file without a proof", () => {
    mkdirSync(disk.file(OWN));
    writeFileSync(disk.file(OWN, "flanco-20260101T120000Z.db"), "x");
    expect(found()).to.deep.equal([]);
  });

  it("looks at mounted disks, and not at the root file system's or the data directory's", () => {
    const mounts = disk.file("mounts");
    writeFileSync(
      mounts,
      ["proc /proc proc rw 0 0", "/dev/a / ext4 rw 0 0", "/dev/b /dev/sh\\155 vfat rw 0 0", ""].join("\n"),
    );
    expect(mountedDisks("/nowhere", mounts)).to.deep.equal(["/dev/shm"]);
    expect(mountedDisks("/dev/shm/flanco", mounts)).to.deep.equal([]);
  });
});
