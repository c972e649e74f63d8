import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineInfo } from "../domain/line.ts";
import type { GpioKernel } from "./kernel.ts";
import { isDenied, syscallCode } from "./syscall.ts";
import {
  CHIP_INFO_BYTES,
  decodeChipInfo,
  decodeLineInfo,
  decodeLineInfoV1,
  encodeLineInfoQuery,
  encodeLineInfoV1Query,
  GPIO_GET_CHIPINFO_IOCTL,
  GPIO_GET_LINEINFO_IOCTL,
  GPIO_V2_GET_LINEINFO_IOCTL,
  type LineInfoStruct,
} from "./uapi.ts";

/** What a line's holder is called when it gave itself no label. */
const UNNAMED_HOLDER = "an unnamed user";

/** Which version of the interface must answer for a line: v2 is what watching through chardev needs. */
export type LineInfoVersion = "v2" | "v2 or v1";

/**
 * Every chip that has a character device, with lines and holders. A chip that may not be opened is
 * passed over, unless none may be. Throws `unavailable`: access denied, or (for `v2`) a kernel before 5.10.
 */
export function readChips(kernel: GpioKernel, version: LineInfoVersion): ChipInfo[] {
  const chips: ChipInfo[] = [];
  let denied: unknown = null;
  for (const path of kernel.chipPaths()) {
    try {
      chips.push(readChip(kernel, path, version));
    } catch (error) {
      // A chip that was unplugged between the listing and its opening.
      if (syscallCode(error) === "ENOENT" || syscallCode(error) === "ENODEV") continue;
      if (!isDenied(error)) throw error;
      denied = error;
    }
  }
  if (chips.length === 0 && denied !== null) throw deniedError(denied);
  return chips;
}

/** One chip's lines and holders. Throws `unavailable` as readChips does, and system errors. */
export function readChip(kernel: GpioKernel, path: string, version: LineInfoVersion): ChipInfo {
  const fd = kernel.open(path);
  try {
    const bytes = new Uint8Array(CHIP_INFO_BYTES);
    kernel.ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, bytes);
    const { name, label, lines } = decodeChipInfo(bytes);
    return {
      name,
      label,
      lines: Array.from({ length: lines }, (_, offset) => readLine(kernel, fd, name, offset, version)),
    };
  } finally {
    kernel.close(fd);
  }
}

/** The device node of a chip. */
export function devicePath(chip: string): string {
  return `/dev/${chip}`;
}

/** The error for a device that this user may not open. */
export function deniedError(cause: unknown): FlancoError {
  return new FlancoError("unavailable", "The kernel denies this user access to the GPIO lines.", {
    hint: "Add the user that runs flanco to the group gpio (usermod -aG gpio USER) and start it again.",
    cause,
  });
}

function readLine(
  kernel: GpioKernel,
  fd: number,
  chip: string,
  offset: number,
  version: LineInfoVersion,
): LineInfo {
  const { name, consumer, used } = readLineInfo(kernel, fd, offset, version);
  const holder = consumer === "" ? UNNAMED_HOLDER : consumer;
  return { chip, offset, name: name === "" ? null : name, holder: used ? holder : null };
}

function readLineInfo(
  kernel: GpioKernel,
  fd: number,
  offset: number,
  version: LineInfoVersion,
): LineInfoStruct {
  try {
    const bytes = encodeLineInfoQuery(offset);
    kernel.ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, bytes);
    return decodeLineInfo(bytes);
  } catch (error) {
    // A kernel that does not know the call answers EINVAL (the GPIO core) or ENOTTY (a shim).
    if (syscallCode(error) !== "EINVAL" && syscallCode(error) !== "ENOTTY") throw error;
    if (version === "v2") {
      throw new FlancoError(
        "unavailable",
        "This kernel lacks the GPIO interface v2 (Linux 5.10 and later have it).",
        {
          hint: "Use FLANCO_GPIO_DRIVER=sysfs.",
          cause: error,
        },
      );
    }
  }
  const bytes = encodeLineInfoV1Query(offset);
  kernel.ioctl(fd, GPIO_GET_LINEINFO_IOCTL, bytes);
  return decodeLineInfoV1(bytes);
}
