import { expect } from "chai";
import fc from "fast-check";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import { ShownNumbers } from "../../src/http/shown-number.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const KEY = "0123456789abcdef";
const BEYOND = 2 ** 40;

describe("A number as accounts see it", () => {
  it("is found again, is of 40 bits, and is no other number's", () => {
    const numbers = new ShownNumbers(KEY);
    fc.assert(
      fc.property(fc.nat({ max: BEYOND - 1 }), (number) => {
        expect(numbers.find(numbers.show(number))).to.equal(number);
        expect(numbers.show(numbers.find(number))).to.equal(number);
        expect(numbers.show(number)).to.be.below(BEYOND);
      }),
    );
    // Where a search goes on above every record of a moment.
    for (const above of [BEYOND, Number.MAX_SAFE_INTEGER]) {
      expect(numbers.find(above)).to.equal(above);
      expect(numbers.show(above)).to.equal(above);
    }
  });

  it("tells neither order nor distance: neighbours are shown apart, by each key in another way", () => {
    const first = Array.from({ length: 1_000 }, (_, number) => new ShownNumbers(KEY).show(number));
    const rises = first.filter((shown, index) => shown > (first[index - 1] ?? 0)).length;
    expect(rises).to.be.within(430, 570);
    const near = first.filter((shown, index) => Math.abs(shown - (first[index - 1] ?? 0)) < BEYOND / 1_000);
    expect(near).to.have.lengthOf.below(15);
    expect(new ShownNumbers("another key").show(1)).not.to.equal(first[1]);
  });

  describe("stands for the ledger's", () => {
    const appliance = forEachTest(() => Appliance.open());
    const user = forEachTest(() => appliance.addUser());

    const all = async (path: string) => (await user.pages(path, 2)).flat();

    it("in records, gaps, audit entries and where a list goes on", async () => {
      const other = await appliance.addUser();
      const line = await WiredLine.wire(appliance, user, "SIM0");
      for (let turn = 0; turn < 5; turn += 1) {
        await line.go(turn % 2 === 0, 2);
        await user.post("/api/data", aRecord()).expect(201);
        await other.post("/api/data", aRecord()).expect(201);
        await appliance.writer.noteAudit([
          { kind: "sign_in_failed", userId: user.id, details: { attempts: turn + 1 }, actor: SERVICE_ACTOR },
        ]);
      }
      for (const [path, name, count] of [
        ["/api/record", "recordId", 8],
        ["/api/gap", "gapId", 5],
        ["/api/audit", "auditId", 6],
      ] as const) {
        const shown = (await all(path)).map((entry) => Number(entry[name]));
        expect(new Set(shown), path).to.have.property("size").at.least(count);
        expect(Math.min(...shown), path).to.be.above(1_000);
        const found = shown.map((number) => appliance.numbers.find(number));
        expect(Math.max(...found), path).to.be.below(100);
      }
      const { body } = await user.get("/api/record?limit=2").expect(200);
      expect(body.next).to.equal(`${body.data[1].createdTime}-${body.data[1].recordId}`);
    });

    it("in the entry of a record that was voided, too", async () => {
      await user.post("/api/data", aRecord()).expect(201);
      await appliance.writer.voidRecord(appliance.reader.newestEntry(), "Cobro de prueba");
      const [record] = await all("/api/record");
      const voided = (await all("/api/audit")).find(({ kind }) => kind === "record_voided");
      expect(voided?.["details"]).to.include({ recordId: record?.["recordId"] });
    });
  });
});
