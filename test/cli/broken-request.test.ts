import { expect } from "chai";
import { exchangeRaw } from "../rig/exchange.ts";
import { Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";

const HEAD = "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

describe("A request that violates HTTP", () => {
  const program = forSuite(() => Program.make());
  const service = forSuite(() => program.start());

  /** Everything that the service sends until it closes the connection. */
  const answerTo = (text: string) => exchangeRaw(program.httpPort, Buffer.from(text, "latin1"));

  const statusOf = async (text: string) => (await answerTo(text)).slice(0, "HTTP/1.1 400".length);

  for (const [what, text] of [
    [
      "a length and chunks",
      `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    ],
    [
      "chunks and a length",
      `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    ],
    ["two lengths", `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `],
    ["a length that is a list", `${HEAD}Content-Length: 2, 2\r\n\r\n{}`],
    ["a length that is none", `${HEAD}Content-Length: +2\r\n\r\n{}`],
    ["chunks of another coding", `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["chunks by a hidden name", `${HEAD}Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}`],
    ["a chunk whose size is none", `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`],
    ["a chunk that is longer than it says", `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
    ["a chunk size beyond all numbers", `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
    ["a space before a header's colon", `${HEAD}Content-Length : 2\r\n\r\n{}`],
    ["a header over two lines", `${HEAD}X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}`],
    ["a bare line feed in a header", `${HEAD}X-A: b\nContent-Length: 2\r\n\r\n{}`],
    ["a NUL in a header", `${HEAD}X-A: \0\r\n\r\n`],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a target with a space", "GET /api /verify HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ] as const) {
    it(`by ${what} is refused, and its connection is closed before anything after it is read`, async () => {
      const answer = await answerTo(text);
      expect(answer).to.match(/^HTTP\/1\.1 400 /);
      expect(answer.match(/^HTTP\//gm)).to.have.lengthOf(1);
    });
  }

  it("by more than 8 KiB of headers is refused with 431", async () => {
    const padded = (bytes: number) =>
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-A: ${"a".repeat(bytes)}\r\n\r\n`;
    expect(await statusOf(padded(8 * 1024))).to.equal("HTTP/1.1 431");
    expect(await statusOf(padded(7 * 1024))).to.equal("HTTP/1.1 200");
    const many = Array.from({ length: 1_000 }, (_, index) => `X-${index}: a\r\n`).join("");
    expect(await statusOf(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${many}\r\n`)).to.equal(
      "HTTP/1.1 431",
    );
  });

  it("by a port that is no number leaves none of its address in the log, where Node would warn of it", async () => {
    const target = "http://localhost:canary/?token=canary";
    await statusOf(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect((await service.end("SIGTERM")).stderr).to.not.contain("canary");
  });
});
