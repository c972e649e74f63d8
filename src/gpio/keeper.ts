/** Whoever holds descriptors while no process of ours runs: systemd's descriptor store. */
export interface DescriptorKeeper {
  /** Gives what was kept for this process, by name, once: whoever takes it owns it. */
  take(): ReadonlyMap<string, readonly number[]>;
  /** Hands duplicates of descriptors over, all under one name (ASCII without `:`, at most 255 characters). */
  keep(name: string, descriptors: readonly number[]): void;
  /** Drops the duplicates of that name. */
  forget(name: string): void;
}
