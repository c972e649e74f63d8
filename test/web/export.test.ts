import { expect } from "chai";
import fc from "fast-check";
import { openExport, RowCount } from "../../src/web/api/records.ts";

describe("The rows of an export", () => {
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

  it("are counted as they come, in pieces of any size, whatever stands in their cells", () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom("a\r\nb", 'say "no"', ";", "\n\n", "ñ€"));
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (cells, size) => {
        const text = `\uFEFFFecha;Valor\r\n${cells.map((value) => `${quote(value)};1\r\n`).join("")}`;
        const bytes = new TextEncoder().encode(text);
        const count = new RowCount();
        for (let at = 0; at < bytes.length; at += size) count.add(bytes.subarray(at, at + size));
        expect(count.rows).to.equal(cells.length);
      }),
    );
  });

  it("are none before the header has come", () => {
    const count = new RowCount();
    expect(count.rows).to.equal(0);
    count.add(new TextEncoder().encode("Fecha;Valor"));
    expect(count.rows).to.equal(0);
  });
});

describe("An export", () => {
  it("tells its name and its number of rows, and does without both", async () => {
    const headers = {
      "content-disposition": 'attachment; filename="flanco-ventas-2026.csv"',
      "x-flanco-rows": "12",
    };
    const asked: string[] = [];
    const stream = async (path: string) => {
      asked.push(path);
      return new Response("x", asked.length === 1 ? { headers } : {});
    };
    const told = await openExport({ stream }, "room=101&lang=es");
    expect(asked).to.deep.equal(["/api/export?room=101&lang=es"]);
    expect(told).to.include({ fileName: "flanco-ventas-2026.csv", rows: 12 });
    expect(await openExport({ stream }, "")).to.include({ fileName: "flanco.csv", rows: null });
  });
});
