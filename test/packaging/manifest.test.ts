import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { isSigned, manifestFiles, signManifest, sumsOf } from "../../scripts/release/manifest.ts";
import { CHECKOUT } from "../rig/program.ts";

/** SHA-256 of "abc" (FIPS 180-2, appendix B.1). */
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

describe("A release's manifest", () => {
  let directory: string;
  let privateKey: string;
  let publicKey: string;
  let otherKey: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-manifest-"));
    const write = (name: string, text: string | Buffer) => {
      const file = join(directory, name);
      writeFileSync(file, text);
      return file;
    };
    const pair = generateKeyPairSync("ed25519");
    privateKey = write("key.pem", pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    publicKey = write("key.pub.pem", pair.publicKey.export({ type: "spki", format: "pem" }));
    const other = generateKeyPairSync("ed25519").publicKey;
    otherKey = write("other.pub.pem", other.export({ type: "spki", format: "pem" }));
    write("flanco", "abc");
  });
  after(() => rmSync(directory, { recursive: true }));

  it("names each file with its size and SHA-256, as sha256sum reads it too", () => {
    const file = join(directory, "flanco");
    expect(manifestFiles([file])).to.deep.equal([{ name: "flanco", bytes: 3, sha256: ABC }]);
    expect(sumsOf([file])).to.equal(`${ABC}  flanco\n`);
  });

  it("is signed by its key alone, and as it is", () => {
    const text = '{ "name": "flanco" }\n';
    const signature = signManifest(text, privateKey);
    expect(isSigned(text, signature, publicKey)).to.equal(true);
    expect(isSigned(`${text} `, signature, publicKey)).to.equal(false);
    expect(isSigned(text, signature, otherKey)).to.equal(false);
  });

  it("is not signed with a file that holds no Ed25519 key", () => {
    expect(() => signManifest("{}", join(directory, "flanco"))).to.throw("holds no key");
    const rsa = join(directory, "rsa.pem");
    writeFileSync(
      rsa,
      generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
    );
    expect(() => signManifest("{}", rsa)).to.throw("holds no Ed25519 key");
  });

  it("is checked by the commands that the document names, and an altered one is not", () => {
    const [makeKey = "", makePublic = "", decode = "", check = "", sums = ""] = documented();
    const run = (command: string) => spawnSync("sh", ["-c", command], { cwd: directory, encoding: "utf8" });
    for (const command of [makeKey, makePublic]) expect(run(command).status, command).to.equal(0);
    const text = '{ "name": "flanco" }\n';
    writeFileSync(join(directory, "manifest.json"), text);
    writeFileSync(join(directory, "manifest.json.sig"), signManifest(text, join(directory, "release.pem")));
    writeFileSync(join(directory, "SHA256SUMS"), sumsOf([join(directory, "flanco")]));
    for (const command of [decode, check, sums]) expect(run(command).status, command).to.equal(0);
    writeFileSync(join(directory, "manifest.json"), `${text} `);
    expect(run(check).status).not.to.equal(0);
    writeFileSync(join(directory, "flanco"), "abd");
    expect(run(sums).status).not.to.equal(0);
  });
});

/** The commands of the document's chapter on the signature, in their order. */
function documented(): string[] {
  const text = readFileSync(join(CHECKOUT, "docs", "packaging.md"), "utf8");
  const [, chapter = ""] = text.split("## The signature");
  return [...chapter.matchAll(/`((?:openssl|base64|sha256sum) [^`]+)`/g)].map(([, command = ""]) => command);
}
