import { expect } from "chai";
import { silentDays } from "../../src/domain/device.ts";

/** Days ago of a room that sold each `every` days, until `silent` days ago. */
function sold(silent: number, every: number, days = 28): number[] {
  return Array.from({ length: Math.ceil(days / every) }, (_, index) => silent + index * every);
}

describe("the silence of a room", () => {
  it("is told of at the days that are set, where the room sells each day", () => {
    expect(silentDays({ daysAgo: sold(2, 1) }, 3)).to.equal(null);
    expect(silentDays({ daysAgo: sold(3, 1) }, 3)).to.equal(3);
    expect(silentDays({ daysAgo: sold(9, 1) }, 3)).to.equal(9);
  });

  it("is longer for a room that sells less", () => {
    expect(silentDays({ daysAgo: sold(5, 2) }, 3)).to.equal(null);
    expect(silentDays({ daysAgo: sold(7, 2) }, 3)).to.equal(7);
    expect(silentDays({ daysAgo: sold(7, 7) }, 3)).to.equal(null);
    expect(silentDays({ daysAgo: sold(35, 7) }, 3)).to.equal(35);
  });

  it("is none of a room without a habit: one that never sold, or for less than a week", () => {
    expect(silentDays({ daysAgo: [] }, 3)).to.equal(null);
    expect(silentDays({ daysAgo: sold(5, 1, 6) }, 3)).to.equal(null);
    expect(silentDays({ daysAgo: sold(5, 1, 7) }, 3)).to.equal(5);
  });

  it("does not count what was before the habit's weeks", () => {
    const busyLongAgo = [...sold(4, 7), ...sold(40, 1, 20)];
    expect(silentDays({ daysAgo: busyLongAgo }, 3)).to.equal(null);
  });
});
