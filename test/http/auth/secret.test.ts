import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { loadSecret, replaceSecret } from "../../../src/http/auth/session.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { KeptLog } from "../fakes.ts";

describe("The secret that signs sessions", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let file: string;
  let log: KeptLog;

  beforeEach(() => {
    log = new KeptLog();
    file = directory.file("session.key");
  });

  it("is made at the first start, over the draft of an interrupted one: 256 bits with mode 0600", () => {
    writeFileSync(`${file}.new`, "half", { mode: 0o644 });
    const secret = loadSecret(file, log);
    expect(secret.symmetricKeySize).to.equal(32);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file)).to.deep.equal(secret.export());
  });

  it("is the same at the next start, and differs between appliances", () => {
    const secret = loadSecret(file, log);
    expect(loadSecret(file, log).equals(secret)).to.equal(true);
    expect(log.errors).to.deep.equal([]);
    expect(loadSecret(directory.file("other.key"), log).equals(secret)).to.equal(false);
  });

  it("is replaced in one step, with mode 0600, and leaves no draft", () => {
    const before = loadSecret(file, log);
    const after = replaceSecret(file);
    expect(after.equals(before)).to.equal(false);
    expect(loadSecret(file, log).equals(after)).to.equal(true);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory.path)).to.deep.equal(["session.key"]);
  });

  it("stays as it is where another cannot be written", () => {
    const before = loadSecret(file, log);
    mkdirSync(`${file}.new`);
    expect(() => replaceSecret(file)).to.throw(Error);
    rmSync(`${file}.new`, { recursive: true });
    expect(loadSecret(file, log).equals(before)).to.equal(true);
  });

  it("is another one where the file is empty, cut off or too long: no start waits for a person", () => {
    for (const content of ["", "sixteen bytes ok", "x".repeat(33)]) {
      writeFileSync(file, content);
      const made = loadSecret(file, log);
      expect(made.symmetricKeySize).to.equal(32);
      expect(readFileSync(file)).to.deep.equal(made.export());
    }
    expect(log.errors).to.have.length(3);
  });
});
