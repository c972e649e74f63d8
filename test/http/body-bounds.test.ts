import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { exchange } from "../rig/exchange.ts";
import { actuators, aDevice, anError, aRecord } from "./bodies.ts";
import { IntactService } from "./intact-service.ts";

const KIB = 1_024;
const MAX_BODY_BYTES = 64 * KIB;

describe("A body", () => {
  const held = new IntactService();

  function recordCount(): number {
    return held.appliance.recordsOf(held.user.id).length;
  }

  describe("in size", () => {
    /** A record of exactly so many bytes: filled up with a field that is ignored. */
    function sized(bytes: number): string {
      const empty = JSON.stringify(aRecord({ more: "" }));
      return empty.replace('"more":""', `"more":"${"x".repeat(bytes - Buffer.byteLength(empty))}"`);
    }

    it("is taken up to 64 KiB", async () => {
      expect(Buffer.byteLength(sized(MAX_BODY_BYTES))).to.equal(MAX_BODY_BYTES);
      await held.post("/api/data", sized(MAX_BODY_BYTES)).expect(201);
      expect(recordCount()).to.equal(2);
    });

    it("is 413 with one byte more", async () => {
      const response = await held.post("/api/data", sized(MAX_BODY_BYTES + 1)).expect(413);
      expect(response.body).to.have.all.keys("status", "message");
      expect(response.body.message).to.contain("65536 bytes");
      expect(recordCount()).to.equal(1);
    });

    it("is 413 also when its length is not said beforehand", async () => {
      const { status } = await exchange(held.appliance, "POST", "/api/data", {
        headers: {
          Cookie: held.user.cookie,
          "Content-Type": "application/json",
          "Transfer-Encoding": "chunked",
        },
        body: Buffer.from(sized(MAX_BODY_BYTES + 1)),
      });
      expect(status).to.equal(413);
    });

    it("is 413 for megabytes, and the client gets its answer", async () => {
      await held.post("/api/data", sized(4 * KIB * KIB)).expect(413);
      expect(recordCount()).to.equal(1);
    });

    it("does not grow by compression", async () => {
      const { status } = await exchange(held.appliance, "POST", "/api/data", {
        headers: { Cookie: held.user.cookie, "Content-Type": "application/json", "Content-Encoding": "gzip" },
        body: gzipSync(sized(8 * KIB * KIB)),
      });
      expect(status).to.be.oneOf([413, 415]);
      expect(recordCount()).to.equal(1);
    });

    for (const [what, header, status] of [
      ["is taken as it is, however that is written", { "Content-Encoding": "Identity" }, 201],
      ["is taken with an empty coding", { "Content-Encoding": "" }, 201],
      ["is 400 where more than chunks were made of it", { "Transfer-Encoding": "gzip, chunked" }, 400],
    ] as const) {
      it(what, async () => {
        const answer = await exchange(held.appliance, "POST", "/api/data", {
          headers: { Cookie: held.user.cookie, "Content-Type": "application/json", ...header },
          body: Buffer.from(JSON.stringify(aRecord())),
        });
        expect(answer.status).to.equal(status);
      });
    }

    it("is 413 with ten thousand actuators that are whole", async () => {
      await held.post("/api/device", aDevice({ dId: "many", actuators: actuators(10_000) })).expect(413);
    });
  });

  describe("in pieces", () => {
    const MAX_PIECES = 4_096;

    function head(path: string, method = "POST"): string {
      return (
        `${method} ${path} HTTP/1.1\r\nHost: ${held.appliance.host}\r\nCookie: ${held.user.cookie}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      );
    }

    function chunks(text: string, bytes: number): string {
      const pieces = text.match(new RegExp(`.{1,${bytes}}`, "gs")) ?? [];
      return pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
    }

    /** All that is answered until the service ends the connection, or the client once it has so many answers. */
    function ending(text: string, answers = Number.POSITIVE_INFINITY): Promise<string> {
      return new Promise((resolve) => {
        let answer = "";
        const socket = connect(held.appliance.port, "127.0.0.1").setEncoding("latin1");
        socket.on("error", () => {});
        socket.on("close", () => resolve(answer));
        socket.on("data", (data) => {
          answer += data;
          if ((answer.match(/HTTP\/1/g)?.length ?? 0) >= answers) socket.destroy();
        });
        socket.write(text, "latin1");
      });
    }

    /** Of one byte each, as of a body that has not ended. */
    const endless = (bytes: number) => chunks(" ".repeat(bytes), 1);

    it("of 16 bytes is taken, up to 64 KiB of them", async () => {
      const text = JSON.stringify(aRecord()).padEnd(MAX_BODY_BYTES, " ").replace("í", "i");
      const answer = await ending(`${head("/api/data")}${chunks(text, 16)}0\r\n\r\n`, 1);
      expect(answer).to.match(/^HTTP\/1\.1 201 /);
      expect(recordCount()).to.equal(2);
    });

    it(`is taken in ${MAX_PIECES} of them, and is 413 with one more`, async () => {
      const text = JSON.stringify(aRecord())
        .padEnd(MAX_PIECES + 1, " ")
        .replace("í", "i");
      const [most, more] = [text.slice(0, -1), text].map((body) => `${chunks(body, 1)}0\r\n\r\n`);
      expect(await ending(`${head("/api/data")}${most}`, 1)).to.match(/^HTTP\/1\.1 201 /);
      expect(await ending(`${head("/api/data")}${more}`, 1)).to.match(/^HTTP\/1\.1 413 /);
      expect(recordCount()).to.equal(2);
    });

    it("is taken where one ends within a character", async () => {
      const text = Buffer.from(JSON.stringify(aRecord())).toString("latin1");
      expect(await ending(`${head("/api/data")}${chunks(text, 1)}0\r\n\r\n`, 1)).to.match(/^HTTP\/1\.1 201 /);
      expect(recordCount()).to.equal(2);
    });

    it("is 400 where the last one ends within a character", async () => {
      const text = `${JSON.stringify(aRecord()).replace("í", "i")}\xc3`;
      expect(await ending(`${head("/api/data")}${chunks(text, 16)}0\r\n\r\n`, 1)).to.match(
        /^HTTP\/1\.1 400 /,
      );
      expect(recordCount()).to.equal(1);
    });

    for (const [what, method, path, status] of [
      ["is refused", "POST", "/api/data", 413],
      ["that nothing asked for is dropped", "GET", "/api/verify", 200],
      ["to nowhere is dropped", "POST", "/api/nowhere", 404],
    ] as const) {
      it(`without an end ${what}, answered once, and its connection is ended`, async () => {
        const answer = await ending(head(path, method) + endless(20_000));
        expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer.match(/HTTP\/1/g)).to.have.lengthOf(1);
      });
    }

    it("that nothing asked for leaves the connection to the next request", async () => {
      const body = `${endless(2_000)}0\r\n\r\n`;
      const answer = await ending(`${head("/api/nowhere")}${body}${head("/api/nowhere")}${body}`, 2);
      expect(answer.match(/HTTP\/1\.1 404 /g)).to.have.lengthOf(2);
    });
  });

  describe("in depth", () => {
    /** A record whose ignored field makes it so many levels deep, its own braces included. */
    function deep(levels: number): string {
      return JSON.stringify(aRecord({ more: 0 })).replace('"more":0', `"more":${nested(levels - 1)}`);
    }

    it("is taken up to 32 levels", async () => {
      await held.post("/api/data", deep(32)).expect(201);
    });

    it("is 400 at 33 levels, of lists or of objects", async () => {
      for (const body of [deep(33), deep(33).replaceAll("[]", "{}")]) {
        const response = await held.post("/api/data", body).expect(400);
        expect(response.body).to.deep.equal(anError("The body is nested deeper than 32 levels.", "message"));
      }
      expect(recordCount()).to.equal(1);
    });

    it("is 400 at thirty thousand levels", async () => {
      await held.post("/api/data", nested(30_000)).expect(400);
    });
  });
});

/** JSON of so many lists within each other. */
function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}
