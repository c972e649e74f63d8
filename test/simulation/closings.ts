import type { Database } from "better-sqlite3";
import type { SettlementContent } from "../../src/contract/settlement.ts";
import { contentOf } from "../../src/contract/settlement-text.ts";
import { firstDayOf, type Month, monthAfter, monthOf } from "../../src/domain/day.ts";
import type { NewSettlement } from "../../src/domain/settlement.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { settlementReader } from "../../src/ledger/nouns/settlement.ts";
import type { Sale } from "./fold.ts";
import { START_US, ZONE } from "./template.ts";

const US_PER_MS = 1_000;
const MICROS = 1e6;
const calendar = new LocalCalendar(ZONE);
/** The first one that is closed: that in which histories begin, before it has ended, so that much comes late for it. */
const FIRST = monthOf(calendar.dayOf(START_US / US_PER_MS));

/** The next month's settlement, as the ledger makes it at this moment. */
export function nextClosing(
  db: Database,
  userId: string,
): NewSettlement & { readonly content: SettlementContent } {
  const reader = settlementReader(db, calendar, { spendRows() {}, spendRecords() {} });
  const [newest] = reader.settlements(userId, 1);
  const month = newest === undefined ? FIRST : monthAfter(newest.month);
  const details = { time: 0, currency: { code: "EUR", decimals: 2 }, counted: new Map<string, number>() };
  const draft = reader.draftSettlement(userId, month, details);
  return { ...draft, content: contentOf(draft) };
}

/** By room and in all, the closed months and the one that is open hold what was sold since the first of them, once. */
export function settledAgainst(
  db: Database,
  userId: string,
  sales: readonly Sale[],
  closed: readonly Month[],
): readonly string[] {
  const reader = settlementReader(db, calendar, { spendRows() {}, spendRecords() {} });
  const heads = reader.settlements(userId, closed.length + 1).toReversed();
  const wrong: string[] = [];
  const months = heads.map(({ month }) => month).join(", ");
  if (months !== closed.join(", ")) wrong.push(`closed are ${months}; must be ${closed.join(", ")}`);
  const open = nextClosing(db, userId);
  const contents = heads.map(({ month }) => contentOf(reader.settlement(userId, month)));
  const lost = db.prepare("SELECT count(*) FROM correction WHERE kind = 'lost'").pluck().get();
  const settled = new Sums();
  for (const { rooms, totals, numbers } of [...contents, open.content]) {
    for (const { room, net, corrected } of rooms) settled.add(room, net * MICROS + corrected * MICROS);
    settled.add("", totals.due.net * MICROS);
    // Numbers that may have been of lost entries are not given again.
    if (numbers !== null && numbers.missing > 0 && lost === 0)
      wrong.push(`${numbers.missing} numbers are missing`);
  }
  const { fromMs } = calendar.stretchOf(firstDayOf(FIRST), firstDayOf(FIRST));
  const { fromMs: untilMs } = calendar.stretchOf(
    firstDayOf(monthAfter(open.month)),
    firstDayOf(monthAfter(open.month)),
  );
  const sold = new Sums();
  for (const { room, valorMicros, timeMs } of sales) {
    if (timeMs < fromMs || timeMs >= untilMs) continue;
    sold.add(room, valorMicros);
    sold.add("", valorMicros);
  }
  if (settled.text !== sold.text) wrong.push(`settled ${settled.text}; must be ${sold.text}`);
  return wrong;
}

/** Millionths by room; those of all under the empty name. */
class Sums {
  readonly #byRoom = new Map<string, number>();

  add(room: string, micros: number): void {
    this.#byRoom.set(room, (this.#byRoom.get(room) ?? 0) + Math.round(micros));
  }

  get text(): string {
    const sums = [...this.#byRoom]
      .filter(([, micros]) => micros !== 0)
      .map(([room, micros]) => `${room} ${micros}`);
    return sums.toSorted().join(", ");
  }
}
