import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LineRequest } from "../../src/domain/line.ts";
import type { ExportedLine } from "../../src/gpio/onoff.ts";
import { SyscallError } from "../../src/gpio/syscall.ts";
import { SYSFS_LIMITS, SysfsDriver } from "../../src/gpio/sysfs.ts";
import { Edges, noFailure } from "./edges.ts";
import { FakeKernel } from "./fake-kernel.ts";
import { rejection } from "./rejection.ts";
import { SysfsFolder } from "./sysfs-folder.ts";
import { VirtualTime } from "./virtual-time.ts";

const ERRNO_EACCES = 13;
const ERRNO_EBUSY = 16;
const ERRNO_ENODEV = 19;
const DEBOUNCE_MS = 50;

/** An exported line that a test drives. */
class FakeExport implements ExportedLine {
  active = false;
  gone = false;
  released = 0;
  #callback: (active: boolean) => void = () => {};

  read(): boolean {
    if (this.gone) throw new SyscallError("read", ERRNO_ENODEV);
    return this.active;
  }

  listen(callback: (active: boolean) => void): void {
    this.#callback = callback;
  }

  release(): void {
    this.released += 1;
  }

  /** The level changes and the process hears of it. */
  change(active: boolean): void {
    this.active = active;
    this.#callback(active);
  }
}

describe("The sysfs driver on lines that do as told", () => {
  let time: VirtualTime;
  let folder: SysfsFolder;
  let kernel: FakeKernel;
  let exported: Map<number, FakeExport>;
  let exportError: Error | null;
  let warnings: string[];
  let driver: SysfsDriver;

  beforeEach(async () => {
    time = new VirtualTime();
    folder = new SysfsFolder([
      { device: "platform/fake", charDevice: "gpiochip0", base: 512, label: "fake chip", lineCount: 2 },
      { device: "platform/gpio", charDevice: "gpiochip1", base: 600, label: "other chip", lineCount: 4 },
    ]);
    kernel = new FakeKernel(["GPIO0", "GPIO1"]);
    exported = new Map();
    exportError = null;
    warnings = [];
    driver = createDriver();
    await driver.open();
  });

  afterEach(async () => {
    await driver.close();
    folder.remove();
  });

  function createDriver(): SysfsDriver {
    return new SysfsDriver({
      clock: time,
      timers: time,
      warn: (text) => warnings.push(text),
      loadExporter: async () => (number) => {
        if (exportError !== null) throw exportError;
        const line = new FakeExport();
        exported.set(number, line);
        return line;
      },
      loadKernel: async () => kernel,
      sysfs: folder.path,
    });
  }

  function request(wanted: Partial<LineRequest> = {}): LineRequest {
    return { line: "gpiochip1:3", activeLow: false, bias: "as-is", debounceMs: DEBOUNCE_MS, ...wanted };
  }

  function line(number: number): FakeExport {
    const found = exported.get(number);
    if (found === undefined) throw new Error(`The line ${number} is not exported.`);
    return found;
  }

  it("looks at a free line and gives it back, and says who cannot be asked for it", async () => {
    expect(await driver.read("gpiochip1:3")).to.equal(false);
    expect(line(603).released).to.equal(1);
    exportError = new SyscallError("export", ERRNO_EBUSY);
    expect(await rejection(driver.read("gpiochip1:3"))).to.include({ code: "conflict" });
  });

  it("looks at no line that is exported already: giving it back would take it from whoever has it", async () => {
    mkdirSync(join(folder.path, "class", "gpio", "gpio603"));
    expect(await rejection(driver.read("gpiochip1:3"))).to.include({ code: "conflict" });
    expect(exported.size).to.equal(0);
  });

  it("tells its limits when it opens", () => {
    expect(warnings).to.deep.equal(SYSFS_LIMITS);
  });

  it("adds the offset to the chip's base", async () => {
    await driver.watch(request(), () => {}, noFailure);
    expect([...exported.keys()]).to.deep.equal([603]);
  });

  it("counts a level from the change that held, however it bounced before", async () => {
    const edges = new Edges();
    await driver.watch(request(), edges.onEdge, noFailure);
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    line(603).change(false);
    time.advance(3);
    line(603).change(true);
    const heldFromNs = time.monotonicNs();
    time.advance(DEBOUNCE_MS);
    await edges.until(1);

    expect(edges.seen).to.deep.equal([{ active: true, timeNs: heldFromNs, sequence: 1, missed: 0 }]);
  });

  it("starts the wait anew when two changes cancelled out before they were read", async () => {
    const edges = new Edges();
    await driver.watch(request(), edges.onEdge, noFailure);
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    const other = await driver.watch(request({ line: "gpiochip1:0" }), () => {}, noFailure);
    await other.close();
    expect(edges.seen).to.deep.equal([]);
    time.advance(1);
    await edges.until(1);

    expect(edges.levels).to.deep.equal([true]);
  });

  it("reads the level again when the wait is over, for a change it has not heard of yet", async () => {
    const edges = new Edges();
    await driver.watch(request(), edges.onEdge, noFailure);
    line(603).change(true);
    line(603).active = false;
    time.advance(2 * DEBOUNCE_MS);
    line(603).change(true);
    time.advance(DEBOUNCE_MS);
    await edges.until(1);

    expect(edges.seen.map((edge) => edge.sequence)).to.deep.equal([1]);
    expect(edges.levels).to.deep.equal([true]);
  });

  it("passes every change on at once when the debounce is 0, but no level twice", async () => {
    const edges = new Edges();
    await driver.watch(request({ debounceMs: 0 }), edges.onEdge, noFailure);
    for (const active of [false, true, true, false]) line(603).change(active);
    await edges.until(2);

    expect(edges.levels).to.deep.equal([true, false]);
    expect(time.pendingTimers).to.equal(0);
  });

  it("refuses a bias that sysfs cannot set, without touching the line", async () => {
    const error = await rejection(driver.watch(request({ bias: "pull-up" }), () => {}, noFailure));
    expect(error.code).to.equal("invalid");
    expect(error.message).to.equal("sysfs cannot set the bias of gpiochip1:3 to pull-up.");
    expect(exported.size).to.equal(0);
  });

  it("names the holder of a taken line where the character device knows it", async () => {
    exportError = new SyscallError("export", ERRNO_EBUSY);
    kernel.line(1).used = true;
    kernel.line(1).consumer = "door-bell";
    const named = await rejection(driver.watch(request({ line: "GPIO1" }), () => {}, noFailure));
    expect(named.code).to.equal("conflict");
    expect(named.message).to.equal("GPIO1 (gpiochip0:1) is in use by 'door-bell'.");
    const unnamed = await rejection(driver.watch(request(), () => {}, noFailure));
    expect(unnamed.message).to.equal("gpiochip1:3 is in use by another program.");
  });

  it("takes line names from the interface v1 on an old kernel", async () => {
    kernel.hasV2 = false;
    await driver.watch(request({ line: "GPIO1" }), () => {}, noFailure);
    expect([...exported.keys()]).to.deep.equal([513]);
  });

  it("goes by chip and offset alone when the character device cannot be asked", async () => {
    kernel.openError = "EACCES";
    const error = await rejection(driver.watch(request({ line: "GPIO1" }), () => {}, noFailure));
    expect(error.code).to.equal("not_found");
    await driver.watch(request({ line: "gpiochip0:1" }), () => {}, noFailure);
    expect([...exported.keys()]).to.deep.equal([513]);
  });

  it("says what group to join when access is denied", async () => {
    exportError = new SyscallError("export", ERRNO_EACCES);
    const error = await rejection(driver.watch(request(), () => {}, noFailure));
    expect(error.code).to.equal("unavailable");
    expect(error.hint).to.contain("group gpio");
  });

  it("tells once that a line is lost when it can no longer be read, and releases it", async () => {
    const failures: Error[] = [];
    await driver.watch(
      request({ line: "gpiochip0:0" }),
      () => {},
      (error) => failures.push(error),
    );
    line(512).gone = true;
    kernel.touchNode();
    kernel.touchNode();

    expect(failures.map((error) => error.message)).to.deep.equal([
      "gpiochip0:0 is lost: it can no longer be read.",
    ]);
    expect(line(512).released).to.equal(1);
  });

  it("points to chardev on a kernel without GPIO sysfs", async () => {
    folder.remove();
    expect((await rejection(createDriver().open())).hint).to.equal("Use FLANCO_GPIO_DRIVER=chardev.");
  });
});
