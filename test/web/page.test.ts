import { expect } from "chai";
import { liveEventOf } from "../../src/web/api/live-event.ts";
import { checkPassword } from "../../src/web/door/password.ts";
import { announcementOf } from "../../src/web/frame/announcement.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { salesByDay } from "../../src/web/rooms/sales-day.ts";
import { addressOf, routeOf, VIEWS } from "../../src/web/route.ts";
import { saleOf } from "./sale.ts";

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

describe("A live event", () => {
  it("is read into the page's own words", () => {
    const data = { deviceId: "d1", actuatorId: "101", value: true, time: 7 };
    expect(liveEventOf("actuator", JSON.stringify(data))).to.deep.equal({
      kind: "actuator",
      change: { deviceId: "d1", room: "101", on: true, timeMs: 7 },
    });
    expect(liveEventOf("void", '{"recordId":7,"voided":{"timeMs":1,"reason":"prueba"}}')).to.deep.equal({
      kind: "void",
      recordId: 7,
      reason: "prueba",
    });
    expect(liveEventOf("time", '{"recordId":7,"timeMs":5}')).to.deep.equal({
      kind: "time",
      recordId: 7,
      timeMs: 5,
    });
    expect(liveEventOf("hello", '{"at":"a:1"}')).to.deep.equal({ kind: "hello", at: "a:1" });
  });

  it("is refused when a field is missing or of another type", () => {
    expect(() => liveEventOf("actuator", '{"deviceId":1}')).to.throw(TypeError, "deviceId");
    expect(() => liveEventOf("record", "[]")).to.throw(TypeError, "record");
    expect(() => liveEventOf("gap", "{")).to.throw(SyntaxError);
  });
});

describe("What is read aloud", () => {
  const off = { kind: "actuator", change: { deviceId: "d1", room: "101", on: false, timeMs: 0 } } as const;
  const sale = { kind: "record", sale: saleOf(1) } as const;

  it("names a few changes one by one, and says nothing of what is no news", () => {
    expect(announcementOf([sale, off], frameTexts.es, money)).to.equal(
      "Venta: habitación 101, 3.50. Habitación 101 apagada.",
    );
    expect(announcementOf([{ kind: "behind" }, { kind: "places" }], frameTexts.es, money)).to.equal("");
  });

  it("counts them when they are many", () => {
    expect(announcementOf([sale, sale, sale, off], frameTexts.es, money)).to.equal(
      "3 ventas nuevas; 1 habitación apagada.",
    );
  });
});

describe("The days of the ledger", () => {
  const dayOf = (timeMs: number) => (timeMs < 2_500 ? "2026-03-28" : "2026-03-29");

  it("keep their keys while new sales come on top", () => {
    const sales = [saleOf(3), saleOf(2), saleOf(1)];
    const before = salesByDay(sales, dayOf).map((day) => day.key);
    const after = salesByDay([saleOf(4), ...sales], dayOf).map((day) => day.key);
    expect(before).to.deep.equal(["2026-03-29/1", "2026-03-28/1"]);
    expect(after).to.deep.equal(before);
  });

  it("come again when a posted sale carries an older time, and the order stands", () => {
    const late = saleOf(4, { createdTimeMs: 1_000 });
    const days = salesByDay([saleOf(5), late, saleOf(3), saleOf(1)], dayOf);
    expect(days.map((day) => day.key)).to.deep.equal([
      "2026-03-29/2",
      "2026-03-28/2",
      "2026-03-29/1",
      "2026-03-28/1",
    ]);
    expect(days.flatMap((day) => day.sales.map((sale) => sale.recordId))).to.deep.equal([5, 4, 3, 1]);
  });
});
