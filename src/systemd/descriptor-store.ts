import type { ServiceManager } from "./manager.ts";

/** systemd's descriptor store: it holds duplicates of descriptors while no process of the service runs. */
export class DescriptorStore {
  readonly #manager: Pick<ServiceManager, "keep" | "forget">;
  #passed: ReadonlyMap<string, readonly number[]>;

  /** `passed` is what came back to this process. */
  constructor(
    manager: Pick<ServiceManager, "keep" | "forget">,
    passed: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#manager = manager;
    this.#passed = passed;
  }

  /** What came back, once: whoever takes it owns the descriptors. */
  take(): ReadonlyMap<string, readonly number[]> {
    const passed = this.#passed;
    this.#passed = new Map();
    return passed;
  }

  keep(name: string, descriptors: readonly number[]): void {
    this.#manager.keep(name, descriptors);
  }

  forget(name: string): void {
    this.#manager.forget(name);
  }
}
