import { type Clock, type ClockTrust, MINUTE_MS, monotonicMs } from "../domain/clock.ts";
import { addDays, type Day, dayFromDate, firstDayOf, monthOf } from "../domain/day.ts";
import { HABIT_DAYS, silentDays } from "../domain/device.ts";
import { type Fault, FaultWatch, tellsEnd } from "../domain/fault.ts";
import type { Id } from "../domain/id.ts";
import type { CostlyReads, LedgerReader } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { minuteOf, type Notice } from "../domain/notice.ts";
import type { NoticeOutbox } from "./notice-outbox.ts";
import type { NoticeWriter, OneOrMore, PlacedFault, SilentRoom } from "./notice-writer.ts";

const LOOK_MS = MINUTE_MS;
/** Minutes after midnight, local time: when the day before is summed up, and rooms are looked at. */
const DAILY_MINUTE = 7 * 60;
/** The most months that are told of at once. */
const MAX_TOLD_MONTHS = 12;
/** A silence is seen up to this many days beyond the setting. */
const FURTHER_DAYS = 30;

export interface NoticesOptions {
  readonly outbox: NoticeOutbox;
  readonly writer: NoticeWriter;
  readonly status: { status(): Promise<{ readonly faults: readonly Fault[] }> };
  readonly reader: Pick<
    LedgerReader,
    "members" | "wirings" | "localTime" | "letterhead" | "settlements" | "settlement"
  >;
  readonly costly: Pick<CostlyReads, "overview" | "roomDays">;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** Days of silence after which a room is told of; 0: never. */
  readonly silentDays: number;
  readonly summaries: readonly ("daily" | "monthly")[];
  /** The page's address on the local network; null without one. */
  readonly page: () => string | null;
  /** Called when there is something new to send. */
  readonly wake: () => void;
}

/** Looks each minute for what people are to be told, and puts notices into the outbox. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #watch = new FaultWatch();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  open(): void {
    this.#options.outbox.open();
    this.#timer = setInterval(() => void this.announce(), LOOK_MS).unref();
  }

  /**
   * Ends it. What a look under way still finds is left to
   * the next process, or to the notices that follow these.
   */
  close(): void {
    clearInterval(this.#timer);
    this.#options.outbox.close();
  }

  /** Makes notices of what is new since the last call. Never rejects. */
  async announce(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { outbox, status, log, wake } = this.#options;
    try {
      outbox.save();
      const { faults } = await status.status();
      this.#tellFaults(faults);
      this.#tellClosedMonths();
      await this.#announceDaily(faults.length);
    } catch (err) {
      log.error({ err }, "the faults for the notices cannot be read");
    } finally {
      this.#looking = false;
      wake();
    }
  }

  #tellFaults(faults: readonly Fault[]): void {
    const { outbox, writer, clock } = this.#options;
    const told = outbox.told.faults;
    const earlier = told.map(({ fault }) => fault);
    const { begun, over } = this.#watch.update(earlier, faults, monotonicMs(clock));
    if (begun.length + over.length === 0) return;
    const kept = told.filter(({ fault }) => !over.includes(fault));
    const notices: Notice[] = [];
    // A relay box that fails has tens of lines: people get one notice of them.
    for (const placed of this.#placed(begun)) {
      const notice = writer.faults("fault_begun", placed);
      notices.push(notice);
      for (const { code, sinceMs, message, hint, details } of placed) {
        kept.push({ fault: { code, sinceMs, message, hint, details }, noticeId: notice.id });
      }
    }
    for (const placed of this.#placed(over.filter(tellsEnd))) {
      const [{ code }] = placed;
      // Where faults are over before their notice was delivered, one notice tells both.
      const ids = told.filter(({ fault }) => fault.code === code && over.includes(fault));
      for (const id of new Set(ids.map(({ noticeId }) => noticeId))) {
        if (kept.every(({ noticeId }) => noticeId !== id)) outbox.withdraw(id);
      }
      notices.push(writer.faults("fault_over", placed));
    }
    outbox.add(notices, { faults: kept });
  }

  /** Tells of each month that was closed since the last look. */
  #tellClosedMonths(): void {
    const { outbox, reader, writer, page } = this.#options;
    const told = outbox.told.closedMonths;
    const accounts = this.#accounts();
    const notices: Notice[] = [];
    const newest: Record<string, number> = {};
    for (const userId of accounts) {
      const closed = reader.settlements(userId, MAX_TOLD_MONTHS);
      newest[userId] = closed[0]?.month ?? 0;
      // At the first look it is not known what people have been told.
      const fresh = closed.filter(({ month }) => month > (told[userId] ?? newest[userId] ?? 0));
      const company = accounts.length === 1 ? "" : reader.letterhead(userId).company;
      for (const { month } of fresh.toReversed()) {
        notices.push(writer.monthClosed(reader.settlement(userId, month), company, page()));
      }
    }
    if (JSON.stringify(newest) !== JSON.stringify(told)) outbox.add(notices, { closedMonths: newest });
  }

  /** Faults by their code, each with its line's room. */
  #placed(faults: readonly Fault[]): readonly OneOrMore<PlacedFault>[] {
    if (faults.length === 0) return [];
    const wirings = this.#accounts().flatMap((userId) => this.#options.reader.wirings(userId));
    const rooms = new Map(
      wirings.map(({ line, actuatorId: name, deviceName }) => [line, { name, deviceName }] as const),
    );
    const byCode = new Map<string, [PlacedFault, ...PlacedFault[]]>();
    for (const fault of faults) {
      const placed = { ...fault, room: rooms.get(String(fault.details["line"])) };
      const others = byCode.get(fault.code);
      if (others === undefined) byCode.set(fault.code, [placed]);
      else others.push(placed);
    }
    return [...byCode.values()];
  }

  /** Sums up and looks at rooms once a local day. A gateway that was off for days sums up the last day alone. */
  async #announceDaily(faults: number): Promise<void> {
    const { outbox, clock, trust, reader } = this.#options;
    if (!trust.trusted()) return;
    const nowMs = clock.nowMs();
    const localTime = reader.localTime(nowMs);
    const today = dayFromDate(new Date(`${localTime.slice(0, 10)}T00:00:00Z`));
    const { lookedOn } = outbox.told;
    // An earlier day than the last look's counts too: a clock that
    // was years ahead would otherwise silence all notices until then.
    if (lookedOn !== null && (today === lookedOn || minuteOf(localTime) < DAILY_MINUTE)) return;
    // At the first look it is not known what people have been told.
    const summaries = lookedOn === null ? [] : await this.#sumUp(today, monthOf(lookedOn), faults);
    const { notices, silentRooms } = await this.#findSilent(nowMs);
    outbox.add([...summaries, ...notices], { lookedOn: today, silentRooms });
  }

  async #sumUp(today: Day, lookedInMonth: number, faults: number): Promise<readonly Notice[]> {
    const { summaries, costly, writer, clock } = this.#options;
    const yesterday = addDays(today, -1);
    const lastMonth = addDays(firstDayOf(monthOf(today)), -1);
    const wanted = [
      ...(summaries.includes("daily") ? [["daily_summary", "day", yesterday] as const] : []),
      ...(summaries.includes("monthly") && monthOf(today) !== lookedInMonth
        ? [["monthly_summary", "month", lastMonth] as const]
        : []),
    ];
    const accounts = this.#accounts();
    const notices: Notice[] = [];
    for (const userId of accounts) {
      const company = accounts.length === 1 ? "" : this.#options.reader.letterhead(userId).company;
      for (const [kind, period, at] of wanted) {
        const request = { period, at, filter: { location: null, deviceId: null, within: null } };
        notices.push(
          writer.summary(kind, await costly.overview(userId, request, clock.nowMs()), faults, company),
        );
      }
    }
    return notices;
  }

  async #findSilent(nowMs: number): Promise<{ notices: readonly Notice[]; silentRooms: string[] }> {
    const { silentDays: leastDays, costly, reader, writer, outbox } = this.#options;
    if (leastDays === 0) return { notices: [], silentRooms: [] };
    const told = new Set(outbox.told.silentRooms);
    const silent: (SilentRoom & { readonly key: string })[] = [];
    for (const userId of this.#accounts()) {
      const rooms = await costly.roomDays(userId, leastDays + FURTHER_DAYS + HABIT_DAYS, nowMs);
      const days = new Map(rooms.map((one) => [keyOf(one), silentDays(one, leastDays)]));
      for (const { deviceId, actuatorId: room, deviceName } of reader.wirings(userId)) {
        const key = keyOf({ deviceId, room });
        const own = days.get(key) ?? null;
        if (own !== null) silent.push({ key, room, deviceName, days: own });
      }
    }
    const fresh = silent.filter(({ key }) => !told.has(key));
    return {
      notices: fresh.length === 0 ? [] : [writer.roomsSilent(fresh)],
      silentRooms: silent.map(({ key }) => key),
    };
  }

  #accounts(): readonly Id[] {
    return [...new Set(this.#options.reader.members().map(({ userId }) => userId))];
  }
}

function keyOf({ deviceId, room }: { readonly deviceId: string; readonly room: string }): string {
  return `${deviceId} ${room}`;
}
