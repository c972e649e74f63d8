import { expect } from "chai";
import { DAY_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";
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
