import Database from "better-sqlite3";
import { expect } from "chai";
import type { Terms } from "../../src/contract/settlement.ts";
import { MonthClosing } from "../../src/service/month-closing.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aLocation, aRecord } from "./bodies.ts";

const NORTH = "Clínica Norte";
const EURO = { code: "EUR", decimals: 2 };

/** A moment of the appliance's zone, in winter. */
function madrid(local: string): number {
  return Date.parse(`${local}+01:00`);
}

describe("The settlement of a month", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => {
    appliance.clock.setWall(NOON_MS);
    return appliance.addUser();
  });

  async function agree(otherwise: Partial<Terms> = {}, of = user): Promise<void> {
    await of.post("/api/location", aLocation({ name: NORTH })).expect(200);
    const [location] = await of.data("/api/location");
    const terms = { locationId: location?._id, from: "2026-02", kind: "share", share: 25.5, ...otherwise };
    await of.put("/api/terms", { terms }).expect(200);
  }

  /** What closes months by itself, on this appliance. */
  function closingWith(isTrusted: () => boolean, refused = ""): MonthClosing {
    const { reader, writer, clock, log, status } = appliance;
    const draftSettlement = async (...input: Parameters<typeof reader.draftSettlement>) => {
      if (input[0] === refused) throw new Error("the disk fails");
      return reader.draftSettlement(...input);
    };
    return new MonthClosing({
      reader: { ...reader, draftSettlement },
      ...{ writer, clock, log, status, currency: EURO },
      trust: { trusted: isTrusted },
    });
  }

  async function sell(day: string, valor: number, locationName = NORTH): Promise<void> {
    const record = aRecord({ locationName, valor, createdTime: madrid(`${day}T10:00:00`) });
    await user.post("/api/data", record).expect(201);
  }

  const close = (month: string, counted: readonly object[] = []) =>
    user.post("/api/settlement", { settlement: { month, counted } });

  it("is closed with the money that was counted, once, after the month has ended, and its paper is held to the ledger", async () => {
    await agree();
    await sell("2026-02-10", 100);
    await sell("2026-02-10", 50, "Sur");
    await close("2026-03").expect(409);
    const { hash, number } = (await close("2026-02", [{ location: NORTH, valor: 99.5 }]).expect(200)).body
      .data;
    await close("2026-02").expect(409);
    const { content } = await user.data("/api/settlement", { month: "2026-02" });
    const [{ counted, difference, due }] = content.locations;
    expect({ counted, difference }).to.deep.equal({ counted: 99.5, difference: -0.5 });
    expect(due).to.deep.equal({ net: 100, base: 82.64, vat: 17.36, clinic: 25.5, company: 74.5 });
    const check = (query: object) => user.data("/api/settlement/check", query);
    const right = await check({ hash: hash.slice(0, 16), net: "150,00" });
    expect(right).to.deep.include({ net: 150, netIsRight: true, differences: [] });
    // A clinic's own paper has its location's amount.
    expect(await check({ hash, net: "100" })).to.deep.include({ netIsRight: true });
    expect(await check({ number: String(number), net: "99" })).to.deep.include({ netIsRight: false });
    expect((await check({ hash: "0".repeat(64) })).found).to.equal(null);
    // What comes later changes the next one alone.
    await sell("2026-02-11", 7);
    expect((await check({ hash })).differences).to.deep.equal([]);
    const next = await user.data("/api/settlement/draft", { month: "2026-03" });
    expect(next.totals.corrected.net).to.equal(7);
    expect((await user.data("/api/settlements")).next).to.equal("2026-03");
  });

  it("is held to the ledger part by part, also where somebody has altered the file", async () => {
    await agree();
    await sell("2026-02-10", 100);
    await sell("2026-02-10", 50, "Sur");
    const { hash } = (await close("2026-02", [{ location: NORTH, valor: 99.5 }]).expect(200)).body.data;
    const check = async () => (await user.data("/api/settlement/check", { hash })).differences;
    expect(await check()).to.deep.equal([]);
    const alter = (sql: string) => {
      const db = new Database(appliance.ledgerFile);
      db.prepare(sql).run(user.id);
      db.close();
    };
    alter("UPDATE record SET valor_micros = valor_micros + 1 WHERE user_id = ? AND location_name = 'Sur'");
    const [settled, ledger] = [50, 50.000001];
    expect(await check()).to.deep.equal([
      { part: "totals", name: "", settled: 150, ledger: 150.000001 },
      { part: "location", name: "Sur", settled, ledger },
      { part: "room", name: "Sur, 101 (7234)", settled, ledger },
    ]);
    alter("UPDATE record SET valor_micros = valor_micros - 1 WHERE user_id = ? AND location_name = 'Sur'");
    alter(
      "UPDATE audit SET details = replace(details, '99.5', '98.5') WHERE user_id = ? AND kind = 'month_closed'",
    );
    expect(await check()).to.deep.equal([{ part: "entry", name: "", settled: 150, ledger: 0 }]);
  });

  it("refuses money of a location that it does not have, and closes nothing", async () => {
    await sell("2026-02-10", 1);
    const { body } = await close("2026-02", [{ location: "Sur", valor: 1 }]).expect(400);
    expect(body.error).to.match(/^counted: the settlement has no location "Sur"/);
    expect((await user.data("/api/settlements")).closed).to.deep.equal([]);
  });

  it("is closed by itself on the third day where all terms say so, by a trusted clock alone", async () => {
    await agree({ closesItself: true });
    await sell("2026-02-10", 1);
    let isTrusted = false;
    const closing = closingWith(() => isTrusted);
    const closed = async () => {
      await closing.closeDue();
      return (await user.data("/api/settlements")).closed.map(({ month }: { month: string }) => month);
    };
    appliance.clock.setWall(madrid("2026-03-03T00:00:01"));
    expect(await closed()).to.deep.equal([]);
    isTrusted = true;
    appliance.clock.setWall(madrid("2026-03-02T23:59:59"));
    expect(await closed()).to.deep.equal([]);
    appliance.clock.setWall(madrid("2026-03-03T00:00:01"));
    expect(await closed()).to.deep.equal(["2026-02"]);
    expect(await closed()).to.deep.equal(["2026-02"]);
  });

  it("is closed by itself also where the month of an account before cannot be", async () => {
    const other = await appliance.addUser();
    for (const one of [user, other]) await agree({ closesItself: true }, one);
    appliance.clock.setWall(madrid("2026-03-03T00:00:01"));
    await closingWith(() => true, user.id).closeDue();
    const closed = async (of: typeof user) => (await of.data("/api/settlements")).closed.length;
    expect([await closed(user), await closed(other)]).to.deep.equal([0, 1]);
  });

  it("comes first where something was sold, also where the terms are older than the gateway", async () => {
    await agree({ from: "2019-05" });
    const next = async () => (await user.data("/api/settlements")).next;
    expect(await next()).to.equal("2026-02");
    // Of a box whose clock was never set.
    await sell("1970-01-01", 1);
    expect(await next()).to.equal("2026-02");
    await sell("2026-01-10", 1);
    expect(await next()).to.equal("2026-01");
  });
});

describe("A month that is closed by hand", () => {
  const appliance = forSuite(() => Appliance.open());
  const owner = forSuite(() => appliance.addUser());

  it("is not closed while the clock is not trusted, which may be months ahead", async () => {
    const close = () => owner.post("/api/settlement", { settlement: { month: "2026-02" } });
    appliance.trustedSinceMs = null;
    const { body } = await close().expect(409);
    expect(body.error).to.include("clock is not set");
    expect((await owner.get("/api/settlements").expect(200)).body.data.closed).to.deep.equal([]);
    appliance.trustedSinceMs = NOON_MS;
    await close().expect(200);
  });
});
