import { expect } from "chai";
import { NOON_MS } from "../rig/appliance.ts";
import { exchange } from "../rig/exchange.ts";
import { aDevice, aLocation, aMistake, aRecord } from "./bodies.ts";
import { Held } from "./held.ts";

describe("Bad input", () => {
  const held = new Held();

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
      expect(response.body).to.deep.equal({ status: "error", message: "The body is not valid JSON." });
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
    for (const [what, escaped] of [
      ["half of a surrogate pair", "\\ud800"],
      ["the other half", "x\\udc00y"],
      ["halves in the wrong order", "\\udc00\\ud800"],
      ["NUL", "a\\u0000b"],
    ] as const) {
      it(`is 400 with ${what}, and the text names the field`, async () => {
        const body = JSON.stringify(aRecord({ deviceName: "TEXT" })).replace("TEXT", escaped);
        const response = await held.post("/api/data", body).expect(400);
        expect(response.body).to.deep.equal(
          aMistake("deviceName", "type", "must be well-formed Unicode text", "message"),
        );
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
        await held.post("/api/data", aRecord({ deviceName: text })).expect(201);
        expect(held.appliance.recordsOf(held.user.id)[0]?.deviceName).to.equal(text);
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
      const response = await held.post("/api/device", aDevice({ dId: "8000", [field]: value })).expect(400);
      expect(response.body).to.have.all.keys("status", "error", "errors");
      expect(Object.keys(response.body.errors)).to.deep.equal([field]);
      expect(response.body.error).to.match(new RegExp(`^${field}: `));
      expect(held.appliance.reader.devices(held.user.id)).to.have.lengthOf(1);
    });
  }

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
    ["/api/wiring", "line", "The line no-id is not wired."],
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

  for (const [what, actuator, field] of [
    ["a number for its id", { id: 101, value: true }, "actuators.0.id"],
    ["an empty id", { id: "", value: true }, "actuators.0.id"],
    ["a text for its value", { id: "101", value: "true" }, "actuators.0.value"],
    ["1 for its value", { id: "101", value: 1 }, "actuators.0.value"],
    ["no value", { id: "101" }, "actuators.0.value"],
    ["nothing in its place", null, "actuators.0"],
  ] as const) {
    it(`refuses an actuator with ${what}, and names it`, async () => {
      const response = await held
        .post("/api/device", aDevice({ dId: "8000", actuators: [actuator] }))
        .expect(400);
      expect(Object.keys(response.body.errors)).to.deep.equal([field]);
      expect(response.body.error).to.contain(`${field}: `);
    });
  }

  it("with many mistakes names each of them at once", async () => {
    const response = await held.post("/api/data", { valor: "x", createdTime: -1, deviceId: "" }).expect(400);
    expect(Object.keys(response.body.errors)).to.have.members(Object.keys(aRecord()));
    for (const field of Object.keys(aRecord())) expect(response.body.message).to.contain(`${field}: `);
  });

  it("of no type is 415, and JSON with a charset is taken", async () => {
    const headers = { Cookie: held.user.cookie };
    const body = Buffer.from(JSON.stringify(aLocation()));
    const untyped = await exchange(held.appliance, "POST", "/api/location", { headers, body });
    expect(untyped.status).to.equal(415);
    await held.post("/api/location", aLocation()).type("Application/JSON; charset=utf-8").expect(200);
  });
});
