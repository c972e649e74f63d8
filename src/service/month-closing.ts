import { MINUTE_MS } from "../domain/clock.ts";
import { formatMonth, type Month } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { StatusReader } from "../domain/status.ts";
import { termsIn } from "../domain/terms.ts";
import { closeWithSettlement, hasEnded, nextMonth, type SettlementDependencies } from "../http/settlement.ts";

const LOOK_MS = 10 * MINUTE_MS;
/** A month is closed by itself on the third day after it. */
const DAYS_AFTER = 2;

export interface MonthClosingDependencies extends SettlementDependencies {
  readonly reader: SettlementDependencies["reader"] & Pick<LedgerReader, "members" | "locations">;
  readonly status: Pick<StatusReader, "status">;
  readonly log: Log;
}

/** Closes months of which all terms say so, one at a time, once nothing of them waits for its time. */
export class MonthClosing {
  readonly #dependencies: MonthClosingDependencies;
  #timer: NodeJS.Timeout | undefined;
  #isBusy = false;

  constructor(dependencies: MonthClosingDependencies) {
    this.#dependencies = dependencies;
  }

  open(): void {
    this.#timer = setInterval(() => void this.closeDue(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Closes the next month of each account where it is due. Never rejects. */
  async closeDue(): Promise<void> {
    const { reader, trust, log } = this.#dependencies;
    if (this.#isBusy || !trust.trusted()) return;
    const report = (err: unknown) => log.error({ err }, "a month could not be closed: it is tried again");
    this.#isBusy = true;
    try {
      for (const userId of new Set(reader.members().map((member) => member.userId))) {
        await this.#closeOf(userId).catch(report);
      }
    } catch (err) {
      report(err);
    } finally {
      this.#isBusy = false;
    }
  }

  async #closeOf(userId: Id): Promise<void> {
    const month = nextMonth(this.#dependencies, userId);
    if (!(await this.#isDue(userId, month))) return;
    await closeWithSettlement(this.#dependencies, userId, month, new Map());
    this.#dependencies.log.info({ month: formatMonth(month) }, "the month is closed");
  }

  async #isDue(userId: Id, month: Month): Promise<boolean> {
    const { reader, status } = this.#dependencies;
    if (!hasEnded(this.#dependencies, month, DAYS_AFTER)) return false;
    const all = reader.terms(userId);
    const agreed = reader.locations(userId).flatMap(({ name }) => termsIn(all, name, month) ?? []);
    if (agreed.length === 0 || agreed.some(({ closesItself }) => !closesItself)) return false;
    return (await status.status(userId)).provisional.waiting === 0;
  }
}
