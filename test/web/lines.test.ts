import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import { ApiFailure } from "../../src/web/api/api.ts";
import type { Line, Wiring } from "../../src/web/api/shapes.ts";
import { unplacedFailure } from "../../src/web/element/mistake.ts";
import { ageText, createFormat } from "../../src/web/format/format.ts";
import {
  type Board,
  freeRooms,
  isFree,
  linesOf,
  switchLine,
  wiringName,
  wiringOf,
} from "../../src/web/lines/board.ts";
import { amountOf, isGrouped, isOddPrice, priceOf } from "../../src/web/lines/price.ts";
import { deviceOf } from "./record.ts";

function lineOf(address: string): Line {
  return {
    address,
    name: null,
    consumer: null,
    wired: null,
    wiredByOther: false,
    watched: false,
    level: null,
    problem: null,
  };
}

describe("A price", () => {
  it("is read with a comma or a point, and is nothing else", () => {
    const prices = { "3,50": 3.5, " 3.5 ": 3.5, "0": 0, "4,5 €": 4.5, "€4.50": 4.5, "3 EUR": 3 };
    for (const [text, price] of Object.entries(prices)) expect(priceOf(text), text).to.equal(price);
    for (const text of ["", "3,", ",5", "1.234,50", "-1", "€", "€ 3 €", "3 euros", "1e3", "NaN"])
      expect(priceOf(text), text).to.equal(undefined);
  });

  it("that is an amount may be typed as the page's language writes it", () => {
    const [es, en] = [createFormat("es-ES", "Europe/Madrid"), createFormat("en-GB", "Europe/Madrid")];
    const spanish = {
      "1.234,50 €": 1_234.5,
      "1.234": 1_234,
      "1.234.567": 1_234_567,
      "1,234": 1.234,
      "120.5": 120.5,
    };
    for (const [text, amount] of Object.entries(spanish)) expect(amountOf(text, es), text).to.equal(amount);
    const english = { "£1,234.50": 1_234.5, "1,234": 1_234, "1.234": 1.234, "120,5": 120.5 };
    for (const [text, amount] of Object.entries(english)) expect(amountOf(text, en), text).to.equal(amount);
    for (const text of ["", "1.23,4", "12.34.567", "1,234.50"])
      expect(amountOf(text, es), text).to.equal(undefined);
  });

  it("is in doubt where its three decimals may be meant as thousands", () => {
    for (const text of ["4.500", " 12,000 ", "4.500 €"]) expect(isGrouped(text), text).to.equal(true);
    for (const text of ["4.50", "4500", "0.125", "4.5000", "1234.500"])
      expect(isGrouped(text), text).to.equal(false);
  });
});

describe("The board of lines", () => {
  const line = (address: string, name: string | null, room: string | null = null): Line => ({
    ...lineOf(address),
    name,
    wired: room === null ? null : { deviceName: "Pasillo A", dId: "7234", actuatorId: room },
    watched: room !== null,
  });

  const board = (...lines: readonly Line[]): Board => ({
    simulated: true,
    wirings: [],
    chips: [{ chip: "gpiochip0", label: "", lines: [...lines] }],
    devices: [deviceOf({ "101": false, "102": false })],
  });
  const wiring: Wiring = {
    line: "GPIO17",
    dId: "7234",
    deviceName: "Pasillo A",
    actuatorId: "101",
    valor: 1,
    activeLow: false,
    bias: "as-is",
    debounceMs: 50,
    rearmMs: 0,
    paidMinutes: 0,
    watched: true,
    problem: null,
  };

  it("names a line by its name only where no other has it", () => {
    const [one, other] = [line("gpiochip0:1", "GPIO17"), line("gpiochip1:1", "GPIO17")];
    expect(wiringName(board(one), one)).to.equal("GPIO17");
    expect(wiringName(board(one, other), one)).to.equal("gpiochip0:1");
    expect(wiringName(board(line("gpiochip0:2", null)), line("gpiochip0:2", null))).to.equal("gpiochip0:2");
  });

  it("finds the wiring of a line by its room, however the line was named", () => {
    expect(wiringOf(line("gpiochip0:17", "GPIO17", "101"), [wiring])).to.equal(wiring);
    expect(wiringOf(line("gpiochip0:18", "GPIO18", "102"), [wiring])).to.equal(undefined);
    expect(wiringOf(line("gpiochip0:19", null), [wiring])).to.equal(undefined);
  });

  it("gives the line of a room that was switched its level, and no other line", () => {
    const lines = board(line("gpiochip0:17", "GPIO17", "101"), line("gpiochip0:18", "GPIO18", "102"));
    const switched = (deviceId: string, actuatorId: string) =>
      switchLine(lines, { deviceId, actuatorId, value: true, time: 0 });
    expect(linesOf(switched("d1", "101")).map(({ level }) => level)).to.deep.equal([true, null]);
    expect(switched("d1", "103")).to.equal(lines);
    expect(switched("d2", "101")).to.equal(lines);
  });

  it("offers only rooms without a line, and free lines", () => {
    expect(freeRooms({ ...board(), wirings: [wiring] }).map(({ room }) => room)).to.deep.equal(["102"]);
    expect(isFree(line("a", null))).to.equal(true);
    expect(isFree(line("a", null, "101"))).to.equal(false);
    expect(isFree({ ...line("a", null), consumer: "leds" })).to.equal(false);
    expect(isFree({ ...line("a", null), wiredByOther: true })).to.equal(false);
  });
});

describe("An age", () => {
  const words = { days: (count: string) => `${count} días` };
  const format = { count: String, duration: (ms: number) => `${ms / 60_000} min` };

  it("is told in days from two on, in hours and minutes below", () => {
    expect(ageText(3 * DAY_MS + 5, words, format)).to.equal("3 días");
    expect(ageText(47.9 * HOUR_MS, words, format)).to.equal(`${47 * 60} min`);
    expect(ageText(5 * 60_000, words, format)).to.equal("5 min");
  });
});

describe("A failure that no field of the form shows", () => {
  const failure = (...paths: readonly string[]) =>
    new ApiFailure(409, "taken", new Map(paths.map((path) => [path, { kind: "unique", message: "" }])));

  it("is told for the form as a whole", () => {
    expect(unplacedFailure(failure("line"), ["valor"])?.fields.size).to.equal(0);
    expect(unplacedFailure(failure("line"), ["valor"])?.status).to.equal(409);
    expect(unplacedFailure(null, ["valor"])).to.equal(null);
  });

  it("stays with its field where that is shown, however deep its path", () => {
    expect(unplacedFailure(failure("wiring.valor"), ["valor"])?.fields.size).to.equal(1);
    expect(unplacedFailure(failure("line", "valor"), ["valor"])?.fields.size).to.equal(2);
  });
});

describe("A price far from the others", () => {
  it("is ten times more or less than the median of what is sold", () => {
    const known = [4, 0, 5.5, 4, 1_000];
    for (const [valor, isOdd] of [
      [400, true],
      [55, true],
      [54.9, false],
      [4, false],
      [0.4, true],
      [0, false],
    ] as const) {
      expect(isOddPrice(valor, known), String(valor)).to.equal(isOdd);
    }
    expect([isOddPrice(400, []), isOddPrice(undefined, known)]).to.deep.equal([false, false]);
  });
});
