import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { edge, RecorderRig, SILENT, wiring } from "./recorder-rig.ts";

const MAX_WAITING = 10_000;

describe("the recorder", () => {
  const rig = forEachTest(() => new RecorderRig());

  it("starts over with a line whose last sighting is of another boot", async () => {
    rig.driver.kept.add("A");
    rig.last = { bootId: "boot before", request: 77, sequence: 4, high: false };
    await rig.recorder.open();
    await rig.recorder.close();
    expect(rig.ledger.edgesOf("A")).to.deep.equal([0]);
  });

  describe("after a time without a watch", () => {
    const lastAlive = { bootId: "boot before", monotonicMs: 60_000 };
    const nowInBoot = { bootId: "boot", monotonicMs: 3_000 };

    /** What the levels found of a line report, one after the other. */
    const reported = (line: string) =>
      rig.ledger.taken
        .filter((sighting) => sighting.line === line && sighting.source.sequence === 0)
        .map((sighting) => sighting.unwatchedSince ?? null);

    beforeEach(() => {
      rig.lastAlive = lastAlive;
      rig.recorder.begin();
    });

    it("reports nothing for a line that was kept meanwhile, and goes on with it: no level at the start, the same request", async () => {
      rig.driver.kept.add("A");
      rig.last = { bootId: "boot", request: 77, sequence: 4, high: false };
      await rig.recorder.open();
      rig.driver.edges.get("A")?.(edge(5));
      await rig.recorder.close();
      const [only, ...more] = rig.ledger.taken.filter(({ line }) => line === "A");
      expect(more).to.deep.equal([]);
      expect(only?.source).to.deep.equal({ bootId: "boot", request: 77, sequence: 5 });
      expect(only?.unwatchedSince).to.equal(undefined);
    });

    it("stores it for all lines in one write, before any is watched", async () => {
      rig.driver.held.add("A");
      await rig.recorder.open();
      await rig.recorder.close();
      expect(rig.ledger.unwatched).to.deep.equal([null]);
      expect(reported("B")).to.deep.equal([lastAlive]);
    });

    it("reports it for a line that could be watched only later", async () => {
      rig.driver.held.add("A");
      await rig.recorder.open();
      rig.driver.held.clear();
      await rig.recorder.reconcile();
      await rig.recorder.close();
      expect(reported("A")).to.deep.equal([lastAlive]);
    });

    it("reports nothing for a line that it requests again with other settings, unless that fails", async () => {
      await rig.recorder.open();
      rig.wired = [wiring("A", { debounceMs: 9 }), wiring("B", { debounceMs: 9 })];
      rig.driver.held.add("B");
      await rig.recorder.reconcile();
      rig.driver.held.clear();
      await rig.recorder.reconcile();
      await rig.recorder.close();
      expect(reported("A")).to.deep.equal([lastAlive, null]);
      expect(reported("B")).to.deep.equal([lastAlive, nowInBoot]);
    });

    it("reports the release of a line that it requests again, when that takes long", async () => {
      let nowMs = 3_000;
      const clock = { nowMs: () => 5_000, monotonicNs: () => BigInt(nowMs) * 1_000_000n };
      rig.recorder = rig.make({ clock });
      rig.recorder.begin();
      await rig.recorder.open();
      const askAnew = async (tookMs: number, debounceMs: number) => {
        rig.driver.beforeWatch = () => {
          nowMs += tookMs;
        };
        rig.wired = [wiring("A", { debounceMs })];
        await rig.recorder.reconcile();
      };
      await askAnew(249, 8);
      await askAnew(250, 9);
      await rig.recorder.close();
      expect(reported("A")).to.deep.equal([lastAlive, null, { bootId: "boot", monotonicMs: 3_249 }]);
    });

    it("requests a line again of which an edge was swallowed, and reports since when it may have been", async () => {
      await rig.recorder.open();
      rig.driver.losses.get("A")?.(new Error("an edge was not reported"), 2_000_000_000n);
      await rig.recorder.reconcile();
      await rig.recorder.close();
      const [, found] = rig.ledger.taken.filter(({ line }) => line === "A");
      expect(found?.source.sequence).to.equal(0);
      expect(found).to.deep.include({
        unwatchedSince: { bootId: "boot", monotonicMs: 2_000 },
        gapReason: "swallowed",
      });
    });

    it("reports it even if the initial level found the queue full", async () => {
      rig.driver.held.add("A");
      await rig.recorder.open();
      await until("the level of B is in", () => rig.ledger.taken.length === 1);
      rig.ledger.refusals = 1;
      for (let sequence = 1; sequence <= MAX_WAITING; sequence += 1)
        rig.driver.edges.get("B")?.(edge(sequence));
      rig.driver.held.clear();
      await rig.recorder.reconcile();
      rig.driver.edges.get("A")?.(edge(1));
      await rig.recorder.close();
      const [only, ...more] = rig.ledger.taken.filter(({ line }) => line === "A");
      expect(more).to.deep.equal([]);
      expect(only).to.include({ missed: 1, unwatchedSince: lastAlive });
    });
  });

  it("releases kept lines that are no longer wired, and keeps the others when it closes", async () => {
    await rig.recorder.open();
    expect(rig.driver.others).to.deep.equal([["A", "B"]]);
    rig.driver.asked.length = 0;
    await rig.recorder.close();
    expect(rig.driver.asked).to.deep.equal([]);
    expect(rig.recorder.healthy(), "once it is closed").to.equal(false);
  });

  it("stamps an edge correctly when the process is suspended between two readings of the clocks", async () => {
    await rig.recorder.open();
    await rig.recorder.close();
    let monotonicNs = 3_000_000_000n;
    let reads = 0;
    const clock = {
      nowMs: () => 2_000 + Number(monotonicNs / 1_000_000n),
      // 200 ms pass after the first look, and nothing between later ones.
      monotonicNs: () => {
        const read = monotonicNs;
        if (reads === 0) monotonicNs += 200_000_000n;
        reads += 1;
        return read;
      },
    };
    rig.ledger.taken.length = 0;
    rig.wired = [];
    rig.recorder = rig.make({ clock });
    await rig.recorder.open();
    rig.wired = [wiring("A")];
    await rig.recorder.reconcile();
    reads = 0;
    rig.driver.edges.get("A")?.(edge(1));
    await rig.recorder.close();
    expect(reads).to.be.greaterThan(2);
    expect(rig.ledger.taken.find((one) => one.source.sequence === 1)?.timeMs).to.equal(4_500);
  });

  it("watches the other lines when one cannot be, says why, tries it again, and is not healthy until it can", async () => {
    rig.recorder = rig.make({ retryMs: 1 });
    rig.driver.held.add("A");
    await rig.recorder.open();
    expect(rig.recorder.status().watched).to.deep.equal(["B"]);
    expect(rig.recorder.status().failures).to.deep.equal([
      { line: "A", message: 'A is in use by "other-program"' },
    ]);
    expect(rig.recorder.healthy()).to.equal(false);
    rig.driver.held.clear();
    await until("the recorder is healthy", () => rig.recorder.healthy());
    expect(rig.recorder.status().failures).to.deep.equal([]);
    expect(rig.recorder.status().watched).to.have.members(["A", "B"]);
  });

  it("has nothing against a line any more once it is not wired", async () => {
    rig.driver.held.add("A");
    rig.ledger.beforeTakeIn = () => Promise.reject(new Error("SQLITE_CONSTRAINT"));
    await rig.recorder.open();
    await until("the level of B is skipped", () => rig.recorder.queue().waiting === 0);
    expect(rig.recorder.queue().refused).to.equal(true);
    rig.wired = [];
    await rig.recorder.reconcile();
    expect(rig.recorder.queue().refused).to.equal(false);
    expect(rig.recorder.status().failures).to.deep.equal([]);
    expect(rig.recorder.healthy()).to.equal(true);
  });

  /** Sends so many edges of A at once; every third from the queue's end on tells of two lost by the kernel. */
  function flood(count: number): number {
    let told = 0;
    for (let sequence = 1; sequence <= count; sequence += 1) {
      const missed = sequence > MAX_WAITING && sequence % 3 === 0 ? 2 : 0;
      rig.driver.edges.get("A")?.(edge(sequence, missed));
      told += 1 + missed;
    }
    return told;
  }

  function accountedFor(line: string): number {
    return rig.ledger.taken
      .filter((sighting) => sighting.line === line && sighting.source.sequence > 0)
      .reduce((sum, { missed }) => sum + 1 + missed, 0);
  }

  it("reports as lost what its bounded queue could not hold, without waiting for the line's next edge", async () => {
    await rig.recorder.open();
    rig.ledger.refusals = 1;
    const told = flood(MAX_WAITING + 10);
    await rig.recorder.close();
    expect(rig.ledger.edgesOf("A").at(-1)).to.equal(MAX_WAITING + 10);
    expect(rig.ledger.taken.at(-1)?.missed).to.be.greaterThan(0);
    expect(accountedFor("A")).to.equal(told);
    const edges = rig.ledger.edgesOf("A");
    expect(edges).to.deep.equal([...edges].sort((a, b) => a - b));
  });

  it("tries once more when it is closed while a try that fails is under way", async () => {
    await rig.recorder.open();
    await until("the levels at the start are in", () => rig.ledger.taken.length === 2);
    const slow = Promise.withResolvers<void>();
    let tries = 0;
    rig.ledger.beforeTakeIn = async () => {
      tries += 1;
      if (tries === 1) await slow.promise;
    };
    rig.driver.edges.get("A")?.(edge(1));
    await until("the ledger is at it", () => tries === 1);
    const closed = rig.recorder.close();
    await new Promise((resolve) => setImmediate(resolve));
    slow.reject(new FlancoError("unavailable", "full"));
    await closed;
    expect(rig.ledger.edgesOf("A")).to.deep.equal([0, 1]);
  });

  it("tells a driver when the edges that it has delivered are committed, and that they are refused", async () => {
    await rig.recorder.open();
    await until("the levels at the start are in", () => rig.ledger.taken.length === 2);
    const settled = async () => rig.driver.requests.get("A")?.settled?.();
    rig.driver.edges.get("A")?.(edge(1));
    await settled();
    expect(rig.ledger.edgesOf("A")).to.deep.equal([0, 1]);
    rig.ledger.refusals = 1;
    rig.driver.edges.get("A")?.(edge(2));
    expect(await rejection(settled())).to.include({ code: "unavailable" });
  });

  it("says how many edges of which line are lost when the ledger takes nothing to the end", async () => {
    const told: object[] = [];
    const log = { ...SILENT, error: (fields: object) => void told.push(fields) };
    rig.recorder = rig.make({ log });
    await rig.recorder.open();
    await until("the levels at the start are in", () => rig.ledger.taken.length === 2);
    rig.ledger.refusals = Number.POSITIVE_INFINITY;
    const lost = flood(MAX_WAITING + 10);
    await rig.recorder.close();
    expect(told.filter((fields) => "lost" in fields)).to.deep.equal([{ lost: { A: lost } }]);
  });

  it("reads the wiring again after that failed, and is not healthy until it could", async () => {
    let readable = false;
    const wirings = () => {
      if (!readable) throw new Error("SQLITE_IOERR");
      return rig.wired;
    };
    rig.recorder = rig.make({
      reader: { ...rig.reader, wirings },
      retryMs: 1,
    });
    await rig.recorder.open();
    expect(rig.recorder.healthy()).to.equal(false);
    readable = true;
    await until("both lines are watched", () => rig.recorder.status().watched.length === 2);
    expect(rig.recorder.healthy()).to.equal(true);
  });

  it("watches its lines from the start on though the ledger takes no writes, and stores what they did when it does", async () => {
    rig.ledger.refusals = Number.POSITIVE_INFINITY;
    await rig.recorder.open();
    expect(rig.recorder.healthy()).to.equal(true);
    rig.driver.edges.get("A")?.(edge(1));
    rig.ledger.refusals = 0;
    await rig.recorder.close();
    expect(rig.ledger.edgesOf("A")).to.deep.equal([0, 1]);
  });

  it("numbers each watch, above all that were tried before", async () => {
    await rig.recorder.open();
    rig.driver.held.add("A");
    rig.driver.losses.get("A")?.(new Error("the chip was removed"));
    await rig.recorder.reconcile();
    rig.driver.held.clear();
    await rig.recorder.reconcile();
    rig.wired = [wiring("A"), wiring("B", { debounceMs: 7 })];
    await rig.recorder.reconcile();
    await rig.recorder.close();
    expect(rig.ledger.taken.map(({ line }) => line)).to.deep.equal(["A", "B", "A", "B"]);
    const requests = rig.ledger.taken.map(({ source }) => source.request);
    expect(requests).to.deep.equal([...new Set(requests)].sort((one, other) => one - other));
  });

  it("shows what a failure written for people says, and of any other only that the log has more", async () => {
    rig.driver.failure = new FlancoError("unavailable", "The chip is gone.", { hint: "Reconnect it." });
    await rig.recorder.open();
    const message = () => rig.recorder.status().failures[0]?.message;
    expect(message()).to.equal("The chip is gone. Reconnect it.");
    rig.driver.failure = new Error("ENXIO: open '/dev/gpiochip0'");
    await rig.recorder.reconcile();
    expect(message()).to.equal("The line cannot be watched; the log says more.");
    rig.driver.failure = undefined;
    await rig.recorder.reconcile();
    rig.driver.failure = new FlancoError("unavailable", "The chip is gone.");
    rig.driver.losses.get("A")?.(new Error("EIO: read 17"));
    expect(message()).to.equal("The line cannot be watched; the log says more.");
  });
});
