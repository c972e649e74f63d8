import { expect } from "chai";
import { announcementOf } from "../../src/web/frame/announcement.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { addressOf, navGroupsOf, routeOf, VIEWS } from "../../src/web/route.ts";
import { checkPassword } from "../../src/web/sign-in/password.ts";
import { recordOf } from "./record.ts";

const money = { money: (amount: number) => amount.toFixed(2) };

describe("The page's addresses", () => {
  it("lead to their views, and back", () => {
    for (const view of VIEWS) {
      const { pathname, search } = new URL(
        addressOf(view, { device: "d 1", room: "ñ&", to: "" }),
        "https://a",
      );
      const route = routeOf(pathname, search, "");
      expect(route).to.include({ view });
      expect("query" in route && [...route.query]).to.deep.equal([
        ["device", "d 1"],
        ["room", "ñ&"],
      ]);
    }
    expect(addressOf("panel")).to.equal("/");
  });

  it("leave out what is longer than any name: the API refuses it, and the page would blame the connection", () => {
    const route = routeOf("/registros", `?location=${"ñ".repeat(201)}&room=${"🔑".repeat(200)}`, "");
    expect("query" in route && [...route.query.keys()]).to.deep.equal(["room"]);
  });

  for (const [path, hash, route] of [
    ["/habitaciones/", "", { view: "rooms" }],
    ["/otra", "", { view: "unknown" }],
    ["/primer-uso/", "", { view: "first_run", token: "", email: "" }],
    ["/primer-uso", "#abc-_9", { view: "first_run", token: "abc-_9", email: "" }],
    ["/primer-uso", "#a/ana+1@example.org", { view: "first_run", token: "a", email: "ana+1@example.org" }],
  ] as const) {
    it(`are read with a slash at their end and a token behind the hash: ${path}${hash}`, () => {
      expect(routeOf(path, "", hash)).to.include(route);
    });
  }
});

describe("The ways to the views", () => {
  it("are grouped: those of every day, of the accounts, of the installation", () => {
    const groupsOf = (role: "owner" | "technician") =>
      Object.fromEntries(navGroupsOf({ role, serves: "gateway" }).map(({ name, views }) => [name, views]));
    const { daily, accounts, installation } = groupsOf("owner");
    expect(daily).to.deep.equal(["panel", "rooms", "records"]);
    expect(accounts).to.include.members(["report", "prices"]);
    expect(installation).to.include.members(["locations", "lines", "notices", "state", "people"]);
    expect(groupsOf("technician")).to.have.all.keys("daily", "installation");
  });
});

describe("A new password", () => {
  for (const [what, password, again, check] of [
    ["is long enough from ten characters", "1234567890", "", { isLongEnough: true }],
    ["is too short below", "123456789", "", { isLongEnough: false }],
    ["is counted as people do", "🔑".repeat(9), "", { isLongEnough: false }],
    ["is not repeated while there is nothing to repeat", "", "", { isRepeated: false }],
    ["is not repeated by another", "abc", "abd", { isRepeated: false }],
    ["is repeated by itself", "abc", "abc", { isRepeated: true }],
  ] as const) {
    it(what, () => expect(checkPassword(password, again)).to.include(check));
  }
});

describe("What is read aloud", () => {
  const off = {
    kind: "actuator",
    data: { deviceId: "d1", actuatorId: "101", value: false, time: 0 },
  } as const;
  const sale = { kind: "record", data: recordOf(1) } as const;

  it("names a few changes one by one, and says nothing of what is no news", () => {
    expect(announcementOf([sale, off], frameTexts.es, money)).to.equal(
      "Venta: habitación 101, 3.50. Habitación 101 apagada.",
    );
    expect(
      announcementOf([{ kind: "missed" }, { kind: "locations", data: {} }], frameTexts.es, money),
    ).to.equal("");
  });

  it("counts them when they are many", () => {
    expect(announcementOf([sale, sale, sale, off], frameTexts.es, money)).to.equal(
      "3 ventas nuevas; 1 habitación apagada.",
    );
  });
});
