import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import {
  areSealed,
  readGatewayFile,
  type SealedKeys,
  unseal,
  type WholeGateway,
  writeGatewayFile,
} from "../../../src/store/backup/gateway-file.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const PASSPHRASE = "una frase larga";
const KEY = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n";
const GATEWAY: WholeGateway = {
  hostName: "clinica",
  settings: { time_zone: "Europe/Madrid", host_names: ["panel.example.org"], currency_decimals: 2 },
  keys: { authority: KEY, certificates: [{ name: "site.pem", content: "a certificate" }] },
};
/** As on FAT. */
const keepsNoModes = () => false;

describe("The gateway file beside a ledger's backups", () => {
  const folder = forEachTest(() => new TemporaryDirectory());

  function sealedKeys(): SealedKeys {
    const keys = readGatewayFile(folder.path)?.keys ?? null;
    if (keys === null || !areSealed(keys)) throw new Error("The keys are not sealed.");
    return keys;
  }

  it("holds the keys for its owner alone", () => {
    expect(readGatewayFile(folder.path)).to.equal(undefined);
    expect(writeGatewayFile(folder.path, GATEWAY)).to.equal("plain");
    expect(statSync(folder.file("gateway.json")).mode & 0o777).to.equal(0o600);
    expect(readGatewayFile(folder.path)).to.deep.equal(GATEWAY);
  });

  it("leaves the keys out where the file system keeps no modes", () => {
    expect(writeGatewayFile(folder.path, GATEWAY, undefined, keepsNoModes)).to.equal("left out");
    expect(readGatewayFile(folder.path)).to.deep.equal({ ...GATEWAY, keys: null });
  });

  it("seals the keys with a passphrase, and opens them with that one alone", async () => {
    expect(writeGatewayFile(folder.path, GATEWAY, PASSPHRASE, keepsNoModes)).to.equal("sealed");
    expect(readFileSync(folder.file("gateway.json"), "utf8")).not.to.contain("PRIVATE KEY");
    expect(unseal(sealedKeys(), PASSPHRASE)).to.deep.equal(GATEWAY.keys);
    expect(await codeOf(async () => unseal(sealedKeys(), "otra frase larga"))).to.equal("unauthorized");
  });

  it("keeps sealed keys as they are, and says when they are outdated", () => {
    writeGatewayFile(folder.path, GATEWAY, PASSPHRASE);
    expect(writeGatewayFile(folder.path, { ...GATEWAY, hostName: "otra" })).to.equal("sealed");
    expect(readGatewayFile(folder.path)?.hostName).to.equal("otra");
    const others = { ...GATEWAY, keys: { authority: "another", certificates: [] } };
    expect(writeGatewayFile(folder.path, others)).to.equal("outdated");
    expect(unseal(sealedKeys(), PASSPHRASE)).to.deep.equal(GATEWAY.keys);
  });

  it("is refused where it is damaged, and a backup writes it anew", async () => {
    writeFileSync(folder.file("gateway.json"), '{"hostName": 7}');
    expect(await codeOf(async () => readGatewayFile(folder.path))).to.equal("damaged");
    expect(writeGatewayFile(folder.path, GATEWAY)).to.equal("plain");
  });
});
