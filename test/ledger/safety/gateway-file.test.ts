import { statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import {
  readGatewayFile,
  type WholeGatewayFile,
  writeGatewayFile,
} from "../../../src/ledger/safety/gateway-file.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const KEY = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n";
const GATEWAY: WholeGatewayFile = {
  hostName: "clinica",
  settings: { time_zone: "Europe/Madrid", host_names: ["panel.example.org"], currency_decimals: 2 },
  keys: { authority: KEY, certificates: [{ name: "site.pem", content: "a certificate" }] },
};
/** As on FAT. */
const keepsNoModes = () => false;

describe("The gateway file beside a ledger's backups", () => {
  const folder = forEachTest(() => new TemporaryDirectory());

  it("holds the keys for its owner alone", () => {
    expect(readGatewayFile(folder.path)).to.equal(undefined);
    expect(writeGatewayFile(folder.path, GATEWAY)).to.equal(true);
    expect(statSync(folder.file("gateway.json")).mode & 0o777).to.equal(0o600);
    expect(readGatewayFile(folder.path)).to.deep.equal(GATEWAY);
  });

  it("leaves the keys out where the file system keeps no modes", () => {
    expect(writeGatewayFile(folder.path, GATEWAY, keepsNoModes)).to.equal(false);
    expect(readGatewayFile(folder.path)).to.deep.equal({ ...GATEWAY, keys: null });
  });

  it("is refused where it is damaged, and a backup writes it anew", async () => {
    writeFileSync(folder.file("gateway.json"), '{"hostName": 7}');
    expect(await codeOf(async () => readGatewayFile(folder.path))).to.equal("damaged");
    expect(writeGatewayFile(folder.path, GATEWAY)).to.equal(true);
  });
});
