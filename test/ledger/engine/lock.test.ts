import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { takeLock } from "../../../src/ledger/engine/lock.ts";
import { thrown } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

describe("the lock of a data directory", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let file: string;

  beforeEach(() => {
    file = directory.file("flanco.lock");
  });

  const refusal = () => thrown(() => takeLock(file));

  it("is one process's at a time", () => {
    const release = takeLock(file);
    expect(refusal().code).to.equal("conflict");
    release();
    takeLock(file)();
  });

  it("needs no room on the disk: beside its empty file there is none", () => {
    const release = takeLock(file);
    expect(readdirSync(directory.path)).to.deep.equal(["flanco.lock"]);
    expect(statSync(file).size).to.equal(0);
    release();
  });

  it("is taken also where its file is damaged, which holds nothing, and then it is one process's", () => {
    for (const bytes of [1, 90, 100, 5_000]) {
      writeFileSync(file, "x".repeat(bytes));
      const release = takeLock(file);
      expect(refusal().code, `${bytes} bytes`).to.equal("conflict");
      release();
    }
  });

  it("names its file when that cannot be opened", () => {
    mkdirSync(file);
    const { code, message, hint } = refusal();
    expect(code).to.equal("unavailable");
    expect(message).to.equal(`The lock file ${file} cannot be used (SQLITE_CANTOPEN).`);
    expect(hint).to.contain("may write to the data directory");
  });

  it("names its file when the directory is not there", () => {
    rmSync(directory.path, { recursive: true });
    mkdirSync(directory.path);
    file = directory.file("gone", "flanco.lock");
    expect(refusal().code).to.equal("unavailable");
  });
});
