import { HOUR_MS, MINUTE_MS } from "./clock.ts";
import type { Id } from "./id.ts";

/** How long a test lasts unless it is ended before. */
export const DEFAULT_TEST_MS = 30 * MINUTE_MS;
/** The longest test. */
export const MAX_TEST_MS = 8 * HOUR_MS;

/** A wired line under test: what it does is no sale. */
export interface LineTest {
  readonly userId: Id;
  readonly line: string;
  readonly deviceId: Id;
  readonly deviceName: string;
  readonly room: string;
  /** Until the test ends by itself, in milliseconds. */
  readonly remainingMs: number;
}

/** A rise of a line under test: it would have been a sale. */
export interface TestedEdge {
  readonly line: string;
  readonly deviceId: Id;
  readonly room: string;
  /** Unix milliseconds. */
  readonly timeMs: number;
  /** Whether that time is not trusted. */
  readonly provisional: boolean;
}
