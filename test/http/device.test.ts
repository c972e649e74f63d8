import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { actuators, aDevice, aRecord } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

describe("Devices", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  function register(body: object, by = user) {
    return by.post("/api/device", body);
  }

  const list = () => user.data("/api/device");

  it("are 500 of a user at most; others are 409, and another user's none the fewer", async () => {
    const { newDevice } = aDevice();
    await Promise.all(
      Array.from({ length: 499 }, (_, index) =>
        appliance.writer.addDevice(user.id, { ...newDevice, dId: `d${index}`, actuators: actuators(1) }),
      ),
    );
    await register(aDevice()).expect(200);
    const response = await register(aDevice({ dId: "one more" })).expect(409);
    expect(response.body.error).to.match(/^An account has 500 devices at most\. /);
    expect(await list()).to.have.lengthOf(500);
    await register(aDevice(), await appliance.addUser()).expect(200);
    await user.delete("/api/device?dId=d0").expect(200);
    await register(aDevice({ dId: "one more" })).expect(200);
  });

  it("have 4,096 actuators in all at most", async () => {
    const { newDevice } = aDevice();
    await Promise.all(
      Array.from({ length: 63 }, (_, index) =>
        appliance.writer.addDevice(user.id, { ...newDevice, dId: `d${index}`, actuators: actuators(64) }),
      ),
    );
    await register(aDevice({ dId: "a", actuators: actuators(63) })).expect(200);
    const response = await register(aDevice({ dId: "b", actuators: actuators(2) })).expect(409);
    expect(response.body.error).to.match(/^An account has 4096 actuators at most\. /);
    await register(aDevice({ dId: "b", actuators: actuators(1) })).expect(200);
  });

  it("are listed with exactly the contract's fields", async () => {
    await register(aDevice()).expect(200);
    const [device] = await list();
    expect(device._id).to.match(/^[0-9a-f]{24}$/);
    expect(device).to.deep.equal({
      _id: device._id,
      userId: user.id,
      dId: "7234",
      name: "Pasillo A",
      selected: false,
      actuators: [
        { id: "101", value: false },
        { id: "102", value: true },
      ],
      locationId: "planta-1",
      locationName: "Clínica Norte",
      createdTime: NOON_MS,
      __v: 0,
    });
  });

  it("are listed in the order of their registration, which their ids sort by", async () => {
    for (const dId of ["c", "a", "b"]) await register(aDevice({ dId })).expect(200);
    const devices: { _id: string; dId: string }[] = await list();
    expect(devices.map(({ dId }) => dId)).to.deep.equal(["c", "a", "b"]);
    expect(devices.map(({ _id }) => _id)).to.deep.equal(devices.map(({ _id }) => _id).toSorted());
  });

  it("keep the order of their actuators", async () => {
    const ids = ["9", "10", "a", "1", "A"];
    await register(aDevice({ actuators: ids.map((id) => ({ id, value: true })) })).expect(200);
    const [device] = await list();
    expect(device.actuators).to.deep.equal(ids.map((id) => ({ id, value: true })));
  });

  it("are kept with their texts trimmed", async () => {
    const padded = {
      dId: " 7 ",
      name: "\tPasillo\n",
      locationName: " Norte ",
      actuators: [{ id: " 1 ", value: true }],
    };
    await register(aDevice(padded)).expect(200);
    const [device] = await list();
    expect(device).to.deep.include({ dId: "7", name: "Pasillo", locationName: "Norte" });
    expect(device.actuators).to.deep.equal([{ id: "1", value: true }]);
  });

  it("are unique by the trimmed dId for one user, told apart by case", async () => {
    await register(aDevice()).expect(200);
    await register(aDevice({ dId: " 7234 " })).expect(409);
    const response = await register(aDevice({ name: "Pasillo B" })).expect(409);
    const message = 'There is already a device with dId "7234".';
    expect(response.body).to.deep.equal({
      status: "error",
      error: message,
      errors: { dId: { kind: "unique", message } },
    });
    const devices = await list();
    expect(devices).to.have.lengthOf(1);
    expect(devices[0].name).to.equal("Pasillo A");
    for (const dId of ["a", "A"]) await register(aDevice({ dId })).expect(200);
  });

  it("have 64 actuators at most", async () => {
    await register(aDevice({ actuators: actuators(64) })).expect(200);
    const response = await register(aDevice({ dId: "65", actuators: actuators(65) })).expect(400);
    expect(response.body.error).to.equal("actuators: must have at most 64 entries.");
  });

  it("take texts of 200 characters, counted as people do", async () => {
    const longest = "🩺".repeat(200);
    await register(aDevice({ name: longest })).expect(200);
    expect((await list())[0].name).to.equal(longest);
  });

  it("that are removed are gone, with status alone as the answer, and leave their dId for another", async () => {
    await register(aDevice()).expect(200);
    await register(aDevice({ dId: "8000" })).expect(200);
    const response = await user.delete("/api/device?dId=7234").expect(200);
    expect(response.body).to.deep.equal({ status: "success" });
    const devices: { dId: string }[] = await list();
    expect(devices.map(({ dId }) => dId)).to.deep.equal(["8000"]);
    await register(aDevice()).expect(200);
  });
});

const MIDNIGHT_MS = Date.parse("2026-03-11T00:00:00+01:00");

describe("The rooms of a user", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  it("have what they sold today, exactly, without void records and other days", async () => {
    await user.post("/api/device", aDevice()).expect(200);
    const [before] = await user.data("/api/room");
    expect(before).to.include({ room: "101", level: false, line: null, sinceTime: null });
    expect(before).to.include({ sales: 0, revenue: 0 });
    for (const [valor, createdTime] of [
      [0.1, MIDNIGHT_MS],
      [0.2, NOON_MS],
      [4, MIDNIGHT_MS - 1],
      [8, NOON_MS],
    ] as const) {
      const record = aRecord({ deviceId: before.deviceId, habitacion: "101", valor, createdTime });
      await user.post("/api/data", record).expect(201);
    }
    await appliance.voidNewest(user.id);
    const [sold, other] = await user.data("/api/room");
    expect(sold).to.include({ sales: 2, revenue: 0.3 });
    expect(other).to.include({ room: "102", sales: 0 });
  });

  it("say how long ago each has sold last, so that silent ones show", async () => {
    const day = 86_400_000;
    await user.post("/api/device", aDevice()).expect(200);
    const [{ deviceId }] = await user.data("/api/room");
    for (const [habitacion, daysAgo] of [
      ["101", 70],
      ["101", 12],
      ["102", 70],
    ] as const) {
      const record = aRecord({ deviceId, habitacion, createdTime: NOON_MS - daysAgo * day });
      await user.post("/api/data", record).expect(201);
    }
    expect((await user.data("/api/room/last-sale")).slice(0, 2)).to.deep.equal([
      { deviceId, room: "101", daysAgo: 12 },
      { deviceId, room: "102", daysAgo: null },
    ]);
  });

  it("have their level, and since when their line is at it", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM3", { dId: "wired", actuatorId: "102" });
    await line.go(true);
    const [, lit] = await user.data("/api/room");
    const { timeMs } = line;
    expect(lit).to.include({ room: "102", level: true, line: "SIM3", sinceTime: timeMs });
    expect(lit).to.include({ sales: 1 });
  });
});
