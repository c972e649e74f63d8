import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import type { LedgerWriter, Taken } from "../../src/domain/ledger.ts";
import type { ChipInfo, Edge, LineDriver, LineRequest, WatchedLine } from "../../src/domain/line.ts";
import type { Log } from "../../src/domain/log.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import type { Wiring } from "../../src/domain/wiring.ts";
import { Recorder } from "../../src/gpio/recorder.ts";

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
  readonly losses = new Map<string, (error: Error) => void>();

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

  async watch(
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
  ): Promise<WatchedLine> {
    this.asked.push(`watch ${request.line}`);
    if (this.held.has(request.line))
      throw new FlancoError("conflict", `${request.line} is in use by "other-program"`);
    this.edges.set(request.line, onEdge);
    this.losses.set(request.line, onFailure);
    return {
      chip: "gpiochip0",
      offset: ["A", "B", "C"].indexOf(request.line.at(-1) ?? ""),
      initiallyActive: false,
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
  #request = 0;

  async openRequest(): Promise<number> {
    this.#request += 1;
    return this.#request;
  }

  async takeIn(sightings: readonly Sighting[]): Promise<readonly Taken[]> {
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
  let recorder: Recorder;

  beforeEach(() => {
    driver = new HandDriver();
    ledger = new HandLedger();
    wired = [wiring("A"), wiring("B")];
    recorder = new Recorder({
      driver,
      writer: ledger,
      reader: { wirings: () => wired },
      clock: { nowMs: () => 5_000, monotonicNs: () => 3_000_000_000n },
      log: SILENT,
      bootId: "boot",
    });
  });

  const edge = (sequence: number, missed = 0): Edge => ({
    active: sequence % 2 === 1,
    timeNs: 2_500_000_000n,
    sequence,
    missed,
  });

  it("notes the level at the start of each watch, then every edge in order", async () => {
    await recorder.open();
    driver.edges.get("A")?.(edge(1));
    driver.edges.get("A")?.(edge(2));
    await recorder.close();
    expect(ledger.edgesOf("A")).to.deep.equal([0, 1, 2]);
    expect(ledger.edgesOf("B")).to.deep.equal([0]);
  });

  it("stamps an edge with the wall time of its kernel time", async () => {
    await recorder.open();
    driver.edges.get("A")?.(edge(1));
    await recorder.close();
    const sighting = ledger.taken.find((one) => one.source.sequence === 1);
    expect(sighting?.timeMs).to.equal(4_500);
    expect(sighting?.source.bootId).to.equal("boot");
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
    while (ledger.edgesOf("A").length < 51) await new Promise((resolve) => setImmediate(resolve));
    expect(ledger.edgesOf("A")).to.deep.equal(Array.from({ length: 51 }, (_, index) => index));
    await recorder.close();
  });

  it("counts what its bounded queue could not hold, and tells it with the next edge as lost", async () => {
    await recorder.open();
    const MAX_WAITING = 10_000;
    ledger.refusals = 1;
    for (let sequence = 1; sequence <= MAX_WAITING + 10; sequence += 1)
      driver.edges.get("A")?.(edge(sequence));
    while (ledger.edgesOf("A").length < MAX_WAITING) await new Promise((resolve) => setImmediate(resolve));
    driver.edges.get("A")?.(edge(MAX_WAITING + 11, 3));
    await recorder.close();
    const last = ledger.taken.at(-1);
    const first = ledger.edgesOf("A").length;
    expect(last?.missed).to.equal(MAX_WAITING + 11 - first + 1 + 3);
  });

  it("refuses to wire a line that another program holds, and names it", async () => {
    await recorder.open();
    driver.held.add("C");
    let message = "";
    await recorder.probe("C").catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.equal('The line C is in use by "other-program".');
    await recorder.close();
  });

  it("refuses to wire the same line by another name", async () => {
    await recorder.open();
    let message = "";
    await recorder.probe("gpiochip0:0").catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.equal("The line gpiochip0:0 is wired already, under the name A.");
    await recorder.close();
  });
});
