import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadSecret, replaceSecret } from "../../src/auth/secret.ts";
import { thrown } from "../gpio/rejection.ts";

describe("The secret that signs sessions", () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-secret-"));
    file = join(directory, "session.key");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is made at first start: 256 bits that its owner alone can read", () => {
    const secret = loadSecret(file);
    expect(secret.symmetricKeySize).to.equal(32);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file)).to.deep.equal(secret.export());
  });

  it("is the same at the next start", () => {
    expect(loadSecret(file).equals(loadSecret(file))).to.equal(true);
  });

  it("is another one elsewhere", () => {
    expect(loadSecret(file).equals(loadSecret(join(directory, "other.key")))).to.equal(false);
  });

  it("is made over the remains of a first start that was cut off, for its owner alone", () => {
    writeFileSync(`${file}.new`, "half", { mode: 0o644 });
    loadSecret(file);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it("is replaced whole: the next start finds the other one, for its owner alone, and no draft of it", () => {
    const before = loadSecret(file);
    const after = replaceSecret(file);
    expect(after.equals(before)).to.equal(false);
    expect(loadSecret(file).equals(after)).to.equal(true);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory)).to.deep.equal(["session.key"]);
  });

  it("stays as it is where another cannot be written", () => {
    const before = loadSecret(file);
    mkdirSync(`${file}.new`);
    expect(() => replaceSecret(file)).to.throw(Error);
    rmSync(`${file}.new`, { recursive: true });
    expect(loadSecret(file).equals(before)).to.equal(true);
  });

  for (const [what, content] of [
    ["empty", ""],
    ["cut off", "sixteen bytes ok"],
    ["too long", "x".repeat(33)],
  ] as const) {
    it(`is never replaced when the file is ${what}: it says so and leaves it as it is`, () => {
      writeFileSync(file, content);
      expect(thrown(() => loadSecret(file)).code).to.equal("damaged");
      expect(readFileSync(file, "utf8")).to.equal(content);
    });
  }
});
