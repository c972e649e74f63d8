/** The sinks that there are. Each is off until it is configured. */
export const SINK_NAMES = ["email", "webhook", "mqtt", "central"] as const;
export type SinkName = (typeof SINK_NAMES)[number];

/** How a sink fares. */
export interface SinkStatus {
  readonly name: SinkName;
  /** Entries or messages that wait to be delivered. */
  readonly waiting: number;
  /** For how long the sink has been behind, in milliseconds of monotonic time in this process; 0 while nothing waits. */
  readonly behindMs: number;
  /** When a batch was delivered last, in Unix milliseconds; null where none was. */
  readonly deliveredMs: number | null;
  /** Batches that were delivered, and tries that failed, since the process began. */
  readonly delivered: number;
  readonly failed: number;
  /** Notices that were given up because the other side refused each of them for good, of all time. Entries never are. */
  readonly givenUp: number;
  /** By how much this machine's clock is ahead of the other side's; null where the sink does not know. */
  readonly clockOffMs: number | null;
  /** Why the last try failed; null once one succeeded, and before the first. */
  readonly failure: SinkFailure | null;
}

export interface SinkFailure {
  readonly message: string;
  /** What to do; empty where that is not known. */
  readonly hint: string;
  /** When the first of the tries that failed one after the other was made, in Unix milliseconds. */
  readonly sinceMs: number;
  /** How many there were. */
  readonly tries: number;
}
