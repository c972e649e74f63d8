import { expect } from "chai";
import { tickRoom } from "../../src/contract/commission.ts";
import { postData } from "../../src/contract/data.ts";
import { boundADay } from "../../src/contract/declaration.ts";
import { changeDevice } from "../../src/contract/device.ts";
import { driveLine } from "../../src/contract/line.ts";
import { addLocation, listLocations, removeLocation } from "../../src/contract/location.ts";
import { changeSelf, endMemberSessions } from "../../src/contract/member.ts";
import { networkActor } from "../../src/domain/audit.ts";
import { DAY_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { changeCounter } from "../../src/http/middleware.ts";
import { LASTING_A_DAY } from "../../src/ledger/nouns/audit.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { aDevice, aLocation, anError, aRecord, aWiring, BODIES } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const RECORDS = 5;
/** Of records of `aRecord`: three, and not four. */
const BYTES = 700;
const YEAR_MS = 365 * DAY_MS;

for (const [what, config, most] of [
  ["records", { daily_records: RECORDS }, RECORDS],
  ["bytes", { daily_bytes: BYTES }, 3],
] as const) {
  describe(`A day's bound of ${what}`, () => {
    const appliance = forEachTest(() => Appliance.open({ config }));
    const user = forEachTest(() => appliance.addUser());

    const post = (by = user) => by.post("/api/data", aRecord());

    async function fill(): Promise<void> {
      for (let count = 0; count < most; count += 1) await post().expect(201);
    }

    it("refuses an account's further posts with 429 and the time to wait, and stores none of them", async () => {
      await fill();
      appliance.clock.pass(1_500);
      const { body, headers } = await post().expect(429);
      expect(body).to.deep.equal({
        status: "error",
        message:
          "This account has posted as much as it may in a day. " +
          "daily_records and daily_bytes in the configuration are the bounds.",
      });
      expect(headers["retry-after"]).to.equal(String(DAY_MS / 1_000 - 1));
      expect(appliance.recordsOf(user.id)).to.have.lengthOf(most);
    });

    it("gives a post that is repeated by its key its first answer, and stores nothing more", async () => {
      const send = (key: string, body = aRecord()) =>
        user.post("/api/data", body).set("Idempotency-Key", key);
      await send("first").expect(201);
      for (let count = 1; count < most; count += 1) await post().expect(201);
      await send("first").expect(201);
      await send("first", aRecord({ habitacion: "102" })).expect(422);
      await send("another").expect(429);
      expect(appliance.recordsOf(user.id)).to.have.lengthOf(most);
    });

    it("does not count what was not stored: of a full disk, or by a key that has its record", async () => {
      const first = () => user.post("/api/data", aRecord()).set("Idempotency-Key", "first");
      const failure = new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).");
      appliance.breaker.failure = failure;
      for (let count = 0; count < most; count += 1) await first().expect(503);
      appliance.breaker.failure = undefined;
      for (let count = 0; count < most; count += 1) await first().expect(201);
      for (let count = 1; count < most; count += 1) await post().expect(201);
      await post().expect(429);
      expect(appliance.recordsOf(user.id)).to.have.lengthOf(most);
    });

    it("is half as much for a program, so that one that runs wild does not shut out the others", async () => {
      const [wild, other] = [
        await appliance.addMember(user.id, "program"),
        await appliance.addMember(user.id, "program"),
      ];
      let stored = 0;
      while ((await post(wild)).status === 201) stored += 1;
      expect(stored).to.equal(Math.floor(most / 2));
      expect((await post(wild)).body.message).to.match(
        /^This program has posted as much as it may in a day\./,
      );
      await post(other).expect(201);
      await post().expect(201);
    });

    it("is of each account by itself", async () => {
      await fill();
      await post(await appliance.addUser()).expect(201);
    });

    it("begins anew after 24 hours of monotonic time, independent of the wall clock", async () => {
      await fill();
      appliance.clock.setWall(NOON_MS + YEAR_MS);
      const signedIn = await appliance.signedIn(user);
      appliance.clock.advanceMonotonic(DAY_MS - 1);
      await post(signedIn).expect(429);
      appliance.clock.advanceMonotonic(1);
      await post(await appliance.signedIn(user)).expect(201);
    });

    it("refuses no edge", async () => {
      const line = await WiredLine.wire(appliance, user, "SIM0");
      await fill();
      await post().expect(429);
      for (const active of [true, false, true, false]) await line.go(active);
      expect(appliance.recordsOf(user.id)).to.have.lengthOf(most + 2);
    });
  });
}

describe("A day's bound of changes that stay in the books", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  it("answers 429 to every operation that makes one, and lets members go", async () => {
    await appliance.writer.addDevice(user.id, aDevice().newDevice);
    const { valor: _valor, ...settings } = aWiring().wiring;
    const eva = { name: "Eva", email: "eva@example.org", role: "technician", passwordHash: null } as const;
    const { id: memberId } = await appliance.writer.addMember(user.id, eva);
    const relay = { ...eva, email: "rele@programa.invalid", role: "program", passwordHash: "key" } as const;
    const { id: programId } = await appliance.writer.addMember(user.id, relay);
    const change = (valorMicros: number) => {
      const wiring = { ...settings, bias: "as-is", valorMicros, paidMinutes: 0 } as const;
      return appliance.writer.setWiring([{ userId: user.id, wiring }], networkActor("192.0.2.7", null));
    };
    await Promise.all(Array.from({ length: LASTING_A_DAY - 1 }, (_, turn) => change(turn)));
    const member = { name: "Luis", email: "luis@example.org", role: "staff" };
    await user.post("/api/member", { member }).expect(429);
    expect(appliance.reader.members(user.id), "no member without a link").to.have.length(3);
    await change(LASTING_A_DAY);
    for (const [operation, body] of [
      ["put /api/wiring", aWiring()],
      ["put /api/wiring/price", { price: { lines: ["SIM0"], valor: 5, from: "2030-01-01" } }],
      ["put /api/commission", { commission: {} }],
      ["put /api/sink", BODIES["put /api/sink"]],
      ["delete /api/sink?name=email", undefined],
      ["post /api/member/link", { memberId }],
      ["post /api/member/link", { memberId: programId }],
      [`patch /api/member?memberId=${memberId}`, { member: { role: "staff" } }],
    ] as const) {
      const [method, path = ""] = operation.split(" ") as ["put" | "post" | "patch" | "delete", string];
      const { status } = await user[method](path, body);
      expect(status, operation).to.equal(429);
    }
    await appliance.writer.beginCommission(user.id, { lines: null, freeLines: [] }, ["SIM0"], 60_000);
    const level = { line: "SIM0", active: true, atMs: 0, missed: 0, isFirst: true };
    const room = { dId: "7234", room: "101" };
    await until(
      "the commissioning goes on",
      async () => (await user.data("/api/commission")).untilTime !== null,
    );
    appliance.lines.move(level);
    await user.put("/api/commission/room", { room }).expect(200);
    appliance.lines.move({ ...level, active: false, isFirst: false });
    await user.post("/api/commission/mend", { room }).expect(429);
    await user.post("/api/commission/report", BODIES["post /api/commission/report"]).expect(429);
    await user.post("/api/member/sign-out", { memberId }).expect(200);
    await user.post("/api/member/sign-out", { memberId: programId }).expect(200);
    await user.delete("/api/member", { memberId }).expect(200);
  });
});

describe("A day's bound of a member's changes", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const rename = (name: string, by = user) => by.patch("/api/me", { me: { name } });

  it("is 20 of the own name, with the time to wait, and none of other members", async () => {
    const screen = await appliance.addMember(user.id, "display");
    for (let count = 0; count < 20; count += 1) await rename(`Pantalla ${count}`, screen).expect(200);
    appliance.clock.pass(1_500);
    const { body, headers } = await rename("Pantalla", screen).expect(429);
    expect(body).to.deep.equal(
      anError("A member may do this 20 times in a day. Wait, or have another member do it."),
    );
    expect(headers["retry-after"]).to.equal(String(DAY_MS / 1_000 - 1));
    expect(appliance.reader.member(screen.id)?.name).to.equal("Pantalla 19");
    await rename("Ana").expect(200);
    await user.post("/api/location", aLocation()).expect(200);
    appliance.clock.pass(DAY_MS);
    await rename("Pantalla", await appliance.signedIn(screen)).expect(200);
  });

  it("writes no name that stays as it is", async () => {
    let written = 0;
    appliance.breaker.instead.set("changeMember", () => {
      written += 1;
    });
    await rename(user.name).expect(200);
    expect(written).to.equal(0);
    await rename("Ana").expect(200);
    expect(written).to.equal(1);
  });

  it("counts all other changes of a member together, without removals and what failed", () => {
    const counted = changeCounter(appliance.clock);
    const most = boundADay(addLocation) ?? 0;
    const refused = () => counted("luis", changeDevice);
    for (let count = 0; count < most; count += 1) counted("luis", count % 2 === 0 ? addLocation : tickRoom);
    expect(refused).to.throw(FlancoError).with.property("code", "too_many");
    counted("ana", changeDevice);
    for (const other of [removeLocation, changeSelf, endMemberSessions, driveLine, postData, listLocations]) {
      counted("luis", other);
    }
    const failed = changeCounter(appliance.clock);
    for (let count = 0; count < 2 * most; count += 1) failed("luis", addLocation)();
  });

  it("does not count what is refused", async () => {
    for (let count = 0; count < 30; count += 1) await rename("").expect(400);
    appliance.breaker.failure = new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).");
    for (let count = 0; count < 30; count += 1) await rename("Ana").expect(503);
    appliance.breaker.failure = undefined;
    await rename("Ana").expect(200);
  });
});
