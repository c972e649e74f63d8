/** A kind of processor that a release is made for. */
export interface Processor {
  /** As Node and npm call it. */
  readonly node: "x64" | "arm64";
  /** As Debian calls it. */
  readonly debian: "amd64" | "arm64";
  /** Prefix of the GNU tools for it, on a machine of another kind. */
  readonly triplet: string;
  /** Runs its programs on a machine of another kind. */
  readonly emulator: string;
  /** Debian packages that building for it takes on a machine of another kind. */
  readonly packages: readonly string[];
}

export const PROCESSORS: readonly Processor[] = [
  {
    node: "x64",
    debian: "amd64",
    triplet: "x86_64-linux-gnu",
    emulator: "qemu-x86_64-static",
    packages: ["g++-x86-64-linux-gnu", "qemu-user-static"],
  },
  {
    node: "arm64",
    debian: "arm64",
    triplet: "aarch64-linux-gnu",
    emulator: "qemu-aarch64-static",
    packages: ["g++-aarch64-linux-gnu", "qemu-user-static"],
  },
];

/** Whether this machine runs the processor's programs itself. */
export function isOwn({ node }: Processor): boolean {
  return node === process.arch;
}

/** A GNU tool for the processor. */
export function toolFor(processor: Processor, tool: string): string {
  return isOwn(processor) ? tool : `${processor.triplet}-${tool}`;
}

/** A command that runs a program of the processor. */
export function runnerFor(processor: Processor): readonly string[] {
  // With the libraries that its compiler brought.
  return isOwn(processor) ? [] : [processor.emulator, "-L", `/usr/${processor.triplet}`];
}
