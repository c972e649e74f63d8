import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { EventStream } from "../rig/event-stream.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

describe("A test of lines", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  let line: WiredLine;

  beforeEach(async () => {
    await user.post("/api/device").send(aDevice()).expect(200);
    line = await WiredLine.wire(appliance, user, "SIM0", { dId: "7234", actuatorId: "101" });
  });
  afterEach(() => user.delete("/api/wiring?line=SIM0").expect(200));

  const begin = (test: object) => user.put("/api/test").send({ test });
  const shown = async () => (await user.get("/api/status").expect(200)).body.data.tests;

  it("is in the status, and what its lines do is in a list of its own and no record", async () => {
    const [device] = appliance.reader.devices(user.id);
    await begin({ lines: ["SIM0", "SIM0"], minutes: 15 }).expect(200);
    const [test, ...others] = await shown();
    expect(others).to.deep.equal([]);
    expect(test).to.deep.include({
      ...{ line: "SIM0", deviceId: device?.id, deviceName: "Pasillo A", room: "101" },
    });
    expect(test.untilTime - appliance.clock.nowMs()).to.be.within(15 * 60_000, 15 * 60_000 + 1);
    await line.go(true);
    const edges = await user.get("/api/test/edge").expect(200);
    expect(edges.body.data).to.deep.equal([
      { line: "SIM0", deviceId: device?.id, room: "101", time: line.timeMs, provisional: true },
    ]);
    const records = await user.get("/api/record").expect(200);
    expect(records.body.data).to.deep.equal([]);
  });

  it("lasts half an hour where nothing else is said, and at most eight hours", async () => {
    await begin({ lines: ["SIM0"] }).expect(200);
    const [test] = await shown();
    expect(test.untilTime - appliance.clock.nowMs()).to.be.within(30 * 60_000, 30 * 60_000 + 1);
    for (const minutes of [0, 481, 1.5]) await begin({ lines: ["SIM0"], minutes }).expect(400);
  });

  it("ends when it is ended, and live pages hear of both", async () => {
    const stream = await EventStream.open(user);
    await stream.next();
    await begin({ lines: ["SIM0"] }).expect(200);
    expect(await stream.next()).to.include({ event: "tests" });
    await user.delete("/api/test?line=SIM0").expect(200);
    expect(await stream.next()).to.include({ event: "tests" });
    expect(await shown()).to.deep.equal([]);
    await line.go(true);
    const records = await user.get("/api/record").expect(200);
    expect(records.body.data).to.have.length(1);
    stream.close();
  });

  it("is the account's own: another one neither sees it nor begins or ends it", async () => {
    const other = await appliance.addUser();
    await begin({ lines: ["SIM0"] }).expect(200);
    await other
      .put("/api/test")
      .send({ test: { lines: ["SIM0"] } })
      .expect(404);
    await other.delete("/api/test").expect(200);
    expect(await shown()).to.have.length(1);
    expect((await other.get("/api/status").expect(200)).body.data.tests).to.deep.equal([]);
  });
});
