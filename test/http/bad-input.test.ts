import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { recordsOf } from "../store/records-of.ts";
import { Appliance, type SignedInUser } from "./appliance.ts";
import { actuators, aDevice, aLocation, aRecord } from "./bodies.ts";
import { exchange } from "./exchange.ts";
import { INSIDE } from "./inside.ts";

const KIB = 1_024;
const MAX_BODY_BYTES = 64 * KIB;

/** JSON of so many lists within each other. */
function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

describe("Bad input", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open();
  });
  beforeEach(async () => {
    user = await appliance.addUser();
    await post("/api/data", aRecord()).expect(201);
    await post("/api/device", aDevice()).expect(200);
  });
  /** Whatever a test sent, what was stored before it stands, and the service goes on. */
  afterEach(async () => {
    const response = await appliance.api.get("/api/data?period=anual").set("Cookie", user.cookie).expect(200);
    expect(response.body.data.totalSales).to.be.at.least(1);
    const devices = appliance.reader.devices(user.id);
    expect(devices[0]).to.deep.include({ dId: "7234", revision: 0 });
  });
  after(() => appliance.close());

  function post(path: string, body: string | object) {
    return appliance.api
      .post(path)
      .set("Cookie", user.cookie)
      .set("Content-Type", "application/json")
      .send(body);
  }

  function recordCount(): number {
    return recordsOf(appliance.reader, user.id).length;
  }

  for (const body of [
    "{",
    '{"valor":}',
    "nada",
    '{"a":1}{"b":2}',
    "{'a':1}",
    '{"valor":NaN}',
    '{"a":Infinity}',
    "undefined",
  ]) {
    it(`that is not JSON is 400: ${body}`, async () => {
      const response = await post("/api/data", body).expect(400);
      expect(response.body).to.deep.equal({ status: "error", message: "The body is not valid JSON." });
      expect(recordCount()).to.equal(1);
    });
  }

  it("that is not JSON is in the envelope of the endpoint", async () => {
    const response = await post("/api/device", "{").expect(400);
    expect(response.body).to.deep.equal({ status: "error", error: "The body is not valid JSON." });
  });

  it("of bytes that are not UTF-8 is 400, and is not stored as something else", async () => {
    const text = Buffer.from(JSON.stringify(aRecord({ deviceName: "Pasillo X" })));
    text[text.indexOf("X")] = 0xff;
    const { status, body } = await exchange(appliance, "POST", "/api/data", {
      headers: { Cookie: user.cookie, "Content-Type": "application/json" },
      body: text,
    });
    expect(status).to.equal(400);
    expect(body).to.contain("not valid JSON");
    expect(recordCount()).to.equal(1);
  });

  for (const body of ["[]", "[1]", "1", '"texto"', "null", "true"]) {
    it(`that is JSON but no object is 400: ${body}`, async () => {
      const response = await post("/api/data", body).expect(400);
      expect(response.body.status).to.equal("error");
      expect(response.body.message).to.be.a("string").that.is.not.empty;
      expect(recordCount()).to.equal(1);
    });
  }

  it("that is nothing at all names every field", async () => {
    const response = await appliance.api.post("/api/data").set("Cookie", user.cookie).expect(400);
    expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
  });

  describe("in size", () => {
    /** A record of exactly so many bytes: filled up with a field that is ignored. */
    function sized(bytes: number): string {
      const empty = JSON.stringify(aRecord({ more: "" }));
      return empty.replace('"more":""', `"more":"${"x".repeat(bytes - Buffer.byteLength(empty))}"`);
    }

    it("is taken up to 64 KiB", async () => {
      expect(Buffer.byteLength(sized(MAX_BODY_BYTES))).to.equal(MAX_BODY_BYTES);
      await post("/api/data", sized(MAX_BODY_BYTES)).expect(201);
      expect(recordCount()).to.equal(2);
    });

    it("is 413 with one byte more", async () => {
      const response = await post("/api/data", sized(MAX_BODY_BYTES + 1)).expect(413);
      expect(response.body).to.have.all.keys("status", "message");
      expect(response.body.message).to.contain("65536 bytes");
      expect(recordCount()).to.equal(1);
    });

    it("is 413 also when its length is not said beforehand", async () => {
      const { status } = await exchange(appliance, "POST", "/api/data", {
        headers: { Cookie: user.cookie, "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
        body: Buffer.from(sized(MAX_BODY_BYTES + 1)),
      });
      expect(status).to.equal(413);
    });

    it("is 413 for megabytes, and the client gets its answer", async () => {
      await post("/api/data", sized(4 * KIB * KIB)).expect(413);
      expect(recordCount()).to.equal(1);
    });

    it("does not grow by compression", async () => {
      const { status } = await exchange(appliance, "POST", "/api/data", {
        headers: { Cookie: user.cookie, "Content-Type": "application/json", "Content-Encoding": "gzip" },
        body: gzipSync(sized(8 * KIB * KIB)),
      });
      expect(status).to.be.oneOf([413, 415]);
      expect(recordCount()).to.equal(1);
    });

    it("is 400 with ten thousand actuators, which fit 64 KiB when they are empty", async () => {
      const body = aDevice({ dId: "many", actuators: Array.from({ length: 10_000 }, () => ({})) });
      const response = await post("/api/device", body).expect(400);
      expect(response.body.errors.actuators).to.deep.equal({
        kind: "length",
        message: "must have at most 64 entries",
      });
      expect(JSON.stringify(response.body).length).to.be.below(4 * KIB);
    });

    it("is 413 with ten thousand actuators that are whole", async () => {
      await post("/api/device", aDevice({ dId: "many", actuators: actuators(10_000) })).expect(413);
    });
  });

  describe("in pieces", () => {
    const MAX_PIECES = 4_096;

    function head(path: string, method = "POST"): string {
      return (
        `${method} ${path} HTTP/1.1\r\nHost: ${appliance.host}\r\nCookie: ${user.cookie}\r\n` +
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
        const socket = connect(appliance.port, "127.0.0.1").setEncoding("latin1");
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
      await post("/api/data", deep(32)).expect(201);
    });

    it("is 400 at 33 levels, of lists or of objects", async () => {
      for (const body of [deep(33), deep(33).replaceAll("[]", "{}")]) {
        const response = await post("/api/data", body).expect(400);
        expect(response.body).to.deep.equal({
          status: "error",
          message: "The body is nested deeper than 32 levels.",
        });
      }
      expect(recordCount()).to.equal(1);
    });

    it("is 400 at thirty thousand levels", async () => {
      await post("/api/data", nested(30_000)).expect(400);
    });
  });

  describe("with keys of an object's own works", () => {
    for (const key of ["__proto__", "constructor", "prototype", "toString"]) {
      it(`ignores ${key} like any field that is unknown`, async () => {
        const body = JSON.stringify(aRecord({ KEY: { valor: 7, status: "polluted" } })).replace("KEY", key);
        await post("/api/data", body).expect(201);
        expect(({} as Record<string, unknown>)["status"]).to.equal(undefined);
        expect(recordsOf(appliance.reader, user.id)[0]?.valorMicros).to.equal(2_500_000);
      });
    }

    it("takes no field from __proto__", async () => {
      const response = await post("/api/data", `{"__proto__":${JSON.stringify(aRecord())}}`).expect(400);
      expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
      await post("/api/location", `{"location":{"__proto__":{"name":"a","description":"b"}}}`).expect(400);
    });

    it("names an actuator or a device __proto__ when asked to", async () => {
      const body = aDevice({
        dId: "__proto__",
        actuators: [
          { id: "__proto__", value: true },
          { id: "constructor", value: true },
        ],
      });
      await post("/api/device", body).expect(200);
      expect(appliance.reader.devices(user.id)).to.have.lengthOf(2);
      await appliance.api.delete("/api/device?dId=__proto__").set("Cookie", user.cookie).expect(200);
    });
  });

  describe("in a text", () => {
    for (const [what, escaped] of [
      ["half of a surrogate pair", "\\ud800"],
      ["the other half", "x\\udc00y"],
      ["halves in the wrong order", "\\udc00\\ud800"],
      ["NUL", "a\\u0000b"],
    ] as const) {
      it(`is 400 with ${what}, and the text names the field`, async () => {
        const body = JSON.stringify(aRecord({ deviceName: "TEXT" })).replace("TEXT", escaped);
        const response = await post("/api/data", body).expect(400);
        expect(response.body).to.deep.equal({
          status: "error",
          message: "deviceName: must be well-formed Unicode text.",
          errors: { deviceName: { kind: "type", message: "must be well-formed Unicode text" } },
        });
        expect(recordCount()).to.equal(1);
      });
    }

    for (const text of [
      "'; DROP TABLE record; --",
      "<script>alert(1)</script>",
      "‮derecha",
      "é",
      "🏥",
      "\\",
      "%",
    ]) {
      it(`keeps every character of ${text}`, async () => {
        await post("/api/data", aRecord({ deviceName: text })).expect(201);
        expect(recordsOf(appliance.reader, user.id)[0]?.deviceName).to.equal(text);
      });
    }
  });

  for (const [field, value] of [
    ["dId", ""],
    ["dId", "   "],
    ["dId", 7234],
    ["dId", null],
    ["dId", ["7234"]],
    ["dId", "x".repeat(201)],
    ["name", {}],
    ["name", false],
    ["locationId", 1],
    ["locationName", []],
    ["actuators", {}],
    ["actuators", "101"],
    ["actuators", null],
  ] as const) {
    it(`refuses ${field} of ${JSON.stringify(value).slice(0, 20)} in a device, and names it`, async () => {
      const response = await post("/api/device", aDevice({ dId: "8000", [field]: value })).expect(400);
      expect(response.body).to.have.all.keys("status", "error", "errors");
      expect(Object.keys(response.body.errors)).to.deep.equal([field]);
      expect(response.body.error).to.match(new RegExp(`^${field}: `));
      expect(appliance.reader.devices(user.id)).to.have.lengthOf(1);
    });
  }

  for (const [what, actuator, field] of [
    ["a number for its id", { id: 101, value: true }, "actuators.0.id"],
    ["an empty id", { id: "", value: true }, "actuators.0.id"],
    ["a text for its value", { id: "101", value: "true" }, "actuators.0.value"],
    ["1 for its value", { id: "101", value: 1 }, "actuators.0.value"],
    ["no value", { id: "101" }, "actuators.0.value"],
    ["nothing in its place", null, "actuators.0"],
  ] as const) {
    it(`refuses an actuator with ${what}, and names it`, async () => {
      const response = await post("/api/device", aDevice({ dId: "8000", actuators: [actuator] })).expect(400);
      expect(Object.keys(response.body.errors)).to.deep.equal([field]);
      expect(response.body.error).to.contain(`${field}: `);
    });
  }

  it("with many mistakes names each of them at once", async () => {
    const response = await post("/api/data", { valor: "x", createdTime: -1, deviceId: "" }).expect(400);
    expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
    for (const field of Object.keys(aRecord())) expect(response.body.message).to.contain(`${field}: `);
  });

  it("of another type is 415, before it is read", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/xml",
    ]) {
      const response = await appliance.api
        .post("/api/location")
        .set("Cookie", user.cookie)
        .set("Content-Type", type)
        .send(JSON.stringify(aLocation()))
        .expect(415);
      expect(response.body).to.deep.equal({
        status: "error",
        error: "The body must be JSON. Send it with Content-Type: application/json.",
      });
    }
    expect(appliance.reader.locations(user.id)).to.deep.equal([]);
  });

  it("of no type is 415, and JSON with a charset is taken", async () => {
    const headers = { Cookie: user.cookie };
    const body = Buffer.from(JSON.stringify(aLocation()));
    const untyped = await exchange(appliance, "POST", "/api/location", { headers, body });
    expect(untyped.status).to.equal(415);
    await post("/api/location", aLocation()).type("Application/JSON; charset=utf-8").expect(200);
  });

  it("never shows a stack, a path or SQL", async () => {
    const answers = await Promise.all([
      post("/api/data", "{"),
      post("/api/device", { newDevice: 1 }),
      post("/api/device", aDevice()),
      post("/api/location", nested(40)),
      post("/api/login", { email: {}, password: [] }),
      post("/api/first-run", {}),
      appliance.api.get("/api/data?period=x").set("Cookie", user.cookie),
      appliance.api.delete("/api/device?dId=%27%20OR%201").set("Cookie", user.cookie),
      appliance.api.get("/api/%E0%A4%A").set("Cookie", user.cookie),
      appliance.api.get("/api/records?before=%00").set("Cookie", user.cookie),
    ]);
    for (const { status, text } of answers) {
      expect(status).to.be.within(400, 499);
      expect(text).not.to.match(INSIDE);
      expect(JSON.parse(text).status).to.equal("error");
    }
  });
});
