import { expect } from "chai";
import { AUDIT_KINDS } from "../../src/domain/audit.ts";
import { auditEntryOf } from "../../src/web/api/audit.ts";
import { auditTexts } from "../../src/web/messages/audit.ts";

const ENTRY = {
  auditId: 7,
  kind: "wiring_set",
  time: 3,
  provisional: false,
  own: true,
  way: "network",
  who: "ana@example.org",
  from: "192.0.2.7",
  details: { line: "GPIO17", room: "101", valor: 4.5, activeLow: false, deep: { no: 1 } },
};

describe("The audit log, as the page reads it", () => {
  it("comes with the values that a text can show", () => {
    const entry = auditEntryOf(ENTRY);
    expect(entry).to.deep.include({ auditId: 7, timeMs: 3, who: "ana@example.org", isProvisional: false });
    expect(entry.details).to.deep.equal({ line: "GPIO17", room: "101", valor: 4.5, activeLow: false });
    expect(auditEntryOf({ ...ENTRY, who: null }).who).to.equal(null);
    expect(() => auditEntryOf({ ...ENTRY, time: "now" })).to.throw(TypeError, "time is not a number");
  });

  it("has a text in both languages for everything that is noted", () => {
    for (const texts of [auditTexts.es, auditTexts.en]) {
      expect(Object.keys(texts.kinds).sort()).to.deep.equal([...AUDIT_KINDS].sort());
    }
  });

  it("tells a price with the one before it", () => {
    const value = (name: string) => ({ room: "101", valor: "5,00 €", valorBefore: "4,50 €" })[name] ?? "";
    expect(auditTexts.es.kinds.wiring_set(value)).to.equal(
      "Precio de la habitación 101: 5,00 € (antes 4,50 €)",
    );
  });
});
