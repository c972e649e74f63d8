import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import { DataLock } from "../../../src/store/ledger/lock.ts";

describe("the lock of a data directory", () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-lock-"));
    file = join(directory, "flanco.lock");
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  function refusal(): FlancoError {
    const lock = new DataLock(file);
    try {
      lock.acquire();
    } catch (error) {
      if (error instanceof FlancoError) return error;
      throw error;
    }
    lock.release();
    throw new Error("The lock was given.");
  }

  it("is one process's at a time", () => {
    const lock = new DataLock(file);
    lock.acquire();
    expect(refusal().code).to.equal("conflict");
    lock.release();
    lock.acquire();
    lock.release();
  });

  it("names its file when that is damaged, and says that it may be removed", () => {
    writeFileSync(file, "this is no database".repeat(100));
    const { code, message, hint } = refusal();
    expect(code).to.equal("unavailable");
    expect(message).to.equal(`The lock file ${file} cannot be used (SQLITE_NOTADB).`);
    expect(hint).to.contain("remove it");
  });

  it("names its file when that cannot be opened", () => {
    mkdirSync(file);
    const { code, message, hint } = refusal();
    expect(code).to.equal("unavailable");
    expect(message).to.equal(`The lock file ${file} cannot be used (SQLITE_CANTOPEN).`);
    expect(hint).to.contain("may write to the data directory");
  });

  it("names its file when the directory is not there", () => {
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    file = join(directory, "gone", "flanco.lock");
    expect(refusal().code).to.equal("unavailable");
  });
});
