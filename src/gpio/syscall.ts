import { getSystemErrorName } from "node:util";

/** A system call that failed, with the code that Node's own errors carry (`EBUSY`). */
export class SyscallError extends Error {
  override readonly name = "SyscallError";
  readonly code: string;

  /** `errno` is the positive number that the kernel gave. */
  constructor(call: string, errno: number) {
    const code = getSystemErrorName(-errno);
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** The code of a failed system call, of Node or of ours; null for any other error. */
export function syscallCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** True when the kernel denied access: EACCES or EPERM. */
export function isDenied(error: unknown): boolean {
  const code = syscallCode(error);
  return code === "EACCES" || code === "EPERM";
}
