import { expect } from "chai";
import type { ProvenBackup } from "../../src/domain/backup.ts";
import { fault, foreignFault } from "../../src/domain/fault.ts";
import type { Role } from "../../src/domain/member.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { EventStream } from "../rig/event-stream.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forSuite } from "../rig/standing.ts";
import { aLocation, aRecord, BODIES } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

/** Each attempt that is refused delays the next ones. */
const DELAYED = "/api/me/password";

/** All that grows with the sales, beside what the ledger itself tells. */
async function sell(appliance: Appliance, sales: number): Promise<void> {
  const bytes = { freeBytes: 90_000_000 - sales, ledgerBytes: 4_096 * sales, logBytes: 4_096 * sales };
  appliance.disk = { ...appliance.disk, ...bytes };
  const queue = { waiting: sales, limit: 100 };
  appliance.queues = { writes: queue, edges: { ...queue, refused: true } };
  const delivery = { waiting: sales, delivered: sales, deliveredMs: NOON_MS + sales, behindMs: sales };
  const reason = `The company's database refuses entry ${sales}: value too long.`;
  const failure = { message: reason, hint: "", sinceMs: NOON_MS, tries: 1 };
  const rest = { failed: 1, givenUp: 0, clockOffMs: null, failure };
  appliance.sinks = [{ name: "central", ...delivery, ...rest }];
  const backup = { ledger: "other", locations: [`Place ${sales}`], records: sales, madeMs: NOON_MS };
  appliance.faults = [
    fault("clock_untrusted", NOON_MS, { waiting: sales }),
    fault("records_unplaced", NOON_MS, { records: sales }),
    fault("clock_wrong", NOON_MS, { records: sales, seconds: 90 }),
    fault("edges_refused", NOON_MS, { waiting: sales }),
    fault("edges_swallowed", NOON_MS, { edges: sales, lines: "SIM0" }),
    fault("restore_dropped", NOON_MS, { backup: "b", since: "", until: "", sales }),
    fault("time_zone_changed", NOON_MS, { from: "UTC", to: "Europe/Madrid", sales }),
    fault("edges_lost", NOON_MS, { gaps: 1, edges: sales, sales, lines: "SIM0" }),
    fault("queue_filling", NOON_MS, { queue: "edges", waiting: sales, limit: 100 }),
    fault("records_lost", NOON_MS, { from: sales, to: sales + 1, reason: "damage" }),
    fault("copy_damaged", NOON_MS, { what: `The entries ${sales} to ${sales + 1} are missing.` }),
    fault("sink_failing", NOON_MS, { sink: "central", reason }),
    fault("ledger_damaged", NOON_MS, { what: `The entry ${sales} is missing.` }),
    foreignFault("/disk", [backup as unknown as ProvenBackup], NOON_MS),
  ];
  await appliance.status.logNewFaults();
}

describe("A role without money", () => {
  const appliance = forSuite(() => Appliance.open());
  const owner = forSuite(() => appliance.addUser());
  const line = forSuite(() => WiredLine.wire(appliance, owner, "SIM7"));

  before(async () => {
    await owner.post("/api/location", aLocation()).expect(200);
    appliance.trustedSinceMs = null;
  });

  /** Every answer to a member, whole, by operation. */
  async function answersTo(by: SignedInUser): Promise<ReadonlyMap<string, string>> {
    const answers = new Map<string, string>();
    for (const { method, path, security } of operationsOf(await appliance.description())) {
      if (security.length === 0 || path === DELAYED) continue;
      if (path === "/api/event" && by.role !== "program") {
        const stream = await EventStream.open(by);
        answers.set(path, JSON.stringify(await stream.next()));
        stream.close();
        continue;
      }
      const { status, headers, text } = await by[method](path, BODIES[`${method} ${path}`] && {});
      const { date: _date, ...head } = headers;
      answers.set(`${method} ${path}`, JSON.stringify({ status, head, text }));
    }
    return answers;
  }

  /** The operations whose answer is another one after `change`. */
  async function changedBy(
    by: SignedInUser,
    change: () => Promise<unknown>,
    shown = (text: string) => text,
  ): Promise<readonly string[]> {
    const before = await answersTo(by);
    await change();
    const after = await answersTo(by);
    expect(after.size).to.equal(before.size).and.to.be.above(40);
    return [...after]
      .filter(([name, text]) => shown(before.get(name) ?? "") !== shown(text))
      .map(([name]) => name);
  }

  async function postAndVoid(): Promise<void> {
    for (let valor = 1; valor <= 17; valor += 1)
      await owner.post("/api/data", aRecord({ valor })).expect(201);
    for (const { recordId } of appliance.recordsOf(owner.id).slice(0, 3)) {
      await appliance.writer.voidRecord(recordId, "Cobro de prueba");
    }
    await sell(appliance, 950);
  }

  for (const role of ["technician", "display", "program"] as const satisfies readonly Role[]) {
    describe(`(${role})`, () => {
      let by: SignedInUser;

      before(async () => {
        by = await appliance.addMember(owner.id, role);
        await sell(appliance, 150);
      });

      it("gets the same bytes of every operation, whatever was sold, voided or lost, or waits", async () => {
        expect(await changedBy(by, postAndVoid)).to.deep.equal([]);
      });

      it("gets the same bytes however often a room was switched on and off, but for the time of the last", async () => {
        const go = (count: number) => line.goOften(count, { missed: 0, provisional: true });
        await go(1);
        // The position is that time too, in milliseconds since the start.
        const timeless = (text: string) =>
          text.replaceAll(/\b\d{13}\b/g, "«time»").replaceAll(/(:)\d+(?=[\\"]+[,}])/g, "$1«at»");
        expect(await changedBy(by, () => go(5), timeless)).to.deep.equal([]);
      });

      if (role === "program") return;

      it("is told of lost edges, and not of how many", async () => {
        const stream = await EventStream.open(by);
        await stream.next();
        await line.go(false, 4);
        const told = await stream.next();
        expect(told?.event).to.equal("gap");
        expect(told?.data).to.include({ line: "SIM7", missed: null, missedRises: null, reason: "overflow" });
        stream.close();
        for (const { missed, missedRises } of role === "display" ? [] : await by.data("/api/gap")) {
          expect([missed, missedRises]).to.deep.equal([null, null]);
        }
      });
    });
  }

  it("is told less than an owner, who sees all of it change", async () => {
    await sell(appliance, 150);
    const changed = await changedBy(owner, postAndVoid);
    for (const name of ["get /api/status", "get /api/verify", "get /api/data", "/api/event"])
      expect(changed).to.include(name);
  });
});
