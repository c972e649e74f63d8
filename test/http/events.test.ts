import { connect } from "node:net";
import type { PassThrough } from "node:stream";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { Role } from "../../src/domain/member.ts";
import type { NewRecord, StoredRecord } from "../../src/domain/record.ts";
import { EventStreams } from "../../src/http/event.ts";
import { aStoredRecord } from "../domain/record-entry.ts";
import { newRecord } from "../ledger/test-ledger.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { EventStream } from "../rig/event-stream.ts";
import { SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { aDevice, aLocation, anError, aRecord, aWiring } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const HELLO = { event: "hello" };
const MAX_STREAMS = 64;
const MAX_STREAMS_OF_ACCOUNT = 48;
const A_SALE = newRecord({ createdTimeMs: NOON_MS });

function stored(recordId: number, record: NewRecord): StoredRecord {
  return aStoredRecord({ ...record, recordId, number: recordId });
}

describe("Live events", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());
  let streams: EventStream[];

  beforeEach(() => {
    streams = [];
  });
  afterEach(() => {
    for (const stream of streams) stream.close();
  });

  async function open(by = user): Promise<EventStream> {
    const stream = await EventStream.open(by);
    streams.push(stream);
    return stream;
  }

  async function opened(by = user): Promise<EventStream> {
    const stream = await open(by);
    expect(await stream.next()).to.include(HELLO);
    return stream;
  }

  it("greet a page at once, as a stream that no proxy may cache or buffer", async () => {
    const stream = await open();
    expect(stream.response.statusCode).to.equal(200);
    expect(stream.response.headers["content-type"]).to.equal("text/event-stream");
    expect(stream.response.headers).to.include({ "cache-control": "no-store", "x-accel-buffering": "no" });
    expect(await stream.next()).to.include(HELLO);
  });

  it("of one commit are written once, for all streams that see the same", async () => {
    const events = new EventStreams();
    const written = ["owner", "staff", "display"].map((role) => {
      const stream = events.listen(
        { userId: "ana", memberId: role, role: role as Role, limit: null },
        () => true,
      );
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      return chunks;
    });
    await turn();
    for (const chunks of written) chunks.length = 0;
    const room = { deviceId: "d", locationId: "l", actuatorId: "101", value: true, timeMs: 1 };
    events.tell([
      { kind: "record", userId: "ana", record: stored(1, A_SALE) },
      { kind: "record", userId: "luis", record: stored(2, A_SALE) },
      { kind: "actuator", userId: "ana", ...room },
    ]);
    await turn();
    const names = written.map((chunks) => chunks.map((chunk) => `${chunk}`.match(/(?<=event: )\w+/g)));
    expect(names).to.deep.equal([[["record", "actuator"]], [["record", "actuator"]], [["actuator"]]]);
    expect(written[0]?.[0]).to.equal(written[1]?.[0]);
  });

  it("say up to which position all is told: with each change that is told, and each 15 seconds", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    const events = new EventStreams();
    events.open();
    try {
      const stream = events.listen(
        { userId: "ana", memberId: "ana", role: "owner", limit: null },
        () => true,
      );
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      const told = async () => {
        await turn();
        const lines = text.match(/(?<=^(?:id|event): ).+/gm);
        text = "";
        return lines;
      };
      expect((await told())?.[0]).to.equal(events.positionOf({ userId: "ana", role: "owner", limit: null }));
      mock.timers.tick(15_000);
      expect(await told()).to.deep.equal([
        events.positionOf({ userId: "ana", role: "owner", limit: null }),
        "beat",
      ]);
      events.tell([{ kind: "record", userId: "ana", record: stored(1, A_SALE) }]);
      expect(await told()).to.deep.equal([
        events.positionOf({ userId: "ana", role: "owner", limit: null }),
        "record",
      ]);
      events.tell([{ kind: "user", userId: "ana" }]);
      expect(await told()).to.equal(null);
      events.tell([{ kind: "record", userId: "luis", record: stored(2, A_SALE) }]);
      expect(await told()).to.equal(null);
    } finally {
      events.close();
      mock.timers.reset();
    }
  });

  async function positionOf(by = user): Promise<string> {
    const response = await by.get("/api/device").expect(200);
    return String(response.headers["x-flanco-at"]);
  }

  it("begin where an answer stands that was read with nothing changed since, and further on after a change", async () => {
    const before = await positionOf();
    expect((await (await open()).next())?.data).to.deep.equal({ at: before });
    await user.post("/api/location", aLocation()).expect(200);
    const after = await positionOf();
    expect((await (await open()).next())?.data).to.deep.equal({ at: after });
    const [run, number] = String(before).split(":");
    const [sameRun, higher] = String(after).split(":");
    expect(sameRun).to.equal(run);
    expect(Number(higher)).to.be.greaterThan(Number(number));
    expect(new EventStreams().positionOf({ userId: user.id, role: "owner", limit: null })).not.to.match(
      new RegExp(`^${run}`),
    );
  });

  it("stand for a user where they stood, whatever others sell or wire", async () => {
    const [before, others] = [await positionOf(), await positionOf(other)];
    await other.post("/api/data", aRecord()).expect(201);
    await other.post("/api/location", aLocation()).expect(200);
    expect(await positionOf()).to.equal(before);
    expect((await (await open()).next())?.data).to.deep.equal({ at: before });
    expect(await positionOf(other)).not.to.equal(others);
    await WiredLine.wire(appliance, other, "SIM5");
    expect(await positionOf()).to.equal(before);
  });

  it("stand for a role without money where they stood, however much is sold", async () => {
    const display = await appliance.addMember(user.id, "display");
    const [before, owners] = [await positionOf(display), await positionOf(user)];
    await user.post("/api/data", aRecord()).expect(201);
    await appliance.voidNewest(user.id);
    expect(await positionOf(display)).to.equal(before);
    expect(await positionOf(user)).not.to.equal(owners);
  });

  it("tell no number of changes", () => {
    const room = { deviceId: "d", locationId: "l", actuatorId: "101", value: true, timeMs: 1 };
    let nowMs = 0;
    const positionAfter = (times: readonly number[]) => {
      nowMs = 0;
      const events = new EventStreams(() => nowMs);
      const position = () => events.positionOf({ userId: "ana", role: "display", limit: null }).split(":")[1];
      expect(position()).to.equal("0");
      for (const time of times) {
        nowMs = time;
        events.tell([{ kind: "actuator", userId: "ana", ...room }]);
      }
      return position();
    };
    expect(positionAfter([10.5, 20.5, 30.5, 40.5]))
      .to.equal("40")
      .and.to.equal(positionAfter([40.5]));
    expect(positionAfter([40, 40, 39]), "each is further").to.equal("42");
  });

  it("tell a record once it is stored, on every page of its user", async () => {
    const pages = [await opened(), await opened(await appliance.signedIn(user))];
    await user.post("/api/data", aRecord()).expect(201);
    const [listed] = await user.data("/api/record");
    expect(listed).to.include({ number: 1, origin: "posted", ...aRecord() });
    for (const page of pages) expect(await page.next()).to.deep.equal({ event: "record", data: listed });
  });

  it("tell a record that is posted twice with one key once", async () => {
    const page = await opened();
    for (const valor of [1, 1]) {
      await user.post("/api/data", aRecord({ valor })).set("Idempotency-Key", "k").expect(201);
    }
    await user.post("/api/data", aRecord({ valor: 3 })).expect(201);
    expect((await page.next())?.data).to.include({ valor: 1 });
    expect((await page.next())?.data).to.include({ valor: 3 });
  });

  it("tell of a line that goes high its record, then its actuator; of one that goes low its actuator", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM7");
    const deviceId = appliance.reader.devices(user.id)[0]?.id;
    const page = await opened();
    await line.go(true);
    const record = await page.next();
    expect(record?.event).to.equal("record");
    expect(record?.data).to.include({ deviceId, habitacion: "101", valor: 4.5, createdTime: line.timeMs });
    expect(await page.next()).to.deep.equal({
      event: "actuator",
      data: { deviceId, actuatorId: "101", value: true, time: line.timeMs },
    });
    await line.go(false);
    expect(await page.next()).to.deep.equal({
      event: "actuator",
      data: { deviceId, actuatorId: "101", value: false, time: line.timeMs },
    });
  });

  it("tell of edges that were lost", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM6");
    const fromTime = line.timeMs;
    const page = await opened();
    await line.go(false, 4);
    expect(await page.next()).to.deep.equal({
      event: "gap",
      data: {
        number: 1,
        line: "SIM6",
        fromTime,
        toTime: line.timeMs,
        missed: 4,
        missedRises: 2,
        reason: "overflow",
        added: 0,
      },
    });
  });

  it("tell that a record was voided, when and why, to its user alone", async () => {
    const pages = [
      [await opened(), 7],
      [await opened(other), 8],
    ] as const;
    const voided = { timeMs: NOON_MS, reason: "Cobro de prueba" };
    appliance.events.tell([
      { kind: "void", userId: user.id, number: 7, locationName: "Norte", voided },
      { kind: "void", userId: other.id, number: 8, locationName: "Norte", voided },
    ]);
    for (const [page, number] of pages) {
      expect(await page.next()).to.deep.equal({
        event: "void",
        data: { number, voided },
      });
    }
  });

  it("tell the time that a provisional record belongs to, once it is known", async () => {
    const page = await opened();
    appliance.events.tell([
      { kind: "time", userId: user.id, number: 7, locationName: "Norte", timeMs: NOON_MS },
    ]);
    expect(await page.next()).to.deep.equal({ event: "time", data: { number: 7, timeMs: NOON_MS } });
  });

  it("tell when devices, locations or lines have changed, by whomever, and no other account", async () => {
    const [page, foreign] = [await opened(), await opened(other)];
    await user.post("/api/location", aLocation()).expect(200);
    await user.post("/api/device", aDevice()).expect(200);
    await user.patch("/api/device?dId=7234", { device: { name: "Z" } }).expect(200);
    const [location] = appliance.reader.locations(user.id);
    const renamed = user.patch("/api/location", { location: { name: "Norte" } });
    await renamed.query({ locationId: location?.id }).expect(200);
    await user.put("/api/wiring", aWiring({ line: "SIM8" })).expect(200);
    await user.put("/api/wiring/price", { price: { lines: ["SIM8"], valor: 5 } }).expect(200);
    await appliance.writer.removeWiring(user.id, "SIM8");
    await user.delete("/api/device?dId=7234").expect(200);
    for (let count = 0; count < 8; count += 1) {
      expect(await page.next()).to.deep.equal({ event: "locations", data: {} });
    }
    await other.post("/api/data", aRecord()).expect(201);
    expect((await foreign.next())?.event).to.equal("record");
  });

  it("end when their session is signed out, and go on for the user's others", async () => {
    const elsewhere = await appliance.signedIn(user);
    const stays = await opened(elsewhere);
    const ends = await opened();
    await user.post("/api/logout").expect(200);
    expect(await ends.next()).to.equal(undefined);
    await elsewhere.post("/api/data", aRecord()).expect(201);
    expect((await stays.next())?.event).to.equal("record");
  });

  it("are those of the session that counts, whatever cookie another page has set before it", async () => {
    const page = await opened(new SignedInUser(appliance, user, `auth_token=planted; ${user.cookie}`));
    await user.post("/api/data", aRecord()).expect(201);
    expect((await page.next())?.event).to.equal("record");
    await user.post("/api/logout").expect(200);
    expect(await page.next()).to.equal(undefined);
  });

  for (const [what, end] of [
    ["the password is changed", () => appliance.writer.setPassword(user.id, "$2b$10$another")],
    ["the user is removed", () => appliance.writer.removeUser(user.id, true)],
  ] as const) {
    it(`end when ${what}`, async () => {
      const page = await opened();
      await end();
      expect(await page.next()).to.equal(undefined);
    });
  }
});

describe("Many live pages", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());

  it(`are ${MAX_STREAMS} at most; one more is told to come back, and may when another has gone`, async () => {
    const first = await EventStream.open(user);
    for (let count = 1; count < MAX_STREAMS; count += 1) {
      const page = await EventStream.open(count % 2 === 0 ? user : other);
      expect(page.response.statusCode).to.equal(200);
    }
    const response = await user.get("/api/event").expect(503);
    expect(response.body).to.deep.equal(anError("Too many pages are open. Close some and try again."));
    expect(response.headers["retry-after"]).to.match(/^[1-9]\d*$/);
    first.close();
    let again = await EventStream.open(user);
    while (again.response.statusCode === 503) again = await EventStream.open(user);
    expect(await again.next()).to.include(HELLO);
  });

  it(`of one user are ${MAX_STREAMS_OF_ACCOUNT} at most, and leave the others their places`, async () => {
    for (let count = 0; count < MAX_STREAMS_OF_ACCOUNT; count += 1) await EventStream.open(user);
    expect((await EventStream.open(user)).response.statusCode).to.equal(503);
    const page = await EventStream.open(other);
    expect(await page.next()).to.include(HELLO);
  });

  it("are shared by an account's members: one with fewer gets one of the member with the most", () => {
    const events = new EventStreams();
    const streams = new Map<string, PassThrough[]>();
    const open = (memberId: string, role: Role) => {
      const own: PassThrough[] = [];
      streams.set(memberId, own);
      try {
        for (;;) own.push(events.listen({ userId: "clinic", memberId, role, limit: null }, () => true));
      } catch (error) {
        expect(error).to.have.property("code", "overloaded");
      }
      return [...streams.values()].map((all) => all.filter(({ destroyed }) => !destroyed).length);
    };
    expect(open("screen", "display")).to.deep.equal([40]);
    expect(open("luis", "staff")).to.deep.equal([20, 20]);
    expect(open("ana", "owner")).to.deep.equal([16, 16, 16]);
    expect(open("eva", "technician")).to.deep.equal([12, 12, 12, 12]);
    expect(streams.get("screen")?.at(-1)?.destroyed, "the oldest go first").to.equal(false);
    events.close();
  });

  it("lose one that reads nothing: its connection is closed, not kept with all that piled up", async () => {
    const reads = await EventStream.open(user);
    const stuck = connect(appliance.port, "127.0.0.1").on("error", () => {});
    stuck.pause();
    stuck.write(`GET /api/event HTTP/1.1\r\nHost: ${appliance.host}\r\nCookie: ${user.cookie}\r\n\r\n`);
    try {
      await until("both pages are open", async () => (await appliance.connections()) === 2);
      // More than the kernel's buffers of a connection and the service's own take together.
      const record = { ...A_SALE, locationName: "x".repeat(64 * 1024) };
      let recordId = 0;
      await until("the stuck connection is closed", async () => {
        recordId += 1;
        appliance.events.tell([{ kind: "record", userId: user.id, record: stored(recordId, record) }]);
        return (await appliance.connections()) === 1;
      });
      expect(await reads.next()).to.include(HELLO);
      expect((await reads.next())?.data).to.include({ number: 1 });
    } finally {
      stuck.destroy();
    }
  });

  it("of a user who signs out are cut off, also one that reads nothing: nothing waits for it", () => {
    const events = new EventStreams();
    let signedIn = true;
    const stuck = events.listen({ userId: "u", memberId: "u", role: "owner", limit: null }, () => signedIn);
    const stays = events.listen({ userId: "u", memberId: "u", role: "owner", limit: null }, () => true);
    events.tell([{ kind: "record", userId: "u", record: stored(1, A_SALE) }]);
    signedIn = false;
    events.tell([{ kind: "sessions", userId: "u" }]);
    expect([stuck.destroyed, stays.destroyed]).to.deep.equal([true, false]);
    events.close();
  });

  it("are ended, every one of them, when the service stops", async () => {
    const pages = await Promise.all([1, 2, 3].map(() => EventStream.open(user)));
    for (const page of pages) expect(await page.next()).to.include(HELLO);
    appliance.events.close();
    for (const page of pages) expect(await page.next()).to.equal(undefined);
  });
});
