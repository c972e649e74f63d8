import { expect } from "chai";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import {
  FAULT_CODES,
  FAULTS,
  type Fault,
  type FaultCode,
  FaultWatch,
  fault,
  tellsEnd,
  toldFault,
} from "../../src/domain/fault.ts";
import { LANGUAGES } from "../../src/domain/language.ts";

const DISK = fault("disk_full", 1);
const HOT = fault("too_hot", 1, { temperature: 81 });
const LOST = fault("edges_lost", 1, { gaps: 1, edges: 1, sales: 0, lines: "GPIO17" });

/** What people are told, with the minute, while the given faults are there from one minute to another (left out). */
function told(
  earlier: readonly Fault[],
  until: number,
  ...present: readonly (readonly [Fault, number, number])[]
): string[] {
  const watch = new FaultWatch();
  let known = earlier;
  return Array.from({ length: until }, (_, minute) => {
    const faults = present.filter(([, from, to]) => minute >= from && minute < to).map(([one]) => one);
    const { begun, over } = watch.update(known, faults, minute * MINUTE_MS);
    known = [...known.filter((fault) => !over.includes(fault)), ...begun];
    return [
      ...begun.map(({ code }) => `${minute} begun ${code}`),
      ...over.filter(tellsEnd).map(({ code }) => `${minute} over ${code}`),
    ];
  }).flat();
}

describe("what people are told of faults", () => {
  it("is each fault once when it lasts, and once when it is over", () => {
    expect(told([], 100, [DISK, 10, 40])).to.deep.equal(["12 begun disk_full", "55 over disk_full"]);
  });

  it("is nothing of a fault that passes at once", () => {
    expect(told([], 100, [DISK, 10, 12])).to.deep.equal([]);
  });

  it("is one message of a fault that comes and goes", () => {
    const flutter = Array.from({ length: 20 }, (_, turn) => [HOT, turn * 5, turn * 5 + 3] as const);
    expect(told([], 130, ...flutter)).to.deep.equal(["2 begun too_hot", "113 over too_hot"]);
  });

  it("is one message though the fault's numbers change", () => {
    const hotter = { ...HOT, details: { temperature: 85 } };
    expect(told([], 30, [HOT, 0, 10], [hotter, 10, 30])).to.deep.equal(["2 begun too_hot"]);
  });

  it("is nothing again after a restart, and the end of what another process has told of", () => {
    expect(told([DISK, HOT], 60, [DISK, 1, 60])).to.deep.equal(["15 over too_hot"]);
  });

  it("is no end of what has happened and cannot be mended", () => {
    expect(told([], 100, [LOST, 0, 30])).to.deep.equal(["2 begun edges_lost"]);
  });
});

describe("The gateway's faults in plain words", () => {
  /** What a fault says whose details are all this number, or are not told. */
  function textsOf(code: FaultCode, number?: number) {
    const details = new Proxy({}, { get: () => number });
    return toldFault({ code, sinceMs: 1, message: "", hint: "", details }, "Europe/Madrid").texts;
  }

  it("are there for every code in both languages, whatever the values", () => {
    for (const code of FAULT_CODES) {
      for (const number of [0, 1, 2, undefined]) {
        for (const language of LANGUAGES) {
          const { what, todo } = textsOf(code, number)[language];
          expect(`${what} ${todo}`, code).to.match(/^\S.*[.] \S.*[.]$/);
          expect(`${what} ${todo}`, code).to.not.match(/undefined|NaN/);
        }
      }
    }
  });

  it("name no number of sales to a role that gets none", () => {
    for (const code of FAULT_CODES.filter((one) => "sales" in FAULTS[one])) {
      for (const { what } of Object.values(textsOf(code))) expect(what, code).not.to.match(/\d|: \./);
    }
  });

  it("are no alarms where they say that everything is recorded, or that one can go on working", () => {
    const calm =
      /todo se registra|se registra todo|se siguen registrando|no se pierde nada|seguir trabajando/i;
    const codes = FAULT_CODES.filter((code) => calm.test(textsOf(code).es.todo));
    expect(codes).to.include.members(["disk_slow", "tail_failed", "sink_failing"]);
    for (const code of codes) expect(FAULTS[code].severity, code).to.be.oneOf(["warning", "note"]);
  });

  it("count in the singular and the plural", () => {
    expect(textsOf("backup_old", 1).es.what).to.contain("hace 1 día.");
    expect(textsOf("backup_old", 3).es.what).to.contain("hace 3 días.");
    for (const code of ["records_unplaced", "clock_wrong"] as const) {
      expect(textsOf(code, 1).es.todo, code).to.not.match(/cuentan/i);
      expect(textsOf(code, 1).en.todo, code).to.not.match(/\b(they|their)\b/i);
    }
  });

  it("have numbers and dates as the language writes them, by the gateway's zone", () => {
    const low = fault("disk_low", 1, { freeBytes: 1_234_000_000, totalBytes: 1 });
    expect(toldFault(low, "UTC").texts.es.what).to.contain("1234 MB");
    expect(toldFault(low, "UTC").texts.en.what).to.contain("1,234 MB");
    const noon = Date.UTC(2026, 2, 11, 11);
    const outage = fault("line_outage", 1, { gaps: 1, from: noon, to: noon, lines: "L" });
    expect(toldFault(outage, "Europe/Madrid").texts.es.what).to.contain("11 mar 2026, 12:00");
  });
});
