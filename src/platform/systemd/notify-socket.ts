import { constants } from "node:os";
import { FlancoError } from "../../domain/error.ts";

/** sys/socket.h and asm-generic/ioctls.h of Linux; the same on x86-64 and arm64. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x8_0000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const FIOCLEX = 0x5451;
/** struct sockaddr_un: the family, then the path. */
const FAMILY_BYTES = 2;
const MAX_PATH_BYTES = 108;
/** struct cmsghdr: length, level, type; what follows is a multiple of a word. */
const CONTROL_HEADER_BYTES = 16;
const WORD_BYTES = 8;
const FD_BYTES = 4;

/** A socket for sd_notify(3), and the calls on its descriptors. */
export type NotifySocket = Awaited<ReturnType<typeof openNotifySocket>>;

/**
 * Opens a socket to `path`, or to an abstract name after `@`. It calls libc, because
 * libsystemd's calls wait while the socket is full, and Node has no Unix datagrams.
 * Throws `unavailable` where koffi or libc is missing, as in a container's image.
 */
export async function openNotifySocket(path: string) {
  try {
    const koffi = await import("koffi");
    const libc = koffi.load("libc.so.6");
    const socket: (domain: number, type: number, protocol: number) => number = libc.func(
      "int socket(int domain, int type, int protocol)",
    );
    const dup: (fd: number) => number = libc.func("int dup(int fd)");
    const ioctl: (fd: number, request: number) => number = libc.func(
      "int ioctl(int fd, unsigned long request)",
    );
    const part = koffi.struct({ base: "void *", bytes: "size_t" });
    const header = koffi.struct({
      name: "void *",
      nameBytes: "uint32_t",
      parts: koffi.pointer(part),
      partCount: "size_t",
      control: "void *",
      controlBytes: "size_t",
      flags: "int",
    });
    const sendmsg: (fd: number, message: object, flags: number) => number = libc.func("sendmsg", "int64_t", [
      "int",
      koffi.pointer(header),
      "int",
    ]);
    const name = addressOf(path);
    const own = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    /** Closes a descriptor in programs that this process starts. */
    const closeOnExec = (fd: number) => void ioctl(fd, FIOCLEX);
    return {
      /**
       * Sends one message, with descriptors, without waiting. False
       * while there is no room. Throws `unavailable` when it fails.
       */
      send: (state: string, descriptors: readonly number[]): boolean => {
        const text = Buffer.from(state);
        const control = controlOf(descriptors);
        const message = {
          name,
          nameBytes: name.length,
          parts: [{ base: text, bytes: text.length }],
          partCount: 1,
          control: control.length === 0 ? null : control,
          controlBytes: control.length,
          flags: 0,
        };
        if (Number(sendmsg(own, message, MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0) return true;
        const errno = koffi.errno();
        if (errno === constants.errno.EAGAIN || errno === constants.errno.ENOBUFS) return false;
        throw new FlancoError("unavailable", `systemd cannot be notified (error ${errno}).`);
      },
      duplicate: (fd: number): number => {
        const copy = dup(fd);
        closeOnExec(copy);
        return copy;
      },
      closeOnExec,
    };
  } catch (error) {
    throw new FlancoError("unavailable", "systemd cannot be notified: libc does not load.", { cause: error });
  }
}

/** struct sockaddr_un. An abstract name begins with a zero byte and has its length alone for its end. */
function addressOf(path: string): Buffer {
  const text = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  if (text.length > MAX_PATH_BYTES) throw new FlancoError("unavailable", "NOTIFY_SOCKET is too long.");
  const family = Buffer.alloc(FAMILY_BYTES);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, text]);
}

/** A control message with descriptors (SCM_RIGHTS); empty without any. */
function controlOf(descriptors: readonly number[]): Buffer {
  if (descriptors.length === 0) return Buffer.alloc(0);
  const bytes = CONTROL_HEADER_BYTES + descriptors.length * FD_BYTES;
  const control = Buffer.alloc(Math.ceil(bytes / WORD_BYTES) * WORD_BYTES);
  control.writeBigUInt64LE(BigInt(bytes), 0);
  control.writeInt32LE(SOL_SOCKET, 8);
  control.writeInt32LE(SCM_RIGHTS, 12);
  for (const [index, fd] of descriptors.entries()) {
    control.writeInt32LE(fd, CONTROL_HEADER_BYTES + index * FD_BYTES);
  }
  return control;
}
