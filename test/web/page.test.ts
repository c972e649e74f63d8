import { expect } from "chai";
import { checkPassword } from "../../src/web/door/password.ts";
import { announcementOf } from "../../src/web/frame/announcement.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { addressOf, routeOf, VIEWS } from "../../src/web/route.ts";
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

  it("bear a slash at their end", () => {
    expect(routeOf("/habitaciones/", "", "")).to.include({ view: "rooms" });
  });

  it("carry the first-run token behind the hash", () => {
    expect(routeOf("/primer-uso", "", "#abc-_9")).to.deep.equal({
      view: "first_run",
      token: "abc-_9",
      email: "",
    });
    expect(routeOf("/primer-uso/", "", "")).to.deep.equal({ view: "first_run", token: "", email: "" });
    const preset = { view: "first_run", token: "abc-_9", email: "ana+1@example.org" };
    expect(routeOf("/primer-uso", "", "#abc-_9/ana+1@example.org")).to.deep.equal(preset);
    expect(routeOf("/otra", "", "")).to.deep.equal({ view: "unknown" });
  });
});

describe("A new password", () => {
  it("is long enough from ten characters, counted as people do", () => {
    expect(checkPassword("123456789", "").isLongEnough).to.equal(false);
    expect(checkPassword("1234567890", "").isLongEnough).to.equal(true);
    expect(checkPassword("🔑".repeat(9), "").isLongEnough).to.equal(false);
  });

  it("is short enough up to 72 bytes, and accents take two", () => {
    expect(checkPassword("a".repeat(72), "").isShortEnough).to.equal(true);
    expect(checkPassword("a".repeat(73), "").isShortEnough).to.equal(false);
    expect(checkPassword("ñ".repeat(37), "").isShortEnough).to.equal(false);
  });

  it("is repeated only once there is something to repeat", () => {
    expect(checkPassword("", "").isRepeated).to.equal(false);
    expect(checkPassword("abc", "abd").isRepeated).to.equal(false);
    expect(checkPassword("abc", "abc").isRepeated).to.equal(true);
  });
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
