import type { Id } from "./id.ts";
import type { RawLevel } from "./line.ts";
import {
  type Contact,
  isFloating,
  type Judgement,
  judgeRoom,
  MAX_SEEN_LEVELS,
  type Observation,
  type Prompt,
  type SeenLevel,
  SILENT_MS,
  SWITCHING_MS,
} from "./verdict.ts";

const MAX_MOVES = 20;

/** A line that moved, with its last level of that switching. */
export interface Move {
  readonly line: string;
  readonly active: boolean;
  /** Monotonic milliseconds. */
  readonly atMs: number;
}

interface LineObservation extends Observation {
  readonly levels: SeenLevel[];
  active: boolean;
  overflowed: boolean;
}

interface PromptedRoom {
  readonly deviceId: Id;
  readonly room: string;
  readonly sinceMs: number;
}

/** What one commissioning has seen of its lines, in memory alone. What was ticked off is in the ledger. */
export class CommissionWatch {
  readonly #seen = new Map<string, LineObservation>();
  #moves: readonly Move[] = [];
  #asked: PromptedRoom | null = null;
  /** Monotonic time of the last call of `hasNews`. */
  #toldMs = 0;
  #isFresh = false;

  /** Newest first, at most 20. */
  get moves(): readonly Move[] {
    return this.#moves;
  }

  get asked(): Pick<PromptedRoom, "deviceId" | "room"> | null {
    return this.#asked;
  }

  /** The newest level of a line; undefined before the first. */
  levelOf(line: string): boolean | undefined {
    return this.#seen.get(line)?.active;
  }

  /** Takes a level as the kernel saw it. An edge says which level was before it. */
  takeEdge({ line, active, atMs, missed, isFirst }: RawLevel): void {
    const before = isFirst ? undefined : this.#seen.get(line);
    const seen = before ?? { restActive: active === isFirst, active, levels: [], overflowed: false };
    this.#seen.set(line, seen);
    seen.active = active;
    // Of a line that moved so often there is nothing more to learn.
    if (isFirst || seen.overflowed) return;
    seen.overflowed ||= missed > 0 || seen.levels.length >= MAX_SEEN_LEVELS;
    if (seen.levels.length < MAX_SEEN_LEVELS) seen.levels.push({ active, atMs });
    this.#move({ line, active, atMs });
  }

  /** Takes a level that was read once. */
  takeSample(line: string, active: boolean, atMs: number): void {
    const before = this.levelOf(line);
    if (before !== active) this.takeEdge({ line, active, atMs, missed: 0, isFirst: before === undefined });
  }

  /** Asks a person to switch this room next. What was seen of its line until now no longer counts. */
  ask(asked: PromptedRoom, line: string | null): void {
    this.#asked = asked;
    this.#isFresh = true;
    const seen = line === null ? undefined : this.#seen.get(line);
    if (line === null || seen === undefined) return;
    this.#seen.set(line, { restActive: seen.active, active: seen.active, levels: [], overflowed: false });
  }

  /** @param nowMs monotonic milliseconds */
  judge(
    { deviceId, room }: Pick<PromptedRoom, "deviceId" | "room">,
    wired: Contact | null,
    nowMs: number,
  ): Judgement {
    const line = wired?.line ?? null;
    const seen = (line === null ? undefined : this.#seen.get(line)) ?? NOTHING_SEEN;
    const asked = this.#asked?.deviceId === deviceId && this.#asked.room === room ? this.#asked : null;
    return judgeRoom(wired, seen, asked && this.#askingOf(asked, line, nowMs), nowMs);
  }

  /**
   * Whether there is something new since the last call: a
   * level, one that has settled, or a room that stayed silent.
   */
  hasNews(nowMs: number): boolean {
    const [newest] = this.#moves;
    const due = [
      newest === undefined ? 0 : newest.atMs + SWITCHING_MS,
      this.#asked === null ? 0 : this.#asked.sinceMs + SILENT_MS,
    ];
    const news = this.#isFresh || due.some((ms) => ms > this.#toldMs && ms < nowMs);
    this.#isFresh = false;
    this.#toldMs = nowMs;
    return news;
  }

  #move(move: Move): void {
    this.#isFresh = true;
    const index = this.#moves.findIndex(
      ({ line, atMs }) => line === move.line && move.atMs - atMs <= SWITCHING_MS,
    );
    const others = this.#moves.filter((_, at) => at !== index);
    this.#moves = [move, ...others].slice(0, MAX_MOVES);
  }

  #askingOf({ sinceMs }: PromptedRoom, line: string | null, nowMs: number): Prompt {
    let first: { readonly line: string; readonly atMs: number } | undefined;
    for (const [other, seen] of this.#seen) {
      const moved = other === line ? undefined : seen.levels.find(({ atMs }) => atMs >= sinceMs);
      if (moved === undefined || isFloating(seen)) continue;
      if (first === undefined || moved.atMs < first.atMs) first = { line: other, atMs: moved.atMs };
    }
    return { waitedMs: nowMs - sinceMs, otherLine: first?.line ?? null };
  }
}

const NOTHING_SEEN: Observation = { restActive: false, levels: [], overflowed: false };
