import { existsSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import type { AuditNote } from "../../src/domain/audit.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/domain/clock.ts";
import type { LineTest, StoredCommission } from "../../src/domain/commission.ts";
import { Updates } from "../../src/service/updates.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const FOUR_MS = Date.UTC(2026, 2, 11, 4);
const BOOT = "this boot";

/** A gateway with root's part of the updates played by the test. */
class UpdatesRig {
  readonly directory = new TemporaryDirectory();
  readonly clock = new SetClock(FOUR_MS);
  readonly log = new KeptLog();
  readonly noted: AuditNote[] = [];
  trusted = true;
  hours = "04:00-06:00";
  tests: readonly LineTest[] = [];
  commissions: readonly StoredCommission[] = [];
  readonly #places = {
    allowed: this.directory.file("allowed"),
    request: this.directory.file("request"),
    result: this.directory.file("result"),
  };
  updates = this.#make();

  constructor() {
    writeFileSync(this.#places.allowed, "");
  }

  restart(): void {
    this.updates = this.#make();
  }

  forbid(): void {
    rmSync(this.#places.allowed);
  }

  /** Root's part begins when it is asked to. */
  takeRequest(): boolean {
    const isAsked = existsSync(this.#places.request);
    rmSync(this.#places.request, { force: true });
    return isAsked;
  }

  /** Root's part writes its result, and the service looks. Times are in milliseconds. */
  async ran(values: Readonly<Record<string, string | number>>): Promise<void> {
    const lines = Object.entries({ begun: this.clock.nowMs(), boot: BOOT, from: "1.0", ...values });
    const written = lines.map(
      ([name, value]) => `${name}=${typeof value === "number" ? value / SECOND_MS : value}\n`,
    );
    writeFileSync(this.#places.result, written.join(""));
    await this.updates.look();
  }

  remove(): void {
    this.directory.remove();
  }

  #make(): Updates {
    return new Updates({
      clock: this.clock,
      trust: { trusted: () => this.trusted },
      bootId: BOOT,
      log: this.log,
      reader: {
        audit: () =>
          this.noted.map((note, auditId) => ({
            ...note,
            auditId,
            number: 1,
            timeMs: 0,
            provisional: false,
            way: "service",
            who: null,
            from: "",
          })),
        commissions: () => this.commissions,
        lineTests: () => this.tests,
        localTime: (ms) => new Date(ms).toISOString().slice(0, -1),
      },
      writer: { noteAudit: async (notes) => void this.noted.push(...notes) },
      hours: () => this.hours,
      places: this.#places,
    });
  }
}

describe("Updates that come by themselves", () => {
  const gateway = forEachTest(() => new UpdatesRig());

  it("are due once in each night's hours, also after a restart", async () => {
    gateway.clock.pass(-MINUTE_MS);
    expect(gateway.updates.isDue()).to.equal(false);
    gateway.clock.pass(MINUTE_MS);
    expect(gateway.updates.isDue()).to.equal(true);
    gateway.updates.request();
    expect(gateway.takeRequest()).to.equal(true);
    expect(gateway.updates.isDue()).to.equal(false);
    await gateway.ran({ ended: FOUR_MS });
    gateway.restart();
    await gateway.updates.look();
    expect(gateway.updates.isDue()).to.equal(false);
    gateway.clock.pass(DAY_MS);
    expect(gateway.updates.isDue()).to.equal(true);
    gateway.clock.pass(2 * HOUR_MS);
    expect(gateway.updates.isDue()).to.equal(false);
  });

  const NOT_NOW: Readonly<Record<string, () => void>> = {
    "while a line is under test": () => {
      gateway.tests = [{} as LineTest];
    },
    "while a commissioning is open": () => {
      gateway.commissions = [{} as StoredCommission];
    },
    "by a clock that may be wrong": () => {
      gateway.trusted = false;
    },
    "without hours": () => {
      gateway.hours = "";
    },
    "where no administrator has let them": () => gateway.forbid(),
  };
  for (const [when, make] of Object.entries(NOT_NOW)) {
    it(`are not due ${when}`, () => {
      make();
      expect(gateway.updates.isDue()).to.equal(false);
    });
  }

  it("are in the audit log once, by the process that they have begun", async () => {
    await gateway.ran({});
    expect(gateway.noted).to.deep.equal([]);
    await gateway.ran({
      begun: FOUR_MS,
      ended: FOUR_MS + MINUTE_MS,
      succeeded: FOUR_MS,
      to: "1.1",
      packages: "flanco 1.1",
    });
    gateway.restart();
    await gateway.updates.look();
    expect(gateway.noted.map(({ kind, details }) => ({ kind, details }))).to.deep.equal([
      { kind: "updated", details: { from: "1.0", to: "1.1", packages: "flanco 1.1" } },
    ]);
    expect(gateway.updates.status).to.deep.equal({
      hours: "04:00-06:00",
      ranMs: FOUR_MS,
      succeededMs: FOUR_MS,
      failure: null,
    });
  });

  it("that find nothing, or fail as the night before, leave no entry", async () => {
    await gateway.ran({ ended: FOUR_MS, succeeded: FOUR_MS });
    await gateway.ran({
      begun: FOUR_MS + DAY_MS,
      ended: FOUR_MS + DAY_MS,
      reason: "version",
      version: "1.2",
      before: "version 1.2",
      failing: FOUR_MS,
    });
    expect(gateway.noted).to.deep.equal([]);
    expect(gateway.updates.status?.failure).to.deep.equal({
      reason: "version",
      version: "1.2",
      sinceMs: FOUR_MS,
      message: "",
    });
  });

  it("that a power cut has interrupted have failed", async () => {
    await gateway.ran({ boot: "the boot before" });
    expect(gateway.noted.map(({ details }) => details["reason"])).to.deep.equal(["interrupted"]);
    expect(gateway.updates.status?.failure?.reason).to.equal("interrupted");
  });
});
