import { expect } from "chai";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

describe("The numbers of an account over the API", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  it("are 1, 2, 3 and so on, and tell nothing of what others sell, lose or do", async () => {
    const other = await appliance.addUser();
    const line = await WiredLine.wire(appliance, user, "SIM0");
    for (let turn = 0; turn < 5; turn += 1) {
      await line.go(turn % 2 === 0, 2);
      await user.post("/api/data", aRecord()).expect(201);
      for (let sale = 0; sale <= turn; sale += 1) await other.post("/api/data", aRecord()).expect(201);
      await appliance.writer.noteAudit([
        { kind: "clock_corrected", userId: other.id, details: {}, actor: SERVICE_ACTOR },
        { kind: "clock_corrected", userId: user.id, details: {}, actor: SERVICE_ACTOR },
      ]);
    }
    for (const path of ["/api/record", "/api/gap", "/api/audit"]) {
      const entries = (await user.pages(path, 2)).flat().filter(({ own }) => own !== false);
      const numbers = entries.map(({ number }) => number).filter((number) => number !== null);
      const count = numbers.length;
      expect(count, path).to.be.at.least(5);
      expect(
        numbers.map(Number).toSorted((one, another) => one - another),
        path,
      ).to.deep.equal(Array.from({ length: count }, (_, index) => index + 1));
    }
    const { body } = await user.get("/api/record?limit=2").expect(200);
    expect(body.next).to.equal(`${body.data[1].createdTime}-${body.data[1].number}`);
  });

  it("stand in the entry of a record that was voided, too", async () => {
    const other = await appliance.addUser();
    for (const each of [other, other, user]) await each.post("/api/data", aRecord()).expect(201);
    await user.post("/api/record/void", { void: { number: 1, reason: "Cobro de prueba" } }).expect(200);
    const voided = (await user.pages("/api/audit", 50)).flat().find(({ kind }) => kind === "record_voided");
    expect(voided?.["details"]).to.include({ number: 1 });
    expect(appliance.recordsOf(other.id).every((record) => record.voided === null)).to.equal(true);
  });
});
