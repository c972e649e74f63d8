import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect } from "chai";
import { formatCode, parseCode } from "../../src/domain/move.ts";
import { GatewayClient, parseAddress } from "../../src/transfer/gateway-client.ts";
import { OpenSsl } from "../net/tls/openssl.ts";
import { codeOf, rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const SECRET = "0123456789abcde";
const TICKET = "t".repeat(22);
const BACKUP = Buffer.alloc(1_000_000, "backup ");
const CUT_AT = 300_000;

type Asked = { readonly path: string; readonly from: number | undefined };

describe("A gateway that fetches a clinic from another one", () => {
  const openssl = forEachTest(() => new OpenSsl());
  const folder = forEachTest(() => new TemporaryDirectory());
  let server: Server;
  let fingerprint: string;
  let asked: Asked[];
  /** How the old gateway gives its backup. */
  let give: (response: ServerResponse, from: number) => void;

  beforeEach(async () => {
    asked = [];
    give = (response, from) => response.end(BACKUP.subarray(from));
    const { key, cert } = openssl.make({ extensions: ["subjectAltName=DNS:clinica"] });
    fingerprint = new X509Certificate(cert).fingerprint256;
    server = createServer({ key, cert }, async (request, response) => {
      const path = request.url ?? "";
      const body = (await json(request)) as { from?: number };
      asked.push({ path, from: body.from });
      if (path === "/api/move/ledger") give(response, body.from ?? 0);
      else if (path === "/api/move")
        response.end(JSON.stringify({ status: "success", data: { ticket: TICKET } }));
      else
        response.end(JSON.stringify({ status: "success", data: { proof: "a proof", gateway: "a gateway" } }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function client(seen = fingerprint): GatewayClient {
    const { port } = server.address() as AddressInfo;
    const code = parseCode(formatCode(SECRET, seen)) ?? { secret: "", fingerprint: "" };
    return new GatewayClient({ host: "127.0.0.1", port }, code, 1);
  }

  const fetchTo = (file: string, bytes = BACKUP.length) => client().fetch(file, bytes, () => {});

  it("gets what the code allows, whatever signed the certificate that the code tells of", async () => {
    const old = client();
    await old.begin();
    expect(await old.clinic()).to.deep.equal({ proof: "a proof", gateway: "a gateway" });
    await fetchTo(folder.file("backup"));
    expect(readFileSync(folder.file("backup")).equals(BACKUP)).to.equal(true);
  });

  it("sends nothing to a machine with another certificate", async () => {
    const error = await rejection(client("ab".repeat(32)).begin());
    expect(error.code).to.equal("forbidden");
    expect(asked).to.deep.equal([]);
  });

  it("goes on where its connection was cut in the middle", async () => {
    let cuts = 2;
    give = (response, from) => {
      if (cuts === 0) response.end(BACKUP.subarray(from));
      else response.write(BACKUP.subarray(from, from + CUT_AT), () => response.destroy());
      cuts -= 1;
    };
    await fetchTo(folder.file("backup"));
    expect(readFileSync(folder.file("backup")).equals(BACKUP)).to.equal(true);
    const begins = asked.map(({ from }) => from ?? 0);
    expect(begins).to.have.length.of.at.least(2);
    expect(begins.every((from, index) => index === 0 || from >= (begins[index - 1] ?? 0))).to.equal(true);
  });

  it("gives up on a gateway that stays away", async () => {
    give = (response) => response.destroy();
    expect((await rejection(fetchTo(folder.file("backup")))).code).to.equal("unavailable");
    expect(asked).to.have.length(5);
  });

  it("takes no more than the backup holds, and no more than the disk", async () => {
    expect(await codeOf(() => fetchTo(folder.file("backup"), 1_000))).to.equal("damaged");
    const full = await rejection(fetchTo("/dev/full"));
    expect([full.code, full.message]).to.satisfy(
      ([code, message]: string[]) => code === "unavailable" && message?.includes("ENOSPC"),
    );
  });

  it("knows an address with its port, and refuses one with more", async () => {
    expect(parseAddress("/mnt/backup.db")).to.equal(undefined);
    expect(parseAddress("https://clinica.local")).to.deep.equal({ host: "clinica.local", port: 8_443 });
    expect(parseAddress("https://[fd00::1]:443/")).to.deep.equal({ host: "fd00::1", port: 443 });
    for (const address of ["https://ana:pw@clinica/", "http://192.168.1.20", "ftp://clinica.local"]) {
      expect(await codeOf(() => parseAddress(address)), address).to.equal("invalid");
    }
  });
});
