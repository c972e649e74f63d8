import { expect } from "chai";
import { splitOf, type Terms, termsIn } from "../../src/domain/terms.ts";

const CENT = 10_000n;
const TERMS: Terms = {
  ...{ from: "2026-02", kind: "share", share: 33.33, amount: 0, vat: 21 },
  ...{ companySigner: "", clinicSigner: "", closesItself: false },
};

/** Base, VAT and both parts of an amount of cents, in cents. */
function parts(cents: number, otherwise: Partial<Terms> = {}): readonly number[] {
  const { base, vat, clinic, company } = splitOf(BigInt(cents) * CENT, { ...TERMS, ...otherwise }, CENT);
  return [base, vat, clinic, company].map((micros) => Number(micros) / Number(CENT));
}

describe("What is agreed with a clinic", () => {
  it("splits a month to the cent, halves away from zero, also one with more refunds than sales", () => {
    expect(parts(1)).to.deep.equal([1, 0, 0, 1]);
    expect(parts(1_000)).to.deep.equal([826, 174, 333, 667]);
    expect(parts(-1_000)).to.deep.equal([-826, -174, -333, -667]);
    expect(parts(5, { share: 50 }).slice(2)).to.deep.equal([3, 2]);
    expect(parts(-5, { share: 50 }).slice(2)).to.deep.equal([-3, -2]);
  });

  it("pays a canon, and a minimum at least, whatever was sold", () => {
    for (const cents of [0, 1_000, -1_000]) {
      expect(parts(cents, { kind: "canon", amount: 30 }).slice(2)).to.deep.equal([3_000, cents - 3_000]);
      expect(parts(cents, { kind: "minimum", amount: 30 }).slice(2)).to.deep.equal([3_000, cents - 3_000]);
    }
    expect(parts(30_000, { kind: "minimum", amount: 30 }).slice(2)).to.deep.equal([9_999, 20_001]);
  });

  it("keeps an amount whole where the currency has fewer decimals than its prices", () => {
    const { base, vat, clinic, company } = splitOf(1_234_567n, TERMS, 1_000_000n);
    expect([base + vat, clinic + company]).to.deep.equal([1_234_567n, 1_234_567n]);
    expect([base, clinic]).to.deep.equal([1_000_000n, 0n]);
  });

  it("holds from its month on, until later terms do, and of its location alone", () => {
    const at = (location: string, from: string) => ({ ...TERMS, location, from });
    const all = [
      at("Norte", "2026-09"),
      at("Norte", "2026-11"),
      at("Sur", "2026-01"),
      at("Norte", "2026-10"),
    ];
    const from = (month: number) => termsIn(all, "Norte", month)?.from ?? null;
    expect([202608, 202609, 202610, 202612].map(from)).to.deep.equal([
      ...[null, "2026-09", "2026-10", "2026-11"],
    ]);
    expect(termsIn(all, "Sur", 202612)).not.to.have.property("location");
  });
});
