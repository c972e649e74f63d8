import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "chai";
import type { GpioKernel } from "../../src/gpio/kernel.ts";
import { loadKernel } from "../../src/gpio/koffi.ts";

const BYTES = 98_304;

describe("Memory that outlives its descriptor's process", () => {
  let kernel: GpioKernel;

  before(async () => {
    kernel = await loadKernel();
  });

  it("is zero at first, the same for everybody who maps it, and stays when the descriptor is closed", () => {
    const fd = kernel.createMemory(BYTES);
    const one = kernel.mapMemory(fd, BYTES);
    const other = kernel.mapMemory(fd, BYTES);
    kernel.close(fd);
    expect(one.length).to.equal(BYTES);
    expect(one.every((byte) => byte === 0)).to.equal(true);
    one.set([1, 2, 3], BYTES - 3);
    expect([...other.subarray(BYTES - 4)]).to.deep.equal([0, 1, 2, 3]);
  });

  it("is what the kernel reads into", () => {
    const fd = kernel.createMemory(BYTES);
    const memory = kernel.mapMemory(fd, BYTES);
    const other = kernel.mapMemory(fd, BYTES);
    kernel.close(fd);
    const source = openSync("/proc/self/stat", "r");
    const read = kernel.read(source, memory.subarray(100, 110));
    closeSync(source);
    expect(read).to.equal(10);
    expect(new TextDecoder().decode(other.subarray(100, 110))).to.match(/^\d+ \(/);
  });

  it("is told apart from other descriptors", () => {
    const fd = kernel.createMemory(BYTES);
    const device = openSync("/dev/null", "r");
    expect([kernel.isMemory(fd), kernel.isMemory(device)]).to.deep.equal([true, false]);
    for (const one of [fd, device]) closeSync(one);
  });

  it("is refused where a descriptor has none", () => {
    const folder = openSync(tmpdir(), "r");
    expect(() => kernel.mapMemory(folder, 1)).to.throw("mmap: EACCES");
    closeSync(folder);
  });

  it("is refused when it is smaller than what is asked", () => {
    const fd = kernel.createMemory(1);
    expect(() => kernel.mapMemory(fd, BYTES)).to.throw("too small");
    closeSync(fd);
  });
});
