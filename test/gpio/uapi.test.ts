import { expect } from "chai";
import {
  decodeChipInfo,
  decodeLineEvents,
  EVENT_BUFFER_EVENTS,
  encodeLineRequest,
  GPIO_GET_CHIPINFO_IOCTL,
  GPIO_V2_GET_LINE_IOCTL,
  GPIO_V2_GET_LINEINFO_IOCTL,
  GPIO_V2_LINE_GET_VALUES_IOCTL,
  GPIO_V2_LINE_SET_CONFIG_IOCTL,
  LINE_FLAG,
} from "../../src/gpio/uapi.ts";
import { eventBytes } from "./fake-kernel.ts";

// Sizes, offsets and numbers here are what a C compiler gives for Linux's linux/gpio.h on x86-64. The fake kernel, which reads
// and writes by such offsets too, holds the rest.
describe("The kernel's GPIO interface as bytes", () => {
  // A number includes its struct's size.
  it("has the C compiler's ioctl numbers and struct sizes", () => {
    expect([
      GPIO_GET_CHIPINFO_IOCTL,
      GPIO_V2_GET_LINEINFO_IOCTL,
      GPIO_V2_GET_LINE_IOCTL,
      GPIO_V2_LINE_GET_VALUES_IOCTL,
      GPIO_V2_LINE_SET_CONFIG_IOCTL,
    ]).to.deep.equal([0x8044b401, 0xc100b405, 0xc250b407, 0xc010b40e, 0xc110b40d]);
  });

  it("puts a request's fields where the kernel reads them, and zeros everywhere else", () => {
    const bytes = encodeLineRequest({
      offset: 17,
      consumer: "flanco",
      flags: LINE_FLAG.input | LINE_FLAG.edgeRising | LINE_FLAG.edgeFalling,
      eventBufferEvents: EVENT_BUFFER_EVENTS,
    });
    const expected = new Uint8Array(592);
    const view = new DataView(expected.buffer);
    view.setUint32(0, 17, true);
    expected.set(new TextEncoder().encode("flanco"), 256);
    view.setBigUint64(288, 0b110100n, true);
    view.setUint32(560, 1, true);
    view.setUint32(564, 1_024, true);
    expect(bytes).to.deep.equal(expected);
  });

  it("cuts a consumer's name to what the kernel has room for", () => {
    const bytes = encodeLineRequest({
      offset: 0,
      consumer: "x".repeat(40),
      flags: LINE_FLAG.activeLow | LINE_FLAG.biasPullUp,
      eventBufferEvents: 0,
    });
    const view = new DataView(bytes.buffer);
    expect(view.getBigUint64(288, true)).to.equal(0b1_0000_0010n);
    expect(view.getUint32(296, true)).to.equal(0);
    expect(bytes.subarray(320, 560).every((byte) => byte === 0)).to.equal(true);
    expect(bytes[256 + 30], "31 letters of a long label").to.equal("x".charCodeAt(0));
    expect(bytes[256 + 31], "and the closing zero").to.equal(0);
  });

  it("reads a chip whose label fills its field", () => {
    const bytes = new Uint8Array(68);
    bytes.set(new TextEncoder().encode("gpiochip0"), 0);
    bytes.set(new TextEncoder().encode("pinctrl-bcm2835-with-32-letters!"), 32);
    new DataView(bytes.buffer).setUint32(64, 54, true);
    expect(decodeChipInfo(bytes)).to.deep.equal({
      name: "gpiochip0",
      label: "pinctrl-bcm2835-with-32-letters!",
      lines: 54,
    });
  });

  it("reads every event of a read, wherever the bytes lie in their buffer", () => {
    const buffer = new Uint8Array(8 + 2 * 48);
    buffer.set(eventBytes(true, 4_294_967_295, 2n ** 63n), 8);
    buffer.set(eventBytes(false, 0, 5n), 8 + 48);
    expect(decodeLineEvents(buffer.subarray(8))).to.deep.equal([
      { timestampNs: 2n ** 63n, rising: true, lineSeqno: 4_294_967_295 },
      { timestampNs: 5n, rising: false, lineSeqno: 0 },
    ]);
    expect(decodeLineEvents(new Uint8Array(0))).to.deep.equal([]);
  });
});
