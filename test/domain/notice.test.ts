import { expect } from "chai";
import { isQuiet, parseQuietHours } from "../../src/domain/notice.ts";

function quietAt(hours: string, time: string): boolean {
  const parsed = parseQuietHours(hours);
  return parsed !== undefined && isQuiet(`2026-11-24T${time}:00.000`, parsed);
}

describe("quiet hours", () => {
  it("go through midnight where they end before they begin", () => {
    const times = ["21:59", "22:00", "00:00", "06:59", "07:00", "12:00"];
    expect(times.filter((time) => quietAt("22:00-07:00", time))).to.deep.equal(["22:00", "00:00", "06:59"]);
  });

  it("may be within a day", () => {
    expect(["12:59", "13:00", "15:29", "15:30"].filter((time) => quietAt("13:00-15:30", time))).to.deep.equal(
      ["13:00", "15:29"],
    );
  });

  it("are two times of a day, apart from each other", () => {
    for (const wrong of ["", "22-7", "24:00-07:00", "22:00-22:00", "22:60-07:00", "22:00-07:00 "]) {
      expect(parseQuietHours(wrong), wrong).to.equal(undefined);
    }
  });
});
