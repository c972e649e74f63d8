import { expect } from "chai";
import { createFormat } from "../../src/web/format/format.ts";
import { recordsTexts } from "../../src/web/messages/records.ts";
import { archivedText } from "../../src/web/records/archived-text.ts";

const FORMAT = createFormat("es-ES", "Europe/Madrid");
const ARCHIVED = ["2024-12", "2025-01", "2025-02"];

describe("What the lists leave out of what is asked for", () => {
  it("is nothing where nothing is archived, or what is asked for was sold before or after", () => {
    expect(said([], "", "")).to.equal(undefined);
    expect(said(ARCHIVED, "2025-03-01", "")).to.equal(undefined);
    expect(said(ARCHIVED, "", "2024-11-30")).to.equal(undefined);
  });

  it("is told by its first and last month that are asked for", () => {
    expect(said(ARCHIVED, "", "")).to.contain("diciembre de 2024 a febrero de 2025");
    expect(said(ARCHIVED, "2025-01-31", "")).to.contain("enero de 2025 a febrero de 2025");
    expect(said(ARCHIVED, "2024-12-31", "2024-12-31")).to.contain("de diciembre de 2024 están");
  });
});

function said(archived: readonly string[], from: string, to: string): string | undefined {
  return archivedText(archived, { from, to }, recordsTexts.es, FORMAT);
}
