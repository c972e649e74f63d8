/** The state of the gateway's own hardware. Null: there is no sensor, or it could not be read. */
export interface Machine {
  /** Whether the supply's voltage is too low at this moment. Only a Raspberry Pi reports it. */
  readonly isVoltageLow: boolean | null;
  /** The hottest sensor, in degrees Celsius. */
  readonly temperature: number | null;
  readonly memory: Memory | null;
  /** Errors that the ledger's file system has met since its last complete check (ext4). */
  readonly fileSystemErrors: number | null;
}

export interface Memory {
  readonly availableBytes: number;
  readonly totalBytes: number;
}

/** A gateway without sensors. */
export const UNKNOWN_MACHINE: Machine = {
  isVoltageLow: null,
  temperature: null,
  memory: null,
  fileSystemErrors: null,
};
