import { getSystemErrorName } from "node:util";
import { FlancoError } from "../domain/error.ts";

/** sd_pid_notify_with_fds(3): pid 0 is this process, the state has one assignment per line. */
type Notify = (
  pid: 0,
  unsetEnvironment: 0,
  state: string,
  descriptors: Int32Array,
  descriptorCount: number,
) => number;
type Ioctl = (fd: number, request: number) => number;

/** asm-generic/ioctls.h: sets close-on-exec; the same on x86-64 and arm64. */
const FIOCLEX = 0x5451;

/** The functions of libsystemd and libc that this folder needs. */
export interface SystemdLibrary {
  /** Sends one message, with descriptors. Throws `unavailable`, with the system's code, when that fails. */
  notify(state: string, descriptors: readonly number[]): void;
  /** Closes a descriptor in programs that this process starts. */
  closeOnExec(fd: number): void;
}

/** Loads libsystemd through koffi. Throws `unavailable` where either is missing, as in a container's image. */
export async function loadSystemdLibrary(): Promise<SystemdLibrary> {
  try {
    const koffi = await import("koffi");
    const notify: Notify = koffi
      .load("libsystemd.so.0")
      .func(
        "int sd_pid_notify_with_fds(int pid, int unset, const char *state, const int *fds, unsigned int count)",
      );
    const ioctl: Ioctl = koffi.load("libc.so.6").func("int ioctl(int fd, unsigned long request)");
    return {
      notify: (state, descriptors) => {
        const result = notify(0, 0, state, Int32Array.from(descriptors), descriptors.length);
        if (result < 0) {
          throw new FlancoError("unavailable", `systemd cannot be notified (${getSystemErrorName(result)}).`);
        }
      },
      closeOnExec: (fd) => void ioctl(fd, FIOCLEX),
    };
  } catch (error) {
    throw new FlancoError("unavailable", "systemd cannot be notified: libsystemd does not load.", {
      hint: "Install the package libsystemd0, then restart flanco.",
      cause: error,
    });
  }
}
