import { expect } from "chai";
import type { SurveyedLine } from "../../src/domain/line.ts";
import { wiring } from "../gpio/recorder-rig.ts";
import { Appliance } from "../rig/appliance.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";

describe("Lines", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());

  afterEach(() => {
    appliance.lines.chips = [];
    appliance.lines.refusal = undefined;
    appliance.lines.driven.length = 0;
  });

  const wiringOf = (owner: SignedInUser) => wiring("SIM0", { userId: owner.id, actuatorId: "101" });

  /** One chip with these lines, SIM0 and so on, free where nothing else is said. */
  function show(...lines: Partial<SurveyedLine>[]): void {
    const free = { wiring: null, watched: false, level: null, problem: null, holder: null };
    appliance.lines.chips = [
      {
        name: "simchip0",
        label: "flanco simulation",
        lines: lines.map((line, offset) => ({
          ...free,
          chip: "simchip0",
          offset,
          name: `SIM${offset}`,
          ...line,
        })),
      },
    ];
  }

  async function list(by = user) {
    return by.data("/api/line");
  }

  function drive(body: object) {
    return user.post("/api/line/drive", body);
  }

  const FREE = {
    consumer: null,
    wired: null,
    wiredByOther: false,
    watched: false,
    level: null,
    problem: null,
  };

  it("are listed by chip, free ones and those that another program has", async () => {
    show({}, { name: null, holder: "other-program" });
    expect(await list()).to.deep.equal({
      driver: "simulated",
      simulated: true,
      chips: [
        {
          chip: "simchip0",
          label: "flanco simulation",
          lines: [
            { address: "simchip0:0", name: "SIM0", ...FREE },
            { address: "simchip0:1", name: null, ...FREE, consumer: "other-program" },
          ],
        },
      ],
    });
  });

  it("show their room, their level, and why they are not watched, to the user who has wired them", async () => {
    show(
      { wiring: wiringOf(user), watched: true, level: true, holder: "flanco" },
      { wiring: wiringOf(user), problem: "In use.", holder: "other-program" },
    );
    const wired = { dId: "7234", deviceName: "Pasillo A", actuatorId: "101" };
    expect((await list()).chips[0].lines).to.deep.equal([
      { address: "simchip0:0", name: "SIM0", ...FREE, wired, watched: true, level: true },
      { address: "simchip0:1", name: "SIM1", ...FREE, wired, problem: "In use.", consumer: "other-program" },
    ]);
  });

  it("show to others that they are wired, and nothing of what they do", async () => {
    show({ wiring: wiringOf(user), watched: true, level: true, problem: "x", holder: "flanco" });
    expect((await list(other)).chips[0].lines).to.deep.equal([
      { address: "simchip0:0", name: "SIM0", ...FREE, wiredByOther: true, watched: true },
    ]);
  });

  it("are set by hand where they are simulated, own and free ones", async () => {
    show({ wiring: wiringOf(user), watched: true }, {});
    expect((await drive({ line: "SIM0", level: true }).expect(200)).body).to.deep.equal({
      status: "success",
    });
    await drive({ line: "SIM1", level: false }).expect(200);
    expect(appliance.lines.driven).to.deep.equal([
      ["simchip0:0", true],
      ["simchip0:1", false],
    ]);
    expect((await drive({ line: "SIM9", level: true }).expect(404)).body.error).to.contain("SIM9");
  });

  for (const line of ["SIM0", "simchip0:0"]) {
    it(`are not set by who has not wired them: ${line} would sell in another user's name`, async () => {
      show({ wiring: wiringOf(other), watched: true });
      await drive({ line, level: true }).expect(409);
      expect(appliance.lines.driven).to.deep.equal([]);
    });
  }

  it("are not set by another spelling than the list has, which would pass for a free line", async () => {
    show({}, {}, { wiring: wiringOf(other), watched: true });
    await drive({ line: "simchip0:02", level: true }).expect(404);
    await drive({ line: "simchip0:01", level: true }).expect(404);
    expect(appliance.lines.driven).to.deep.equal([]);
  });

  it("are not set by hand where they are real", async () => {
    await using real = await Appliance.open({ realLines: true });
    const owner = await real.addUser();
    await owner.post("/api/line/drive", { line: "SIM0", level: true }).expect(409);
    expect(real.lines.driven).to.deep.equal([]);
  });
});
