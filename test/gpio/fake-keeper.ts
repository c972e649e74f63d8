import type { DescriptorKeeper } from "../../src/gpio/keeper.ts";
import type { FakeKernel } from "./fake-kernel.ts";

/** A descriptor store as systemd has it: it holds duplicates, and gives duplicates of them to each process. */
export class FakeKeeper implements DescriptorKeeper {
  readonly #kernel: FakeKernel;
  readonly #stored = new Map<string, number[]>();

  constructor(kernel: FakeKernel) {
    this.#kernel = kernel;
  }

  get names(): string[] {
    return [...this.#stored.keys()];
  }

  get descriptors(): ReadonlySet<number> {
    return new Set([...this.#stored.values()].flat());
  }

  take(): ReadonlyMap<string, readonly number[]> {
    // The order within a name is nobody's promise.
    const given = [...this.#stored].map(([name, fds]): [string, number[]] => [
      name,
      fds.map((fd) => this.#kernel.duplicate(fd)).reverse(),
    ]);
    return new Map(given);
  }

  keep(name: string, descriptors: readonly number[]): void {
    this.#stored.set(
      name,
      descriptors.map((fd) => this.#kernel.duplicate(fd)),
    );
  }

  forget(name: string): void {
    for (const fd of this.#stored.get(name) ?? []) this.#kernel.close(fd);
    this.#stored.delete(name);
  }

  /** Loses one of the descriptors of the first name, as a store that was full. */
  loseOne(): void {
    const [fds] = this.#stored.values();
    const fd = fds?.pop();
    if (fd !== undefined) this.#kernel.close(fd);
  }
}

/** One that lets go of what it was told to forget only when it comes to it, as systemd does. */
export class LateKeeper extends FakeKeeper {
  readonly #forgotten: string[] = [];

  override forget(name: string): void {
    this.#forgotten.push(name);
  }

  letGo(): void {
    for (const name of this.#forgotten.splice(0)) super.forget(name);
  }
}
