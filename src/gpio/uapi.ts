/**
 * The kernel's GPIO interface as bytes: struct layouts and ioctl numbers of linux/gpio.h,
 * nothing else: uAPI v2, in Linux 5.10 and later. Both processors this runs on (x86-64,
 * arm64) are little-endian and share the ioctl encoding of asm-generic/ioctl.h.
 */

/** GPIO_MAX_NAME_SIZE: names and labels, the closing zero included. */
const NAME_BYTES = 32;
/** GPIO_V2_LINES_MAX. */
const LINES_MAX = 64;
/** GPIO_V2_LINE_NUM_ATTRS_MAX. */
const ATTRS_MAX = 10;

/** The kernel caps event_buffer_size at GPIO_V2_LINES_MAX * 16 (linereq_create in gpiolib-cdev.c). */
export const EVENT_BUFFER_EVENTS = LINES_MAX * 16;

/** sizeof(struct gpiochip_info): name, label, lines. */
export const CHIP_INFO_BYTES = 2 * NAME_BYTES + 4;
/** sizeof(struct gpio_v2_line_attribute): id, padding, a union of 8 bytes. */
const ATTRIBUTE_BYTES = 16;
/** sizeof(struct gpio_v2_line_config_attribute): an attribute and a mask. */
const CONFIG_ATTRIBUTE_BYTES = ATTRIBUTE_BYTES + 8;
/** sizeof(struct gpio_v2_line_config): flags, num_attrs, padding[5], attrs. */
const CONFIG_BYTES = 8 + 4 + 5 * 4 + ATTRS_MAX * CONFIG_ATTRIBUTE_BYTES;
/** sizeof(struct gpio_v2_line_info): name, consumer, offset, num_attrs, flags, attrs, padding[4]. */
const LINE_INFO_BYTES = 2 * NAME_BYTES + 4 + 4 + 8 + ATTRS_MAX * ATTRIBUTE_BYTES + 4 * 4;
/**
 * sizeof(struct gpio_v2_line_request): offsets, consumer,
 * config, num_lines, event_buffer_size, padding[5], fd.
 */
const LINE_REQUEST_BYTES = LINES_MAX * 4 + NAME_BYTES + CONFIG_BYTES + 4 + 4 + 5 * 4 + 4;
/** sizeof(struct gpio_v2_line_values): bits, mask. */
const LINE_VALUES_BYTES = 16;
/** sizeof(struct gpio_v2_line_event): timestamp_ns, id, offset, seqno, line_seqno, padding[6]. */
export const LINE_EVENT_BYTES = 8 + 4 * 4 + 6 * 4;

const IOC_WRITE = 1;
const IOC_READ = 2;
const GPIO_IOC_TYPE = 0xb4;

/** _IOC of asm-generic/ioctl.h: direction in 2 bits, size in 14, type in 8, number in 8. */
function ioctlNumber(direction: number, number: number, bytes: number): number {
  return ((direction << 30) | (bytes << 16) | (GPIO_IOC_TYPE << 8) | number) >>> 0;
}

/** Linux 4.8. Fills a struct gpiochip_info. */
export const GPIO_GET_CHIPINFO_IOCTL = ioctlNumber(IOC_READ, 0x01, CHIP_INFO_BYTES);
/** Linux 5.10. Takes offset, fills a struct gpio_v2_line_info. */
export const GPIO_V2_GET_LINEINFO_IOCTL = ioctlNumber(IOC_READ | IOC_WRITE, 0x05, LINE_INFO_BYTES);
/** Linux 5.10. Takes a struct gpio_v2_line_request and fills its fd. */
export const GPIO_V2_GET_LINE_IOCTL = ioctlNumber(IOC_READ | IOC_WRITE, 0x07, LINE_REQUEST_BYTES);
/** Linux 5.10, on a line's descriptor. Takes a struct gpio_v2_line_config. */
export const GPIO_V2_LINE_SET_CONFIG_IOCTL = ioctlNumber(IOC_READ | IOC_WRITE, 0x0d, CONFIG_BYTES);
/** Linux 5.10, on a line's descriptor. Takes mask, fills bits: 1 is active, activeLow applied. */
export const GPIO_V2_LINE_GET_VALUES_IOCTL = ioctlNumber(IOC_READ | IOC_WRITE, 0x0e, LINE_VALUES_BYTES);

/** enum gpio_v2_line_flag, Linux 5.10. */
export const LINE_FLAG = {
  used: 1n << 0n,
  activeLow: 1n << 1n,
  input: 1n << 2n,
  edgeRising: 1n << 4n,
  edgeFalling: 1n << 5n,
  biasPullUp: 1n << 8n,
  biasPullDown: 1n << 9n,
  biasDisabled: 1n << 10n,
} as const;

/** GPIO_V2_LINE_EVENT_RISING_EDGE: from inactive to active. */
const EVENT_RISING_EDGE = 1;

/** struct gpiochip_info. */
export interface ChipInfoStruct {
  readonly name: string;
  readonly label: string;
  readonly lines: number;
}

/** The used fields of struct gpio_v2_line_info. */
export interface LineInfoStruct {
  /** Empty where the kernel knows none. */
  readonly name: string;
  /** Empty while the line is free, and where its user gave no label. */
  readonly consumer: string;
  readonly used: boolean;
}

/** A request of one line. */
export interface LineRequestStruct {
  readonly offset: number;
  /** At most 31 bytes. */
  readonly consumer: string;
  /** LINE_FLAG values added together. */
  readonly flags: bigint;
  /** Events; 0 leaves it to the kernel (16). */
  readonly eventBufferEvents: number;
}

/** struct gpio_v2_line_event. */
export interface LineEventStruct {
  /** CLOCK_MONOTONIC, nanoseconds: the default event clock. */
  readonly timestampNs: bigint;
  readonly rising: boolean;
  /** Counts this line's events from 1, dropped ones included; wraps at 2^32. */
  readonly lineSeqno: number;
}

export function decodeChipInfo(bytes: Uint8Array): ChipInfoStruct {
  return {
    name: text(bytes, 0),
    label: text(bytes, NAME_BYTES),
    lines: view(bytes).getUint32(2 * NAME_BYTES, true),
  };
}

/** The argument of GPIO_V2_GET_LINEINFO_IOCTL. */
export function encodeLineInfoQuery(offset: number): Uint8Array {
  const bytes = new Uint8Array(LINE_INFO_BYTES);
  view(bytes).setUint32(2 * NAME_BYTES, offset, true);
  return bytes;
}

export function decodeLineInfo(bytes: Uint8Array): LineInfoStruct {
  const flags = view(bytes).getBigUint64(2 * NAME_BYTES + 8, true);
  return {
    name: text(bytes, 0),
    consumer: text(bytes, NAME_BYTES),
    used: (flags & LINE_FLAG.used) !== 0n,
  };
}

const REQUEST_CONSUMER = LINES_MAX * 4;
const REQUEST_CONFIG = REQUEST_CONSUMER + NAME_BYTES;
const REQUEST_NUM_LINES = REQUEST_CONFIG + CONFIG_BYTES;
const REQUEST_EVENT_BUFFER_SIZE = REQUEST_NUM_LINES + 4;
const REQUEST_FD = LINE_REQUEST_BYTES - 4;

/** The argument of GPIO_V2_LINE_SET_CONFIG_IOCTL for a request of one line: LINE_FLAG values, and no attributes. */
export function encodeLineConfig(flags: bigint): Uint8Array {
  const bytes = new Uint8Array(CONFIG_BYTES);
  view(bytes).setBigUint64(0, flags, true);
  return bytes;
}

/** The argument of GPIO_V2_GET_LINE_IOCTL. */
export function encodeLineRequest(request: LineRequestStruct): Uint8Array {
  const bytes = new Uint8Array(LINE_REQUEST_BYTES);
  const fields = view(bytes);
  fields.setUint32(0, request.offset, true);
  const consumer = new TextEncoder().encode(request.consumer).subarray(0, NAME_BYTES - 1);
  bytes.set(consumer, REQUEST_CONSUMER);
  fields.setBigUint64(REQUEST_CONFIG, request.flags, true);
  fields.setUint32(REQUEST_NUM_LINES, 1, true);
  fields.setUint32(REQUEST_EVENT_BUFFER_SIZE, request.eventBufferEvents, true);
  return bytes;
}

/** The line's descriptor that GPIO_V2_GET_LINE_IOCTL filled in. */
export function decodeLineRequestFd(bytes: Uint8Array): number {
  return view(bytes).getInt32(REQUEST_FD, true);
}

/** The argument of GPIO_V2_LINE_GET_VALUES_IOCTL for a request of one line. */
export function encodeValuesQuery(): Uint8Array {
  const bytes = new Uint8Array(LINE_VALUES_BYTES);
  view(bytes).setBigUint64(8, 1n, true);
  return bytes;
}

/** The level of a request's only line: true is active. */
export function decodeValue(bytes: Uint8Array): boolean {
  return (view(bytes).getBigUint64(0, true) & 1n) !== 0n;
}

/** The events in what a read of a line's descriptor gave; the kernel gives whole ones only. */
export function decodeLineEvents(bytes: Uint8Array): LineEventStruct[] {
  const fields = view(bytes);
  const events: LineEventStruct[] = [];
  for (let at = 0; at + LINE_EVENT_BYTES <= bytes.length; at += LINE_EVENT_BYTES) {
    events.push({
      timestampNs: fields.getBigUint64(at, true),
      rising: fields.getUint32(at + 8, true) === EVENT_RISING_EDGE,
      lineSeqno: fields.getUint32(at + 20, true),
    });
  }
  return events;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array, at: number): string {
  const field = bytes.subarray(at, at + NAME_BYTES);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
}
