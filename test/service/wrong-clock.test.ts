import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/domain/clock.ts";
import { askTimedated, purge, synchronizedBySystem } from "../../src/service/clock-watch.ts";
import { newRecord } from "../ledger/test-ledger.ts";
import { Gateway, type GatewayOptions } from "../rig/gateway.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

/** Saturday 21 November 2026, 12:00 UTC. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);
const YEAR_MS = 365 * DAY_MS;

describe("While a clock is wrong", () => {
  let gateway: Gateway;

  afterEach(() => gateway.remove());

  async function booted(wallMs: number, options: GatewayOptions = {}): Promise<void> {
    gateway = await Gateway.booted(NOON_MS, wallMs, options);
  }

  describe("the sessions", () => {
    for (const [name, wallMs] of [
      ["1970", 0],
      ["2038, past the 32 bits of a second", 2 ** 31 * 1000],
    ] as const) {
      it(`of a boot in ${name} stand when it is set, and end 24 hours after they began`, async () => {
        await booted(wallMs);
        const token = await gateway.signIn();
        await gateway.setByNetwork();
        expect(gateway.isSignedIn(token)).to.equal(true);
        gateway.machine.pass(DAY_MS / 2);
        await gateway.restart();
        expect(gateway.isSignedIn(token)).to.equal(true);
        gateway.machine.pass(DAY_MS / 2 - SECOND_MS);
        expect(gateway.isSignedIn(token)).to.equal(true);
        gateway.machine.pass(2 * SECOND_MS);
        expect(gateway.isSignedIn(token)).to.equal(false);
      });
    }

    for (const jumpMs of [YEAR_MS, -YEAR_MS]) {
      it(`stand through a jump of ${jumpMs / YEAR_MS} year, at once and after a restart, and end on time`, async () => {
        await booted(NOON_MS);
        await gateway.setByNetwork();
        const token = await gateway.signIn();
        gateway.machine.jump(jumpMs);
        expect(gateway.isSignedIn(token)).to.equal(true);
        await gateway.checkClock();
        await gateway.restart();
        expect(gateway.isSignedIn(token)).to.equal(true);
        const later = await gateway.signIn();
        gateway.machine.jump(-jumpMs);
        expect(gateway.isSignedIn(later)).to.equal(true);
        gateway.machine.pass(DAY_MS + SECOND_MS);
        expect(gateway.isSignedIn(token)).to.equal(false);
        expect(gateway.isSignedIn(later)).to.equal(false);
      });
    }

    it("count the time without power once the clock is set again", async () => {
      await booted(NOON_MS);
      await gateway.setByNetwork();
      const short = await gateway.signIn();
      await gateway.reboot(DAY_MS / 2, 0);
      expect(gateway.isSignedIn(short)).to.equal(true);
      await gateway.setByNetwork();
      expect(gateway.isSignedIn(short)).to.equal(true);
      await gateway.reboot(DAY_MS / 2, 0);
      expect(gateway.isSignedIn(short)).to.equal(true);
      await gateway.setByNetwork();
      expect(gateway.isSignedIn(short)).to.equal(false);
    });

    it("end on a gateway that never learns the time and is switched off each night", async () => {
      await booted(0);
      const token = await gateway.signIn();
      let days = 0;
      for (; gateway.isSignedIn(token); days += 1) {
        expect(days).to.be.lessThan(4);
        gateway.machine.pass(DAY_MS / 3);
        await gateway.checkClock();
        await gateway.reboot(DAY_MS / 2, 0);
      }
      expect(days).to.equal(3);
    });

    it("would all end at a jump, were their boot not known", async () => {
      await booted(0, { noting: false });
      const token = await gateway.signIn();
      gateway.machine.jump(YEAR_MS);
      await gateway.restart();
      expect(gateway.isSignedIn(token)).to.equal(false);
    });

    it("are removed once they have ended by true time, not by an untrusted clock", async () => {
      await booted(0);
      await gateway.signIn();
      gateway.machine.jump(10 * YEAR_MS);
      await gateway.checkClock();
      expect(gateway.reader.sessions()).to.have.lengthOf(1);
      gateway.machine.pass(2 * DAY_MS);
      await gateway.checkClock();
      expect(gateway.reader.sessions()).to.have.lengthOf(0);
    });
  });

  it("a link that was made while no service ran, years ahead, ends once the clock is set", async () => {
    await booted(NOON_MS + 10 * YEAR_MS, { noting: false });
    const { id, userId } = gateway.user;
    await gateway.writer.addLink(userId, id, "token");
    gateway.noting = true;
    await gateway.reboot(HOUR_MS, 0);
    await gateway.setByNetwork();
    expect(await rejection(gateway.writer.useLink("token", "hash"))).to.include({ code: "unauthorized" });
  });

  describe("an Idempotency-Key", () => {
    const record = newRecord({ createdTimeMs: NOON_MS });

    async function post(): Promise<boolean> {
      const key = { key: "recibo-1", bodyHash: "hash" };
      return (await gateway.writer.addRecord(gateway.user.id, record, key)).repeated;
    }

    it("of 1970 is kept for 7 days of true time after the clock is set, over restarts, and no longer", async () => {
      await booted(0);
      expect(await post()).to.equal(false);
      gateway.machine.pass(HOUR_MS);
      await gateway.setByNetwork();
      expect(await post()).to.equal(true);
      await gateway.restart();
      await gateway.checkClock();
      expect(await post()).to.equal(true);
      gateway.machine.pass(5 * DAY_MS);
      await gateway.reboot(2 * DAY_MS - 2 * HOUR_MS, 0);
      await gateway.setByNetwork();
      expect(await post()).to.equal(true);
      gateway.machine.pass(2 * HOUR_MS);
      await gateway.checkClock();
      expect(await post()).to.equal(false);
    });

    it("outlives any jump of a clock that is not trusted, and a wrong setting of one that is", async () => {
      await booted(NOON_MS);
      await post();
      gateway.machine.jump(YEAR_MS);
      await gateway.reboot(HOUR_MS, NOON_MS + 2 * YEAR_MS);
      expect(await purge(gateway.writer)).to.equal(0);
      await gateway.setByNetwork();
      gateway.machine.jump(YEAR_MS);
      gateway.machine.pass(2 * HOUR_MS);
      await gateway.checkClock();
      expect(await post()).to.equal(true);
    });

    it("is removed in pieces when there are many, also while the clock is not trusted", async () => {
      await booted(0);
      const { id } = gateway.user;
      await Promise.all(
        Array.from({ length: 1_234 }, (_, number) =>
          gateway.writer.addRecord(id, record, { key: `k${number}`, bodyHash: "h" }),
        ),
      );
      gateway.machine.pass(7 * DAY_MS + SECOND_MS);
      expect(await purge(gateway.writer)).to.equal(1_234);
      expect(gateway.records()).to.have.lengthOf(1_234);
    });
  });
});

describe("asking systemd-timedated whether the clock is set", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let program: string;
  let nowMs: number;

  beforeEach(() => {
    program = directory.file("timedatectl");
    nowMs = 0;
    answer("no");
  });

  /** A program in timedatectl's place, that keeps count of how often it was asked and for what. */
  function answer(text: string): void {
    writeFileSync(program, `#!/bin/sh\necho "$*" >>'${directory.path}/asked'\necho ${text}\n`);
    chmodSync(program, 0o700);
  }

  const asked = () => {
    try {
      return readFileSync(directory.file("asked"), "utf8").trimEnd().split("\n");
    } catch {
      return [];
    }
  };

  it("accepts a yes, and does not ask again", async () => {
    answer("yes");
    const isSynchronized = askTimedated(program, () => nowMs);
    nowMs += SECOND_MS;
    await until("it has said so", () => isSynchronized());
    nowMs += MINUTE_MS;
    expect(isSynchronized()).to.equal(true);
    expect(asked()).to.deep.equal(["show --property=NTPSynchronized --value"]);
  });

  it("asks once a minute while the answer is no", async () => {
    const isSynchronized = askTimedated(program, () => nowMs);
    nowMs += SECOND_MS - 1;
    expect(isSynchronized(), "while the service starts").to.equal(false);
    nowMs += 1;
    expect(isSynchronized()).to.equal(false);
    await until("it was asked", () => asked().length === 1);
    for (let time = 0; time < 100; time += 1) expect(isSynchronized()).to.equal(false);
    answer("yes");
    nowMs += MINUTE_MS;
    await until("it has said so", () => isSynchronized());
    expect(asked()).to.have.length(2);
  });

  it("is not needed where a file says so: systemd-timesyncd's, or that of a card's clock chip", () => {
    const isSynchronized = synchronizedBySystem([directory.file("none"), directory.file("chip")]);
    expect(isSynchronized()).to.equal(false);
    writeFileSync(directory.file("chip"), "");
    expect(isSynchronized()).to.equal(true);
  });

  it("treats a missing program as a no", async () => {
    const isSynchronized = askTimedated(directory.file("nothing"), () => nowMs);
    nowMs += SECOND_MS;
    expect(isSynchronized()).to.equal(false);
    nowMs += MINUTE_MS;
    expect(isSynchronized()).to.equal(false);
  });
});
