import { expect } from "chai";
import { MAX_LOGO_BYTES } from "../../src/domain/account.ts";
import { NOON_MS } from "../rig/appliance.ts";
import { exchange } from "../rig/exchange.ts";
import {
  actuators,
  aDevice,
  aLocation,
  aMistake,
  aRecord,
  aWiring,
  JPEG,
  LETTERHEAD,
  logoOf,
  PNG,
} from "./bodies.ts";
import { IntactService } from "./intact-service.ts";

const LIMITS = ["limit=0", "limit=-1", "limit=ten", "limit=1.5", "limit=201"];

/** By path, each field of its query with queries in which that is wrong. */
const WRONG_QUERIES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "/api/overview": {
    period: ["", "period=semanal", "period=week&period=year"],
    at: ["period=week&at=2026-02-30"],
    location: ["period=week&location="],
    device: ["period=week&device=%20"],
  },
  "/api/report": {
    month: [
      "",
      "month=",
      "month=2026-13",
      "month=2026-3",
      "month=2026-03-01",
      "month=2026-03&day=2026-03-10",
    ],
    day: ["day=2026-02-29"],
    location: ["month=2026-03&location="],
  },
  "/api/export": {
    lang: ["", "lang=fr"],
    from: ["lang=es&from=yesterday"],
    room: ["lang=es&room="],
  },
  "/api/record": {
    from: ["from=2026-02-30", "from=2026-3-1"],
    to: ["to=20260301", "to="],
    location: ["location="],
    room: ["room=%20"],
    device: ["device="],
    limit: LIMITS,
    before: [
      ...["before=", "before=x", "before=-3", "before=1", "before=1-", "before=1-2-3"],
      ...["before=99999999999999999-1", "before=1-1&before=2-2"],
    ],
  },
  "/api/gap": { limit: LIMITS, before: ["before=x", "before=-3", "before="] },
};

/** What is no picture that a page may show. */
const NO_LOGO = [
  logoOf("png", JPEG),
  logoOf("svg+xml", Buffer.from("<svg/>").toString("hex")),
  logoOf("png", Buffer.from("<html>").toString("hex")),
  "https://example.org/logo.png",
  `${logoOf("png", PNG)}" onerror="`,
  logoOf("png", PNG, MAX_LOGO_BYTES + 1),
];

type Kind = "required" | "type" | "length" | "range" | "unique";

/** Bodies with values of one field, each of which is wrong. */
function wrong(field: string, kind: Kind, make: (value: unknown) => object, ...values: readonly unknown[]) {
  return values.map((value) => [field, kind, JSON.stringify(make(value))] as const);
}

/** Records with one field of this JSON. */
function wrongRaw(field: string, kind: Kind, ...values: readonly string[]) {
  const body = JSON.stringify(aRecord({ [field]: "VALUE" }));
  return values.map((value) => [field, kind, body.replace('"VALUE"', value)] as const);
}

const TOO_LONG = "🩺".repeat(201);
const NO_TEXT = [7, null, false, {}, []];
const anActuator = (actuator: unknown) => aDevice({ dId: "8000", actuators: [actuator] });
const ofDevice = (field: string) => (value: unknown) => aDevice({ dId: "8000", [field]: value });
const ofWiring = (field: string) => (value: unknown) => aWiring({ [field]: value });
const ofRecord = (field: string) => (value: unknown) => aRecord({ [field]: value });
const ofTerms = (otherwise: object) => ({
  terms: { locationId: "0".repeat(24), from: "2026-01", kind: "share", share: 25, ...otherwise },
});

/** By operation, bodies with one field that is wrong. */
const WRONG_BODIES: Readonly<Record<string, ReturnType<typeof wrong>>> = {
  "post /api/data": [
    ...wrongRaw("valor", "range", "10000000.1", "-10000000.1", "10000000.000001", "1e400", "-1e400"),
    ...wrong("valor", "type", ofRecord("valor"), "2.5", null, true, [2.5]),
    ...wrongRaw("createdTime", "range", "-1", "8640000000000001", "1e400"),
    ...wrong("createdTime", "type", ofRecord("createdTime"), 1.5, "1773226800000", "2026-03-11T12:00Z", null),
    ...["locationName", "deviceName", "deviceId", "habitacion"].flatMap((field) => [
      ...wrong(field, "type", ofRecord(field), ...NO_TEXT),
      // Halves of a surrogate pair, and NUL.
      ...wrongRaw(field, "type", '"\\ud800"', '"x\\udc00y"', '"\\udc00\\ud800"', '"a\\u0000b"'),
    ]),
  ],
  "post /api/device": [
    ...wrong("dId", "required", ofDevice("dId"), "", "   "),
    ...wrong("dId", "type", ofDevice("dId"), ...NO_TEXT, ["7234"]),
    ...wrong("name", "type", ofDevice("name"), ...NO_TEXT),
    ...wrong("name", "length", ofDevice("name"), TOO_LONG),
    ...wrong("locationId", "type", ofDevice("locationId"), 1),
    ...wrong("locationName", "type", ofDevice("locationName"), []),
    ...wrong("actuators", "type", ofDevice("actuators"), {}, "101", null),
    ...wrong("actuators", "length", ofDevice("actuators"), [], actuators(65), Array(10_000).fill({})),
    ...wrong("actuators.0", "type", anActuator, null),
    ...wrong("actuators.0.id", "type", anActuator, { id: 101, value: true }),
    ...wrong("actuators.0.id", "required", anActuator, { id: "", value: true }),
    ...wrong("actuators.0.value", "type", anActuator, { id: "1", value: "true" }, { id: "1", value: 1 }),
    ...wrong("actuators.0.value", "required", anActuator, { id: "1" }),
    ...wrong("actuators.2.id", "unique", ofDevice("actuators"), [...actuators(2), { id: " 1", value: true }]),
  ],
  "post /api/location": wrong(
    "description",
    "length",
    (description) => aLocation({ description }),
    "ñ".repeat(2_001),
  ),
  "patch /api/device": wrong("dId", "required", (name) => ({ device: { name } }), "x"),
  "patch /api/device?dId=7234": [
    ...wrong("device", "type", (device) => ({ device }), {}, { unknown: "x" }),
    ...wrong("device", "required", (device) => ({ device }), undefined),
    ...wrong("name", "type", (name) => ({ device: { name } }), ...NO_TEXT),
    ...wrong("name", "length", (name) => ({ device: { name } }), TOO_LONG),
    ...wrong(
      "rooms",
      "length",
      (rooms) => ({ device: { rooms } }),
      [],
      actuators(65).map(({ id }) => id),
    ),
    ...wrong("rooms.1", "unique", (rooms) => ({ device: { rooms } }), ["1", "1"]),
  ],
  "patch /api/location": wrong("locationId", "required", (name) => ({ location: { name } }), "x"),
  "patch /api/location?locationId=x": [
    ...wrong("location", "type", (location) => ({ location }), {}, { unknown: "x" }),
    ...wrong("location", "required", (location) => ({ location }), undefined),
    ...wrong("name", "required", (name) => ({ location: { name } }), " "),
    ...wrong("name", "type", (name) => ({ location: { name } }), ...NO_TEXT),
    ...wrong("description", "length", (text) => ({ location: { description: text } }), "ñ".repeat(2_001)),
  ],
  "put /api/wiring": [
    ...wrong("bias", "type", ofWiring("bias"), "sideways"),
    ...wrong("debounceMs", "range", ofWiring("debounceMs"), 60_001, -1),
    ...wrong("rearmMs", "type", ofWiring("rearmMs"), 0.5),
    ...wrong("valor", "type", ofWiring("valor"), "4"),
    ...wrong("valor", "range", ofWiring("valor"), 1e10),
    ...wrong("line", "required", ofWiring("line"), undefined),
  ],
  "put /api/wiring/price": [
    ...wrong("lines", "length", (lines) => ({ price: { lines, valor: 1 } }), []),
    ...wrong("valor", "type", (valor) => ({ price: { lines: ["SIM1"], valor } }), "1"),
    ...wrong("from", "range", (from) => ({ price: { lines: ["SIM0"], valor: 1, from } }), "2020-01-01"),
  ],
  "put /api/letterhead": wrong(
    "logo",
    "type",
    (logo) => ({ letterhead: { ...LETTERHEAD, logo } }),
    ...NO_LOGO,
  ),
  "put /api/terms": [
    ...wrong("share", "range", (share) => ofTerms({ share }), 100.1, -1),
    ...wrong("vat", "type", (vat) => ofTerms({ vat }), 21.001),
    ...wrong("from", "type", (from) => ofTerms({ from }), "2026-13"),
  ],
  "post /api/settlement": wrong("month", "type", (month) => ({ settlement: { month } }), "octubre"),
  "post /api/record/void": [
    ...wrong("number", "type", (number) => ({ void: { number, reason: "x" } }), "1"),
    ...wrong("reason", "required", (reason) => ({ void: { number: 1, reason } }), " "),
  ],
  "post /api/line/drive": [
    ...wrong("line", "required", (line) => ({ line, level: true }), undefined),
    ...wrong("level", "required", (level) => ({ line: "SIM0", level }), undefined),
    ...wrong("level", "type", (level) => ({ line: "SIM0", level }), "high"),
  ],
};

describe("Bad input", () => {
  const held = new IntactService();

  function recordCount(): number {
    return held.appliance.recordsOf(held.user.id).length;
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
      const response = await held.post("/api/data", body).expect(400);
      expect(response.body).to.deep.equal({
        status: "error",
        message: "The body is not valid JSON. Send one object, in UTF-8.",
      });
      expect(recordCount()).to.equal(1);
    });
  }

  it("of bytes that are not UTF-8 is 400, and is not stored as something else", async () => {
    const text = Buffer.from(JSON.stringify(aRecord({ deviceName: "Pasillo X" })));
    text[text.indexOf("X")] = 0xff;
    const { status, body } = await exchange(held.appliance, "POST", "/api/data", {
      headers: { Cookie: held.user.cookie, "Content-Type": "application/json" },
      body: text,
    });
    expect(status).to.equal(400);
    expect(body).to.contain("not valid JSON");
    expect(recordCount()).to.equal(1);
  });

  for (const body of ["[]", "[1]", "1", '"texto"', "null", "true"]) {
    it(`that is JSON but no object is 400: ${body}`, async () => {
      const response = await held.post("/api/data", body).expect(400);
      expect(response.body.status).to.equal("error");
      expect(response.body.message).to.be.a("string").that.is.not.empty;
      expect(recordCount()).to.equal(1);
    });
  }

  describe("with keys of an object's own works", () => {
    for (const key of ["__proto__", "constructor", "prototype", "toString"]) {
      it(`ignores ${key} like any field that is unknown`, async () => {
        const body = JSON.stringify(aRecord({ KEY: { valor: 7, status: "polluted" } })).replace("KEY", key);
        await held.post("/api/data", body).expect(201);
        expect(({} as Record<string, unknown>)["status"]).to.equal(undefined);
        expect(held.appliance.recordsOf(held.user.id)[0]?.valorMicros).to.equal(2_500_000);
      });
    }

    it("takes no field from __proto__", async () => {
      const response = await held.post("/api/data", `{"__proto__":${JSON.stringify(aRecord())}}`).expect(400);
      expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
      await held
        .post("/api/location", `{"location":{"__proto__":{"name":"a","description":"b"}}}`)
        .expect(400);
    });

    it("names an actuator or a device __proto__ when asked to", async () => {
      const body = aDevice({
        dId: "__proto__",
        actuators: [
          { id: "__proto__", value: true },
          { id: "constructor", value: true },
        ],
      });
      await held.post("/api/device", body).expect(200);
      expect(held.appliance.reader.devices(held.user.id)).to.have.lengthOf(2);
      await held.user.delete("/api/device?dId=__proto__").expect(200);
    });
  });

  describe("in a text", () => {
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
        await held.post("/api/data", aRecord({ deviceName: text })).expect(201);
        expect(held.appliance.recordsOf(held.user.id)[0]?.deviceName).to.equal(text);
      });
    }
  });

  for (const [path, textField, make, fields] of [
    ["/api/data", "message", aRecord, Object.keys(aRecord())],
    ["/api/device", "error", aDevice, Object.keys(aDevice().newDevice)],
    ["/api/location", "error", aLocation, Object.keys(aLocation().location)],
    ["/api/device", "error", () => aDevice().newDevice, ["newDevice"]],
  ] as const) {
    it(`without ${fields} is refused by ${path}, and the text names the field`, async () => {
      for (const field of fields) {
        const response = await held.post(path, make({ [field]: undefined })).expect(400);
        expect(response.body).to.deep.equal(aMistake(field, "required", "is required", textField));
      }
      expect(recordCount()).to.equal(1);
      expect(held.appliance.reader.devices(held.user.id)).to.have.lengthOf(1);
      expect(held.appliance.reader.locations(held.user.id)).to.deep.equal([]);
    });
  }

  for (const [path, key, unknown] of [
    ["/api/device", "dId", "There is no device with that dId."],
    ["/api/location", "locationId", "There is no location with that locationId."],
    ["/api/wiring", "line", "The line no-id is not wired. Name a wired line, or wire it first."],
  ] as const) {
    it(`removes at ${path} what one ${key} names, and nothing without it`, async () => {
      for (const query of ["", `?${key}=`, `?${key}=%20%20`, `?${key.toUpperCase()}=1`]) {
        const { body } = await held.user.delete(path + query).expect(400);
        expect(body.errors).to.deep.equal({ [key]: { kind: "required", message: "is required" } });
      }
      await held.user.delete(`${path}?${key}=1&${key}=1`).expect(400);
      for (const id of ["0".repeat(24), "%00", "' OR 1=1 --"]) {
        await held.user.delete(path, { [key]: id }).expect(404);
      }
      const { body } = await held.user.delete(`${path}?${key}=no-id`).expect(404);
      expect(body).to.deep.equal({ status: "error", error: unknown });
    });
  }

  for (const [operation, bodies] of Object.entries(WRONG_BODIES)) {
    it(`in a body of ${operation} is refused, and the field is named`, async () => {
      const [method, path = ""] = operation.split(" ") as ["post" | "put" | "patch", string];
      const stored = () => [recordCount(), held.appliance.reader.devices(held.user.id)];
      const before = stored();
      for (const [field, kind, sent] of bodies) {
        const { body } = await held.user[method](path).type("json").send(sent).expect(400);
        const { message } = body.errors[field] ?? { message: "" };
        const expected = aMistake(field, kind, message, path === "/api/data" ? "message" : "error");
        expect(body, sent.slice(0, 200)).to.deep.equal(expected);
      }
      expect(stored()).to.deep.equal(before);
    });
  }

  for (const [path, fields] of Object.entries(WRONG_QUERIES)) {
    it(`in a query of ${path} is refused, and the field is named`, async () => {
      for (const [field, queries] of Object.entries(fields)) {
        for (const query of queries) {
          const { body } = await held.user.get(`${path}?${query}`).expect(400);
          expect(Object.keys(body.errors), query).to.deep.equal([field]);
        }
      }
    });
  }

  it("after the first 1,000 fields of a query is left out: reading more would hold up all others", async () => {
    await held.user.get(`/api/record?${"a&".repeat(999)}limit=0`).expect(400);
    await held.user.get(`/api/record?${"a&".repeat(1_000)}limit=0`).expect(200);
  });

  it("beside the contract's fields is ignored", async () => {
    const more = { _id: "1", userId: "2", createdTime: 3, __v: 4, selected: true, colour: "red" };
    const { newDevice } = aDevice({ dId: "8000", ...more });
    await held.post("/api/device", { newDevice, more: 1 }).expect(200);
    await held.post("/api/location", aLocation({ ...more, devices: [{}] })).expect(200);
    const devices = await held.user.data("/api/device");
    const locations = await held.user.data("/api/location");
    for (const made of [devices[1], locations[0]]) {
      expect(made).to.include({ userId: held.user.id, createdTime: NOON_MS, __v: 0 });
      expect(made).not.to.have.property("colour");
    }
    expect(devices[1].selected).to.equal(false);
    expect(locations[0].devices).to.deep.equal([]);
  });

  it("with many mistakes names each of them at once", async () => {
    const response = await held.post("/api/data", { valor: "x", createdTime: -1, deviceId: "" }).expect(400);
    expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
    for (const field of Object.keys(aRecord())) expect(response.body.message).to.contain(`${field}: `);
  });

  it("of no type, or another than JSON, is 415 and stores nothing; JSON with a charset is taken", async () => {
    const body = Buffer.from(JSON.stringify(aLocation()));
    for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
      const headers = { Cookie: held.user.cookie, ...(type !== undefined && { "Content-Type": type }) };
      const { status } = await exchange(held.appliance, "POST", "/api/location", { headers, body });
      expect(status, type).to.equal(415);
    }
    expect(held.appliance.reader.locations(held.user.id)).to.deep.equal([]);
    await held.post("/api/location", aLocation()).type("Application/JSON; charset=utf-8").expect(200);
  });
});
