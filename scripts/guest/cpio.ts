import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join, posix } from "node:path";

const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const LINK = 0o120000;
/** Archives are padded to this, so that they can be put one behind the other. */
const BLOCK_BYTES = 512;
const TRAILER = "TRAILER!!!";

/**
 * Writes one cpio archive in the format that the kernel unpacks as an initramfs ("newc", see the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst). Paths are those of the guest, absolute.
 * The kernel makes no parent directories of its own, so each is written before its first child. The file
 * appears under its name only when it is complete.
 */
export class CpioArchive {
  readonly file: string;
  readonly #temporary: string;
  readonly #descriptor: number;
  readonly #directories = new Set<string>(["/"]);
  #inode = 1;
  #length = 0;

  constructor(file: string) {
    this.file = file;
    this.#temporary = `${file}.${process.pid}`;
    this.#descriptor = openSync(this.#temporary, "w");
  }

  directory(path: string): void {
    if (this.#directories.has(path)) return;
    this.directory(posix.dirname(path));
    this.#directories.add(path);
    this.#entry(path, DIRECTORY | 0o755, Buffer.alloc(0));
  }

  text(path: string, content: string, mode = 0o644): void {
    this.directory(posix.dirname(path));
    this.#entry(path, REGULAR | mode, Buffer.from(content));
  }

  /** Copies a file of this machine. */
  copy(path: string, source: string, mode: number): void {
    this.directory(posix.dirname(path));
    this.#entry(path, REGULAR | (mode & 0o777), readFileSync(source));
  }

  /** Copies a file, a link or a folder of this machine. */
  tree(path: string, source: string): void {
    const status = lstatSync(source);
    if (status.isSymbolicLink()) this.#entry(path, LINK | 0o777, Buffer.from(readlinkSync(source)));
    else if (status.isFile()) this.copy(path, source, status.mode);
    else if (status.isDirectory()) {
      this.directory(path);
      for (const name of readdirSync(source)) this.tree(posix.join(path, name), join(source, name));
    }
  }

  close(): void {
    this.#entry(`/${TRAILER}`, 0, Buffer.alloc(0));
    this.#write(Buffer.alloc(padding(this.#length, BLOCK_BYTES)));
    closeSync(this.#descriptor);
    renameSync(this.#temporary, this.file);
  }

  #entry(path: string, mode: number, content: Buffer): void {
    const name = Buffer.from(`${path.slice(1)}\0`);
    // Inode, mode, owner, group, links, time, size, device (2), special device (2), name's length, checksum.
    const fields = [this.#inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
    this.#inode += 1;
    this.#write(Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`));
    this.#write(name);
    this.#write(Buffer.alloc(padding(this.#length, 4)));
    this.#write(content);
    this.#write(Buffer.alloc(padding(this.#length, 4)));
  }

  #write(bytes: Buffer): void {
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    this.#length += bytes.length;
  }
}

function padding(length: number, unit: number): number {
  return (unit - (length % unit)) % unit;
}
