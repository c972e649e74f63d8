import { expect } from "chai";
import { Appliance, NOON_MS, type SignedInUser, TIME_ZONE } from "./appliance.ts";
import { aDevice } from "./bodies.ts";
import { aWiring, WiredLine } from "./wired-line.ts";

describe("GET /status", () => {
  let appliance: Appliance;
  let user: SignedInUser;
  let other: SignedInUser;

  beforeEach(async () => {
    appliance = await Appliance.open();
    user = await appliance.addUser();
    other = await appliance.addUser();
    for (const { id } of [user, other]) await appliance.writer.addDevice(id, aDevice().newDevice);
  });
  afterEach(() => appliance.close());

  async function status(cookie = user.cookie): Promise<Record<string, unknown>> {
    const response = await appliance.api.get("/api/status").set("Cookie", cookie).expect(200);
    expect(response.body).to.have.all.keys("status", "data");
    return response.body.data;
  }

  async function wire(line: string, actuatorId: string, cookie = user.cookie): Promise<void> {
    const body = aWiring({ line, actuatorId });
    await appliance.api.put("/api/wiring").set("Cookie", cookie).send(body).expect(200);
  }

  it("says what drives the lines, and that nothing is wired", async () => {
    // That there is nothing else, the OpenAPI description holds every answer to.
    expect(await status()).to.deep.include({
      driver: "simulated",
      simulated: true,
      timeZone: TIME_ZONE,
      linesWired: 0,
      linesWatched: 0,
      lineFailures: [],
      gaps: 0,
      faults: [],
    });
  });

  it("tells of each fault since when it lasts, and what to do", async () => {
    const message = "The disk is full: sales wait in memory.";
    const hint = "Free some space.";
    appliance.faults = [{ code: "disk_full", sinceMs: NOON_MS, message, hint }];
    expect((await status())["faults"]).to.deep.equal([
      { code: "disk_full", sinceTime: NOON_MS, message, hint },
    ]);
  });

  it("tells real lines from simulated ones", async () => {
    appliance.lines.state = { ...appliance.lines.state, driver: "chardev", simulated: false };
    expect(await status()).to.include({ driver: "chardev", simulated: false });
  });

  it("counts lines that are wired and watched, and says what keeps one from it: a user's own alone", async () => {
    await wire("SIM0", "101");
    await wire("SIM1", "102");
    await wire("SIM2", "101", other.cookie);
    const failure = { line: "SIM1", message: 'The line SIM1 is held by "gpio-leds".' };
    const theirs = { line: "SIM2", message: "The line SIM2 is gone." };
    appliance.lines.state = { ...appliance.lines.state, watched: ["SIM0"], failures: [failure, theirs] };
    expect(await status()).to.include({ linesWired: 2, linesWatched: 1 });
    expect((await status())["lineFailures"]).to.deep.equal([failure]);
    expect(await status(other.cookie)).to.include({ linesWired: 1, linesWatched: 0 });
    expect((await status(other.cookie))["lineFailures"]).to.deep.equal([theirs]);
  });

  it("counts the stretches in which edges were lost, a user's own alone", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0", { dId: "7234", actuatorId: "101" });
    await line.go(false, 2);
    await line.go(false, 4);
    expect(await status()).to.include({ gaps: 2 });
    expect(await status(other.cookie)).to.include({ gaps: 0 });
  });
});
