import { closeSync } from "node:fs";
import koffi from "koffi";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** sys/socket.h and sys/un.h of Linux. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const SUN_PATH_BYTES = 108;
const SCM_RIGHTS = 1;
/** struct cmsghdr: length, level, type. */
const CONTROL_HEADER_BYTES = 16;
const BUFFER_BYTES = 4_096;

koffi.struct("flanco_iovec", { base: "void *", bytes: "size_t" });
koffi.struct("flanco_msghdr", {
  name: "void *",
  nameBytes: "uint32_t",
  iov: "flanco_iovec *",
  iovCount: "size_t",
  control: "void *",
  controlBytes: "size_t",
  flags: "int",
});
const libc = koffi.load("libc.so.6");
const socket = libc.func("int socket(int domain, int type, int protocol)");
const bind = libc.func("int bind(int fd, void *address, uint32_t bytes)");
const recvmsg = libc.func("int64_t recvmsg(int fd, _Inout_ flanco_msghdr *message, int flags)");

export interface Message {
  readonly lines: readonly string[];
  readonly descriptors: readonly number[];
}

/** A socket as systemd listens on, NOTIFY_SOCKET being its path. Node itself knows no unix datagrams. */
export class NotifySocket {
  readonly #directory = new TemporaryDirectory();
  readonly path = this.#directory.file("notify");
  readonly #fd: number;

  constructor() {
    this.#fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    const address = Buffer.alloc(2 + SUN_PATH_BYTES);
    address.writeUInt16LE(AF_UNIX, 0);
    address.write(this.path, 2);
    if (bind(this.#fd, address, address.length) !== 0)
      throw new Error(`bind failed with errno ${koffi.errno()}.`);
  }

  /** The next message; undefined while none waits. Its descriptors are the caller's. */
  receive(): Message | undefined {
    const text = Buffer.alloc(BUFFER_BYTES);
    const control = Buffer.alloc(BUFFER_BYTES);
    const message = {
      name: null,
      nameBytes: 0,
      iov: [{ base: text, bytes: text.length }],
      iovCount: 1,
      control,
      controlBytes: control.length,
      flags: 0,
    };
    const bytes = Number(recvmsg(this.#fd, message, MSG_DONTWAIT));
    if (bytes < 0) return undefined;
    return { lines: text.toString("utf8", 0, bytes).split("\n"), descriptors: descriptorsOf(control) };
  }

  /** All messages that wait. */
  receiveAll(): readonly Message[] {
    const messages: Message[] = [];
    for (let next = this.receive(); next !== undefined; next = this.receive()) messages.push(next);
    return messages;
  }

  close(): void {
    closeSync(this.#fd);
    this.#directory.remove();
  }
}

function descriptorsOf(control: Buffer): number[] {
  const end = Number(control.readBigUInt64LE(0));
  if (end === 0 || control.readInt32LE(12) !== SCM_RIGHTS) return [];
  const descriptors: number[] = [];
  for (let at = CONTROL_HEADER_BYTES; at < end; at += 4) descriptors.push(control.readInt32LE(at));
  return descriptors;
}
