import { expect } from "chai";
import { isMonth, monthAfter, monthOf, monthsUpTo } from "../../src/web/report/month.ts";

describe("The month of a report", () => {
  it("goes on and back across years", () => {
    expect(monthAfter("2026-12", 1)).to.equal("2027-01");
    expect(monthAfter("2026-01", -1)).to.equal("2025-12");
    expect(monthAfter("2026-03", -27)).to.equal("2023-12");
    expect(monthOf("2026-11-21")).to.equal("2026-11");
  });

  it("is read from an address only when it is one", () => {
    expect(isMonth("2026-02")).to.equal(true);
    for (const text of ["2026-13", "2026-00", "2026-2", "", "2026-02-01"])
      expect(isMonth(text), text).to.equal(false);
  });

  it("is one of the last three years, or an older one that was asked for", () => {
    const months = monthsUpTo("2026-11", "2026-05");
    expect(months).to.have.length(36);
    expect([months[0], months[35]]).to.deep.equal(["2026-11", "2023-12"]);
    expect(monthsUpTo("2026-11", "2019-01").at(-1)).to.equal("2019-01");
  });
});
