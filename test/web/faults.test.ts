import { expect } from "chai";
import { FAULT_CODES } from "../../src/domain/fault.ts";
import { type FaultValues, faultTexts } from "../../src/web/messages/faults.ts";

/** What a fault's text is given when its details name one thing, or many. */
function valuesOf(number: number): FaultValues {
  return {
    number: () => number,
    count: () => String(number),
    bytes: () => `${number} MB`,
    moment: () => "10:42",
    text: () => "GPIO17",
  };
}

describe("The gateway's faults in plain words", () => {
  for (const [language, { faults }] of Object.entries(faultTexts)) {
    it(`are there for every code, whatever the values: ${language}`, () => {
      for (const code of FAULT_CODES) {
        for (const number of [0, 1, 2]) {
          const { what, todo } = faults[code];
          const said = `${what(valuesOf(number))} ${todo(valuesOf(number))}`;
          expect(said, code).to.match(/^\S.*[.] \S.*[.]$/);
          expect(said, code).to.not.match(/undefined|NaN/);
        }
      }
    });
  }

  it("count in the singular and the plural", () => {
    const { backup_old: backupOld } = faultTexts.es.faults;
    expect(backupOld.what(valuesOf(1))).to.contain("hace 1 día.");
    expect(backupOld.what(valuesOf(3))).to.contain("hace 3 días.");
  });
});
