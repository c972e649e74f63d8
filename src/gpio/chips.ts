import { FlancoError, systemCode } from "../domain/error.ts";
import type { ChipInfo } from "../domain/line.ts";
import { type GpioKernel, isDenied } from "./kernel.ts";
import {
  CHIP_INFO_BYTES,
  decodeChipInfo,
  decodeLineInfo,
  encodeLineInfoQuery,
  GPIO_GET_CHIPINFO_IOCTL,
  GPIO_V2_GET_LINEINFO_IOCTL,
  type LineInfoStruct,
} from "./uapi.ts";

/** The holder of a line that is in use by a program which gave no label. */
const UNNAMED_HOLDER = "an unnamed user";

/**
 * Every chip that has a character device, with lines and holders. Chips that may not be opened are left out, but if none
 * may be opened that is an error. Throws `unavailable`: access denied, or a kernel before 5.10.
 */
export function readChips(kernel: GpioKernel): ChipInfo[] {
  const chips: ChipInfo[] = [];
  let denied: unknown = null;
  for (const path of kernel.chipPaths()) {
    try {
      chips.push(readChip(kernel, path));
    } catch (error) {
      // The chip was removed between the listing and its opening.
      if (systemCode(error) === "ENOENT" || systemCode(error) === "ENODEV") continue;
      if (!isDenied(error)) throw error;
      denied = error;
    }
  }
  if (chips.length === 0 && denied !== null) throw deniedError(denied);
  return chips;
}

/** One chip with lines and holders. Throws `unavailable` as readChips does, and system errors. */
export function readChip(kernel: GpioKernel, path: string): ChipInfo {
  const fd = kernel.open(path);
  try {
    const bytes = new Uint8Array(CHIP_INFO_BYTES);
    kernel.ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, bytes);
    const chip = decodeChipInfo(bytes);
    const lines = Array.from({ length: chip.lines }, (_, offset) => {
      const { name, consumer, used } = readLineInfo(kernel, fd, offset);
      const holder = consumer === "" ? UNNAMED_HOLDER : consumer;
      return {
        chip: chip.name,
        offset,
        name: name === "" ? null : name,
        holder: used ? holder : null,
      };
    });
    const place = kernel.placeOf(path);
    return { name: chip.name, label: chip.label, ...(place === undefined ? {} : { place }), lines };
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

function readLineInfo(kernel: GpioKernel, fd: number, offset: number): LineInfoStruct {
  const bytes = encodeLineInfoQuery(offset);
  try {
    kernel.ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, bytes);
  } catch (error) {
    // A kernel without this call answers EINVAL (the GPIO core) or ENOTTY (a shim).
    if (systemCode(error) !== "EINVAL" && systemCode(error) !== "ENOTTY") throw error;
    throw new FlancoError(
      "unavailable",
      "This kernel lacks the GPIO interface v2 (Linux 5.10 and later have it).",
      { hint: "Use FLANCO_GPIO_DRIVER=sysfs.", cause: error },
    );
  }
  return decodeLineInfo(bytes);
}
