import { expect } from "chai";
import fc from "fast-check";
import { beginOf, formatCode, parseCode } from "../../src/domain/move.ts";

const SECRET = "0123456789abcde";
const FINGERPRINT = Array.from({ length: 32 }, (_, index) => (0x80 + index).toString(16)).join(":");

describe("A code of a move", () => {
  it("has eight groups of four characters, and holds secret and fingerprint", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{15}$/),
        fc.stringMatching(/^[0-9a-f]{64}$/),
        (secret, fingerprint) => {
          const code = formatCode(secret, fingerprint);
          expect(code).to.match(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
          expect(parseCode(code)).to.deep.equal({ secret, fingerprint: beginOf(fingerprint) });
        },
      ),
    );
  });

  it("is read however it is typed", () => {
    const code = formatCode(SECRET, FINGERPRINT);
    const typed = code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    expect(parseCode(` ${typed}\n`)).to.deep.equal(parseCode(code));
  });

  it("is no other text", () => {
    const code = formatCode(SECRET, FINGERPRINT);
    for (const text of ["", code.slice(1), `${code}0`, code.replace(/.$/, "U")]) {
      expect(parseCode(text)).to.equal(undefined);
    }
  });
});
