import { expect } from "chai";
import fc from "fast-check";
import { MAX_VALOR, microsFromValor, valorFromMicros } from "../../src/domain/amount.ts";

describe("amount", () => {
  it("rounds to millionths", () => {
    expect(microsFromValor(0.1234567)).to.equal(123_457);
    expect(microsFromValor(-0.1234567)).to.equal(-123_457);
    expect(microsFromValor(MAX_VALOR)).to.equal(1e13);
  });

  it("has no negative zero", () => {
    expect(Object.is(microsFromValor(-0.0000001), 0)).to.equal(true);
    expect(Object.is(microsFromValor(-0), 0)).to.equal(true);
  });

  it("adds 0.1 and 0.2 to 0.3", () => {
    expect(valorFromMicros(microsFromValor(0.1) + microsFromValor(0.2))).to.equal(0.3);
  });

  it("keeps every number of six decimals", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), (micros) => {
        expect(microsFromValor(valorFromMicros(micros))).to.equal(micros);
      }),
    );
  });

  it("differs from the number by half a millionth at most", () => {
    fc.assert(
      fc.property(fc.double({ min: -MAX_VALOR, max: MAX_VALOR, noNaN: true }), (valor) => {
        expect(Math.abs(valorFromMicros(microsFromValor(valor)) - valor)).to.be.at.most(
          0.5e-6 + Number.EPSILON * MAX_VALOR,
        );
      }),
    );
  });

  it("recognises sums beyond a 64-bit integer of millionths", () => {
    expect(valorFromMicros(20_000n * 999_999_999_999_999n)).to.equal(19_999_999_999_999.98);
  });
});
