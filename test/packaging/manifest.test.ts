import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { isSigned, manifestFiles, signManifest, sumsOf } from "../../scripts/release/manifest.ts";
import { CHECKOUT } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** SHA-256 of "abc" (FIPS 180-2, appendix B.1). */
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

describe("A release's manifest", () => {
  const directory = forSuite(() => new TemporaryDirectory());
  let privateKey: string;
  let publicKey: string;
  let otherKey: string;

  before(() => {
    const write = (name: string, text: string | Buffer) => {
      const file = directory.file(name);
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

  it("names each file with its size and SHA-256, as sha256sum reads it too", () => {
    const file = directory.file("flanco");
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
    expect(() => signManifest("{}", directory.file("flanco"))).to.throw("holds no key");
    const rsa = directory.file("rsa.pem");
    writeFileSync(
      rsa,
      generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
    );
    expect(() => signManifest("{}", rsa)).to.throw("holds no Ed25519 key");
  });

  it("is checked by the commands that the document names, and an altered one is not", () => {
    const [makeKey = "", makePublic = "", decode = "", check = "", sums = ""] = documented();
    const run = (command: string) =>
      spawnSync("sh", ["-c", command], { cwd: directory.path, encoding: "utf8" });
    for (const command of [makeKey, makePublic]) expect(run(command).status, command).to.equal(0);
    const text = '{ "name": "flanco" }\n';
    writeFileSync(directory.file("manifest.json"), text);
    writeFileSync(directory.file("manifest.json.sig"), signManifest(text, directory.file("release.pem")));
    writeFileSync(directory.file("SHA256SUMS"), sumsOf([directory.file("flanco")]));
    for (const command of [decode, check, sums]) expect(run(command).status, command).to.equal(0);
    writeFileSync(directory.file("manifest.json"), `${text} `);
    expect(run(check).status).not.to.equal(0);
    writeFileSync(directory.file("flanco"), "abd");
    expect(run(sums).status).not.to.equal(0);
  });
});

/** The commands of the document's chapter on the signature, in their order. */
function documented(): string[] {
  const text = readFileSync(join(CHECKOUT, "docs", "packaging.md"), "utf8");
  const [, chapter = ""] = text.split("## The signature");
  return [...chapter.matchAll(/`((?:openssl|base64|sha256sum) [^`]+)`/g)].map(([, command = ""]) => command);
}
