import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "chai";
import { type GpioKernel, loadKernel } from "../../src/gpio/kernel.ts";

const BYTES = 98_304;

describe("The memory for a kept line's events", () => {
  let kernel: GpioKernel;

  before(async () => {
    kernel = await loadKernel();
  });

  it("is zero at first, shared by all its mappings, and outlives its descriptor", () => {
    const fd = kernel.createMemory(BYTES);
    const one = kernel.mapMemory(fd, BYTES);
    const other = kernel.mapMemory(fd, BYTES);
    kernel.close(fd);
    expect(one.length).to.equal(BYTES);
    expect(one.every((byte) => byte === 0)).to.equal(true);
    one.set([1, 2, 3], BYTES - 3);
    expect([...other.subarray(BYTES - 4)]).to.deep.equal([0, 1, 2, 3]);
  });

  it("can be read into by the kernel", () => {
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

  it("is distinguished from other descriptors", () => {
    const fd = kernel.createMemory(BYTES);
    const device = openSync("/dev/null", "r");
    expect([kernel.isMemory(fd), kernel.isMemory(device)]).to.deep.equal([true, false]);
    for (const one of [fd, device]) closeSync(one);
  });

  it("is not mapped for another descriptor", () => {
    const folder = openSync(tmpdir(), "r");
    expect(() => kernel.mapMemory(folder, 1)).to.throw("mmap: EACCES");
    closeSync(folder);
  });

  it("is not mapped when it is smaller than requested", () => {
    const fd = kernel.createMemory(1);
    expect(() => kernel.mapMemory(fd, BYTES)).to.throw("too small");
    closeSync(fd);
  });
});
