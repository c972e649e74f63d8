import { expect } from "chai";
import { IdGenerator } from "../../src/domain/id.ts";

describe("id", () => {
  it("is 24 lower-case hexadecimal digits, time first", () => {
    const id = new IdGenerator(
      () => 1_795_263_404_156,
      () => 2 ** 48 - 2,
    ).next();
    expect(id).to.match(/^[0-9a-f]{24}$/);
    expect(Number.parseInt(id.slice(0, 12), 16)).to.equal(1_795_263_404_156);
  });

  it("sorts by creation within a millisecond and while the clock steps back", () => {
    const times = [5, 5, 5, 3, 0, -7, 4, 6, 6];
    const randoms = [0, 2 ** 48 - 2, 7, 0, 2 ** 48 - 2, 7, 0, 2 ** 48 - 2, 7];
    const ids = new IdGenerator(
      () => times.shift() ?? 6,
      () => randoms.shift() ?? 0,
    );
    const made = Array.from({ length: 9 }, () => ids.next());
    expect([...new Set(made)].sort()).to.deep.equal(made);
  });
});
