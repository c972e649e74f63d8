import type { Change } from "../../domain/change.ts";
import type { Id } from "../../domain/id.ts";
import type { AuditLog } from "../nouns/audit.ts";
import type { Boots } from "../nouns/boot.ts";
import type { LocalCalendar } from "../nouns/calendar.ts";
import type { RollupWriter } from "../nouns/rollup.ts";
import type { Chain } from "./chain.ts";

/** What every writing function works with, inside one transaction of the writer thread. */
export interface WriteContext {
  readonly ids: { next(): Id };
  readonly rollups: RollupWriter;
  readonly chain: Chain;
  readonly calendar: LocalCalendar;
  readonly boots: Boots;
  readonly audit: AuditLog;
  /** Wall time of the batch, in Unix milliseconds. */
  nowMs(): number;
  /** Adds a change that is published after the commit. */
  tell(change: Change): void;
}
