import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import type { LedgerWriter, Taken } from "../../src/domain/ledger.ts";
import type { ChipInfo, Edge, LineDriver, LineRequest, WatchedLine } from "../../src/domain/line.ts";
import type { Log } from "../../src/domain/log.ts";
import type { EdgeSource, Sighting } from "../../src/domain/sale.ts";
import type { Wiring } from "../../src/domain/wiring.ts";
import { Recorder, type RecorderDependencies } from "../../src/gpio/recorder.ts";

const DEADLINE_MS = 2_000;
const MAX_WAITING = 10_000;
const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function wiring(line: string, overrides: Partial<Wiring> = {}): Wiring {
  return {
    line,
    userId: "u",
    deviceId: "d",
    dId: "7234",
    deviceName: "Pasillo A",
    actuatorId: line,
    valorMicros: 1,
    activeLow: false,
    bias: "as-is",
    debounceMs: 0,
    rearmMs: 0,
    ...overrides,
  };
}

/** A driver whose edges the test gives, and that notes what is asked of it. */
class HandDriver implements LineDriver {
  readonly name = "chardev";
  readonly simulated = false;
  readonly asked: string[] = [];
  readonly held = new Set<string>();
  readonly edges = new Map<string, (edge: Edge) => void>();
  /** Lines that go on with the request that the ledger saw last, when it saw one. */
  readonly kept = new Set<string>();
  readonly others: string[][] = [];
  readonly losses = new Map<string, (error: Error) => void>();
  /** What asking for a line fails with. */
  failure: Error | undefined;

  forgetOthers(lines: readonly string[]): void {
    this.others.push([...lines]);
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    const lines = ["A", "B", "C"].map((name, offset) => ({
      chip: "gpiochip0",
      offset,
      name,
      holder: this.held.has(name) ? "other-program" : null,
    }));
    return [{ name: "gpiochip0", label: "hand", lines }];
  }

  async read(line: string): Promise<boolean> {
    this.asked.push(`read ${line}`);
    return true;
  }

  async watch(
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
  ): Promise<WatchedLine> {
    this.asked.push(`watch ${request.line}`);
    if (this.failure !== undefined) throw this.failure;
    if (this.held.has(request.line))
      throw new FlancoError("conflict", `${request.line} is in use by "other-program"`);
    this.edges.set(request.line, onEdge);
    this.losses.set(request.line, onFailure);
    return {
      chip: "gpiochip0",
      offset: ["A", "B", "C"].indexOf(request.line.at(-1) ?? ""),
      initiallyActive: false,
      resumed: this.kept.has(request.line) && request.keep?.seen !== null,
      close: async () => {
        this.asked.push(`release ${request.line}`);
        this.edges.delete(request.line);
      },
    };
  }
}

/** A ledger that notes what it takes in, and can refuse. */
class HandLedger implements Pick<LedgerWriter, "openRequest" | "takeIn"> {
  readonly taken: Sighting[] = [];
  refusals = 0;
  /** What is awaited before a request is numbered: a slow disk, or one that refuses. */
  beforeRequest: () => Promise<void> = async () => {};
  /** What is awaited before levels are taken in. */
  beforeTakeIn: () => Promise<void> = async () => {};
  #request = 0;

  async openRequest(): Promise<number> {
    await this.beforeRequest();
    this.#request += 1;
    return this.#request;
  }

  async takeIn(sightings: readonly Sighting[]): Promise<readonly Taken[]> {
    await this.beforeTakeIn();
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new FlancoError("unavailable", "full");
    }
    this.taken.push(...sightings);
    return sightings.map(() => ({ meaning: "nothing", recordId: null }));
  }

  edgesOf(line: string): number[] {
    return this.taken
      .filter((sighting) => sighting.line === line)
      .map((sighting) => sighting.source.sequence);
  }
}

describe("the recorder", () => {
  let driver: HandDriver;
  let ledger: HandLedger;
  let wired: Wiring[];
  let last: EdgeSource | undefined;
  let recorder: Recorder;

  beforeEach(() => {
    driver = new HandDriver();
    ledger = new HandLedger();
    last = undefined;
    wired = [wiring("A"), wiring("B")];
    recorder = make();
  });

  function make(overrides: Partial<RecorderDependencies> = {}): Recorder {
    return new Recorder({
      driver,
      writer: ledger,
      reader: { wirings: () => wired, lastSighting: () => last },
      trust: { trusted: () => true },
      clock: { nowMs: () => 5_000, monotonicNs: () => 3_000_000_000n },
      log: SILENT,
      bootId: "boot",
      lastAlive: undefined,
      ...overrides,
    });
  }

  /** Takes turns of the event loop until something holds; throws at the deadline. */
  async function until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + DEADLINE_MS;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`Waited ${DEADLINE_MS} ms for this: ${what}.`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const edge = (sequence: number, missed = 0): Edge => ({
    active: sequence % 2 === 1,
    timeNs: 2_500_000_000n,
    sequence,
    missed,
  });

  describe("surveys lines: it", () => {
    const survey = async () => (await recorder.survey()).flatMap(({ lines }) => lines);

    it("shows every line with its room, and the level that was seen last of those that are watched", async () => {
      wired = [wiring("gpiochip0:0"), wiring("B")];
      await recorder.open();
      driver.edges.get("B")?.(edge(1));
      const [a, b, c] = await survey();
      expect(a).to.include({ name: "A", watched: true, level: false, problem: null });
      expect(a?.wiring).to.include({ line: "gpiochip0:0" });
      expect(b).to.include({ name: "B", watched: true, level: true });
      expect(c).to.include({ name: "C", wiring: null, watched: false, level: null, problem: null });
      driver.edges.get("B")?.(edge(2));
      expect((await survey())[1]).to.include({ level: false });
      await recorder.close();
    });

    it("shows why a wired line is not watched, and no level of it", async () => {
      driver.held.add("A");
      await recorder.open();
      const [a] = await survey();
      expect(a).to.deep.include({ holder: "other-program", watched: false, level: null });
      expect(a?.problem).to.include("other-program");
      await recorder.close();
    });

    it("shows no level of a line that was lost", async () => {
      await recorder.open();
      driver.edges.get("A")?.(edge(1));
      driver.failure = new FlancoError("unavailable", "gone");
      driver.losses.get("A")?.(new FlancoError("unavailable", "gone"));
      expect((await survey())[0]).to.include({ watched: false, level: null });
      await recorder.close();
    });
  });

  describe("looks at a line: it", () => {
    beforeEach(async () => {
      wired = [wiring("gpiochip0:0")];
      driver.held.add("B");
      await recorder.open();
    });
    afterEach(() => recorder.close());

    it("reads one that is free", async () => {
      expect(await recorder.read("C")).to.equal(true);
      expect(driver.asked.at(-1)).to.equal("read gpiochip0:2");
    });

    for (const [what, line, code] of [
      ["one that is wired, by whichever name", "A", "conflict"],
      ["one that somebody holds", "B", "conflict"],
      ["one that is not there", "gpiochip0:9", "not_found"],
    ] as const) {
      it(`does not touch ${what}`, async () => {
        const error = await recorder.read(line).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).to.include({ code });
        expect(driver.asked.filter((asked) => asked.startsWith("read"))).to.deep.equal([]);
      });
    }

    it("goes in turn with wiring: a line that is being wired is wired by then", async () => {
      const saved = recorder.wire(["C"], async () => {
        wired = [...wired, wiring("C")];
      });
      const read = recorder.read("C").then(
        () => "read",
        (error: FlancoError) => error.code,
      );
      await saved;
      expect(await read).to.equal("conflict");
    });
  });

  it("notes the level at the start of each watch, then every edge in order", async () => {
    await recorder.open();
    driver.edges.get("A")?.(edge(1));
    driver.edges.get("A")?.(edge(2));
    await recorder.close();
    expect(ledger.edgesOf("A")).to.deep.equal([0, 1, 2]);
    expect(ledger.edgesOf("B")).to.deep.equal([0]);
  });

  it("goes on with a line that outlived a process: no level at the start, the same request", async () => {
    driver.kept.add("A");
    last = { bootId: "boot", request: 77, sequence: 4 };
    await recorder.open();
    driver.edges.get("A")?.(edge(5));
    await recorder.close();
    const seen = ledger.taken.filter((one) => one.line === "A").map((one) => one.source);
    expect(seen).to.deep.equal([{ bootId: "boot", request: 77, sequence: 5 }]);
  });

  it("begins anew with a line whose last sighting is of another boot", async () => {
    driver.kept.add("A");
    last = { bootId: "boot before", request: 77, sequence: 4 };
    await recorder.open();
    await recorder.close();
    expect(ledger.edgesOf("A")).to.deep.equal([0]);
  });

  describe("when nobody watched for a time", () => {
    const lastAlive = { bootId: "boot before", monotonicMs: 60_000 };
    const nowInBoot = { bootId: "boot", monotonicMs: 3_000 };

    /** What the levels found of a line say, one after the other. */
    const told = (line: string) =>
      ledger.taken
        .filter((sighting) => sighting.line === line && sighting.source.sequence === 0)
        .map((sighting) => sighting.unwatchedSince ?? null);

    beforeEach(() => {
      recorder = make({ lastAlive });
    });

    afterEach(() => recorder.close());

    it("tells with the level that it finds when a process before it last ran", async () => {
      await recorder.open();
      await recorder.close();
      expect(told("A")).to.deep.equal([lastAlive]);
      expect(told("B")).to.deep.equal([lastAlive]);
    });

    it("tells nothing of a line that was kept meanwhile", async () => {
      driver.kept.add("A");
      last = { bootId: "boot", request: 77, sequence: 4 };
      await recorder.open();
      driver.edges.get("A")?.(edge(5));
      await recorder.close();
      const sightings = ledger.taken.filter(({ line }) => line === "A");
      expect(sightings.map(({ unwatchedSince }) => unwatchedSince)).to.deep.equal([undefined]);
    });

    it("tells it of a line that only later could be watched", async () => {
      driver.held.add("A");
      await recorder.open();
      driver.held.clear();
      await recorder.reconcile();
      await recorder.close();
      expect(told("A")).to.deep.equal([lastAlive]);
    });

    it("tells when a line was lost, once it is back", async () => {
      await recorder.open();
      driver.held.add("A");
      driver.losses.get("A")?.(new Error("the chip was removed"));
      await recorder.reconcile();
      driver.held.clear();
      await recorder.reconcile();
      await recorder.close();
      expect(told("A")).to.deep.equal([lastAlive, nowInBoot]);
      expect(told("B")).to.deep.equal([lastAlive]);
    });

    it("tells nothing of a line that it asks for anew with other settings, unless that fails", async () => {
      await recorder.open();
      wired = [wiring("A", { debounceMs: 9 }), wiring("B", { debounceMs: 9 })];
      driver.held.add("B");
      await recorder.reconcile();
      driver.held.clear();
      await recorder.reconcile();
      await recorder.close();
      expect(told("A")).to.deep.equal([lastAlive, null]);
      expect(told("B")).to.deep.equal([lastAlive, nowInBoot]);
    });

    it("tells it also when the level found no room in the queue", async () => {
      driver.held.add("A");
      await recorder.open();
      await until("the level of B is in", () => ledger.taken.length === 1);
      ledger.refusals = 1;
      for (let sequence = 1; sequence <= MAX_WAITING; sequence += 1) driver.edges.get("B")?.(edge(sequence));
      driver.held.clear();
      await recorder.reconcile();
      driver.edges.get("A")?.(edge(1));
      await recorder.close();
      const [only, ...more] = ledger.taken.filter(({ line }) => line === "A");
      expect(more).to.deep.equal([]);
      expect(only).to.include({ missed: 1, unwatchedSince: lastAlive });
    });
  });

  it("has lines let go that were kept and are wired no longer, and keeps the rest when it closes", async () => {
    await recorder.open();
    expect(driver.others).to.deep.equal([["A", "B"]]);
    driver.asked.length = 0;
    await recorder.close();
    expect(driver.asked).to.deep.equal([]);
  });

  it("stamps an edge with the wall time of its kernel time", async () => {
    await recorder.open();
    driver.edges.get("A")?.(edge(1));
    await recorder.close();
    const sighting = ledger.taken.find((one) => one.source.sequence === 1);
    expect(sighting?.timeMs).to.equal(4_500);
    expect(sighting?.source.bootId).to.equal("boot");
  });

  it("stamps an edge rightly also when the processor was taken away while it looked at the clocks", async () => {
    await recorder.open();
    await recorder.close();
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
    ledger.taken.length = 0;
    wired = [];
    recorder = make({ clock });
    await recorder.open();
    wired = [wiring("A")];
    await recorder.reconcile();
    reads = 0;
    driver.edges.get("A")?.(edge(1));
    await recorder.close();
    expect(reads).to.be.greaterThan(2);
    expect(ledger.taken.find((one) => one.source.sequence === 1)?.timeMs).to.equal(4_500);
  });

  it("takes up new wiring and lets go of old without touching the other lines", async () => {
    await recorder.open();
    driver.asked.length = 0;
    wired = [wiring("B", { valorMicros: 9 }), wiring("C")];
    await recorder.reconcile();
    expect(driver.asked).to.deep.equal(["release A", "watch C"]);
    expect(recorder.status().watched).to.deep.equal(["B", "C"]);
    await recorder.close();
  });

  it("asks for a line anew when what is asked of the kernel changes", async () => {
    await recorder.open();
    driver.asked.length = 0;
    wired = [wiring("A", { activeLow: true }), wiring("B")];
    await recorder.reconcile();
    expect(driver.asked).to.deep.equal(["release A", "watch A"]);
    await recorder.close();
  });

  it("watches the other lines when one cannot be, says why, and is not healthy until it can", async () => {
    driver.held.add("A");
    await recorder.open();
    expect(recorder.status().watched).to.deep.equal(["B"]);
    expect(recorder.status().failures).to.deep.equal([
      { line: "A", message: 'A is in use by "other-program"' },
    ]);
    expect(recorder.healthy()).to.equal(false);
    driver.held.clear();
    await recorder.reconcile();
    expect(recorder.status().failures).to.deep.equal([]);
    expect(recorder.healthy()).to.equal(true);
    await recorder.close();
  });

  it("watches a line again after it was lost", async () => {
    await recorder.open();
    driver.losses.get("A")?.(new Error("the chip was removed"));
    await recorder.reconcile();
    expect(driver.asked.filter((one) => one === "watch A")).to.have.length(2);
    expect(recorder.healthy()).to.equal(true);
    await recorder.close();
  });

  it("keeps edges, in order, while the ledger takes nothing", async () => {
    await recorder.open();
    ledger.refusals = 2;
    for (let sequence = 1; sequence <= 50; sequence += 1) driver.edges.get("A")?.(edge(sequence));
    await until("all are taken in", () => ledger.edgesOf("A").length === 51);
    expect(ledger.edgesOf("A")).to.deep.equal(Array.from({ length: 51 }, (_, index) => index));
    await recorder.close();
  });

  /** Sends so many edges of A at once; every third from the queue's end on tells of two lost by the kernel. */
  function flood(count: number): number {
    let told = 0;
    for (let sequence = 1; sequence <= count; sequence += 1) {
      const missed = sequence > MAX_WAITING && sequence % 3 === 0 ? 2 : 0;
      driver.edges.get("A")?.(edge(sequence, missed));
      told += 1 + missed;
    }
    return told;
  }

  function accountedFor(line: string): number {
    return ledger.taken
      .filter((sighting) => sighting.line === line && sighting.source.sequence > 0)
      .reduce((sum, { missed }) => sum + 1 + missed, 0);
  }

  it("tells what its bounded queue could not hold as lost, without waiting for the line's next edge", async () => {
    await recorder.open();
    ledger.refusals = 1;
    const told = flood(MAX_WAITING + 10);
    await recorder.close();
    expect(ledger.edgesOf("A").at(-1)).to.equal(MAX_WAITING + 10);
    expect(ledger.taken.at(-1)?.missed).to.be.greaterThan(0);
    expect(accountedFor("A")).to.equal(told);
    const edges = ledger.edgesOf("A");
    expect(edges).to.deep.equal([...edges].sort((a, b) => a - b));
  });

  it("tries once more when it is closed while a try that fails is under way", async () => {
    await recorder.open();
    await until("the levels at the start are in", () => ledger.taken.length === 2);
    const slow = Promise.withResolvers<void>();
    let tries = 0;
    ledger.beforeTakeIn = async () => {
      tries += 1;
      if (tries === 1) await slow.promise;
    };
    driver.edges.get("A")?.(edge(1));
    await until("the ledger is at it", () => tries === 1);
    const closed = recorder.close();
    await new Promise((resolve) => setImmediate(resolve));
    slow.reject(new FlancoError("unavailable", "full"));
    await closed;
    expect(ledger.edgesOf("A")).to.deep.equal([0, 1]);
  });

  it("says how many edges of which line are lost when the ledger takes nothing to the end", async () => {
    const told: object[] = [];
    const log = { ...SILENT, error: (fields: object) => void told.push(fields) };
    recorder = make({ log });
    await recorder.open();
    await until("the levels at the start are in", () => ledger.taken.length === 2);
    ledger.refusals = Number.POSITIVE_INFINITY;
    const lost = flood(MAX_WAITING + 10);
    await recorder.close();
    expect(told.filter((fields) => "lost" in fields)).to.deep.equal([{ lost: { A: lost } }]);
  });

  it("reads the wiring again after that failed, and is not healthy until it could", async () => {
    let readable = false;
    const wirings = () => {
      if (!readable) throw new Error("SQLITE_IOERR");
      return wired;
    };
    recorder = make({ reader: { wirings, lastSighting: () => undefined }, retryMs: 1 });
    await recorder.open();
    expect(recorder.healthy()).to.equal(false);
    readable = true;
    await until("both lines are watched", () => recorder.status().watched.length === 2);
    expect(recorder.healthy()).to.equal(true);
    await recorder.close();
  });

  it("goes on watching a line while the ledger numbers its next request, and when it refuses to", async () => {
    await recorder.open();
    wired = [wiring("A", { debounceMs: 7 }), wiring("B", { debounceMs: 7 })];
    const slow = Promise.withResolvers<void>();
    let asked = false;
    ledger.beforeRequest = () => {
      asked = true;
      return slow.promise;
    };
    const reconciled = recorder.reconcile();
    await until("a number is asked for", () => asked);
    driver.edges.get("A")?.(edge(1));
    driver.edges.get("B")?.(edge(1));
    slow.reject(new FlancoError("overloaded", "Too many writes."));
    await reconciled;
    driver.edges.get("A")?.(edge(2));
    expect(recorder.status().watched).to.deep.equal(["A", "B"]);
    expect(recorder.healthy()).to.equal(false);
    driver.asked.length = 0;
    ledger.beforeRequest = async () => {};
    await recorder.reconcile();
    expect(driver.asked).to.deep.equal(["release A", "watch A", "release B", "watch B"]);
    expect(recorder.healthy()).to.equal(true);
    await recorder.close();
    expect(ledger.edgesOf("A")).to.deep.equal([0, 1, 2, 0]);
    expect(ledger.edgesOf("B")).to.deep.equal([0, 1, 0]);
  });

  it("shows what a failure written for people says, and of any other only that the log has more", async () => {
    driver.failure = new FlancoError("unavailable", "The chip is gone.", { hint: "Reconnect it." });
    await recorder.open();
    const message = () => recorder.status().failures[0]?.message;
    expect(message()).to.equal("The chip is gone. Reconnect it.");
    driver.failure = new Error("ENXIO: open '/dev/gpiochip0'");
    await recorder.reconcile();
    expect(message()).to.equal("The line cannot be watched; the log says more.");
    driver.failure = undefined;
    await recorder.reconcile();
    driver.failure = new FlancoError("unavailable", "The chip is gone.");
    driver.losses.get("A")?.(new Error("EIO: read 17"));
    expect(message()).to.equal("The line cannot be watched; the log says more.");
    await recorder.close();
  });

  async function refusal(...lines: string[]): Promise<string> {
    let saved = false;
    const message = await recorder
      .wire(lines, async () => {
        saved = true;
      })
      .then(
        () => "",
        (error: Error) => error.message,
      );
    expect(saved, "saved").to.equal(message === "");
    return message;
  }

  it("refuses to wire a line that another program holds, and names it", async () => {
    await recorder.open();
    driver.held.add("C");
    expect(await refusal("C")).to.equal('The line C is in use by "other-program".');
    await recorder.close();
  });

  it("refuses to wire the same line by another name, also while it is not watched", async () => {
    driver.held.add("A");
    await recorder.open();
    driver.held.clear();
    expect(await refusal("gpiochip0:0")).to.equal("The line gpiochip0:0 is wired already, under the name A.");
    expect(await refusal("A")).to.equal("");
    await recorder.close();
  });

  it("refuses one line under two names among those that are wired together", async () => {
    await recorder.open();
    expect(await refusal("C", "gpiochip0:2")).to.equal(
      "The line gpiochip0:2 is wired already, under the name C.",
    );
    await recorder.close();
  });

  it("refuses one line under two names that are wired at the same time", async () => {
    await recorder.open();
    const wire = (line: string) =>
      recorder.wire([line], async () => {
        await new Promise((resolve) => setImmediate(resolve));
        wired = [...wired, wiring(line)];
      });
    const ended = await Promise.allSettled([wire("C"), wire("gpiochip0:2")]);
    expect(ended.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected"]);
    expect(recorder.status().watched).to.deep.equal(["A", "B", "C"]);
    expect(recorder.healthy()).to.equal(true);
    await recorder.close();
  });
});
