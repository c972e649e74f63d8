import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect } from "chai";
import * as z from "zod";
import { installFor } from "../../scripts/debian.ts";
import { OpenSsl, RSA_2048 } from "../net/tls/openssl.ts";
import { Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const TESTSSL = "/usr/bin/testssl";
/** What testssl.sh itself calls a finding to act on, and its own failing. */
const BAD: ReadonlySet<string> = new Set(["LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL"]);
/** What an authority of one's own implies, whatever is done well. */
const IMPLIED = [
  // No scanner has been told to trust it.
  "cert_chain_of_trust",
  // It revokes nothing: it signs one leaf, and goes when that is stolen.
  "cert_revocation",
  // A record of public DNS, for names that public DNS has.
  "DNS_CAArecord",
  // The page that explains how to trust the appliance must open before the browser trusts it.
  "HSTS",
];
/** Of each kind of check one that must have been made. */
const CHECKED = [
  ...["SSLv2", "SSLv3", "TLS1", "TLS1_1", "TLS1_2", "TLS1_3", "cipherlist_NULL", "cipherlist_STRONG"],
  ...["cert_signatureAlgorithm", "cert_trust", "secure_client_renego", "heartbleed", "CRIME_TLS", "BREACH"],
  ...["SWEET32", "FREAK", "LOGJAM", "BEAST", "LUCKY13", "RC4", "cipher_order", "HSTS"],
];

const findings = z.array(z.object({ id: z.string(), severity: z.string(), finding: z.string() }));

describe("testssl.sh", () => {
  const directory = forSuite(() => new TemporaryDirectory());
  before(() => installFor("TLS scan"));

  /** Scans a port of loopback; gives all that it found. */
  async function scan(port: number, ...options: readonly string[]) {
    const file = directory.file(`${port}.json`);
    const quiet = ["--warnings", "off", "--quiet", "--color", "0", "--nodns", "none", "--ip", "127.0.0.1"];
    const child = spawn(TESTSSL, [...quiet, ...options, "--jsonfile", file, `localhost:${port}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    await once(child, "close");
    if (!existsSync(file)) throw new Error(`testssl.sh has written nothing: ${said}`);
    return findings.parse(JSON.parse(readFileSync(file, "utf8")));
  }

  it("finds nothing of LOW or above on the appliance but what its own authority implies", async () => {
    const appliance = await Program.make();
    await appliance.start();
    try {
      const found = await scan(appliance.httpsPort);
      const ids = new Set(found.map(({ id }) => id));
      expect(CHECKED.filter((id) => !ids.has(id))).to.deep.equal([]);
      const bad = found.filter(({ severity }) => BAD.has(severity));
      const unexpected = bad.filter(({ id }) => !IMPLIED.includes(id));
      expect(unexpected.map(({ id, severity, finding }) => `${severity} ${id}: ${finding}`)).to.deep.equal(
        [],
      );
    } finally {
      await appliance.close();
    }
  });

  it("finds the weaknesses of a server that accepts every cipher", async () => {
    const openssl = new OpenSsl();
    const made = openssl.make({ extensions: ["subjectAltName=DNS:localhost"], key: RSA_2048 });
    openssl.close();
    const server = createTlsServer({ ...made, minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" });
    server.on("tlsClientError", () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const found = await scan(portOf(server), "--protocols", "--std");
      const bad = found.filter(({ severity }) => BAD.has(severity)).map(({ id }) => id);
      expect(bad).to.include.members(["TLS1", "TLS1_1", "cipherlist_AVERAGE"]);
    } finally {
      server.close();
    }
  });
});

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address() as AddressInfo;
  return address.port;
}
