import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import type { NewRecord } from "../../domain/record.ts";
import { Committer } from "../engine/committer.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { bringRollupsToZone, rollupZone } from "../nouns/rollup.ts";
import { MAX_LEAP, readFrames, type Segment, sightingsOf, type TailCommand, type TailFrame } from "./tail.ts";

/** Entries of the chain that are gone: their first and last number. */
export interface LostSpan {
  readonly from: number;
  readonly to: number;
}

/** Says what to do with `RepeatResult.unmade`. */
export const UNMADE_SALES =
  "The tail has these sales, and they could not be made again, because what came before them is damaged: post those that are missing";

/** What became of the commits of a tail. */
export interface RepeatResult {
  /** How many were made again. */
  readonly commits: number;
  /** The entries of those that are lost, or could not be made again; oldest first. */
  readonly lost: readonly LostSpan[];
  /** The sales of those that can be read and could not be made again, for people: a line each. */
  readonly unmade: readonly string[];
}

/**
 * Makes the commits of the tail that follow a backup again, each in its time zone. Each must lead
 * to the same head as before. After a commit that is lost, or that leads elsewhere, it goes on: the
 * next head that the tail knows tells where. A ledger that was restored or rebuilt meanwhile
 * numbers its commits far ahead: those are another history, and it ends before them.
 */
export function repeatCommits(db: Database, segments: readonly Segment[]): RepeatResult {
  let zone = rollupZone(db);
  let committer = committerIn(db, zone);
  // The draft is made durable as a whole.
  db.pragma("synchronous = OFF");
  let commits = 0;
  const lost: LostSpan[] = [];
  const unmade: string[] = [];
  const lose = (from: number, to: number) => {
    const before = lost.at(-1);
    if (to < from) return;
    if (before?.to === from - 1) lost[lost.length - 1] = { from: before.from, to };
    else lost.push({ from, to });
  };
  for (const { commit, frame } of commitsOf(segments)) {
    if (commit <= committer.commits) continue;
    if (commit - committer.commits >= MAX_LEAP || frame.position < committer.head.position) break;
    if (frame.timeZone !== zone) {
      zone = frame.timeZone;
      committer = committerIn(db, zone);
    }
    const after = committer.head.position;
    const isMade = committer.repeat(commit, frame) || committer.repeat(commit, frame, "loss");
    if (isMade) commits += 1;
    else if (
      frame.position > after + 1 &&
      isPosts(frame) &&
      committer.repeat(commit, frame, "lost_entries")
    ) {
      lose(after + 1, frame.position - 1);
      commits += 1;
    } else {
      lose(after + 1, frame.position);
      unmade.push(...salesIn(frame));
      committer.passOver(commit, frame);
    }
  }
  return { commits, lost, unmade };
}

/** Whether all of a commit's entries follow from its commands alone, and not from a price that may be lost. */
function isPosts({ commands }: TailFrame): boolean {
  return commands.every(({ name }) => name === "addRecord");
}

/** The sales of a commit, as far as it says them itself: the price of a switching is in the ledger. */
function salesIn({ commands }: TailFrame): readonly string[] {
  return commands.flatMap((command) => [
    ...recordsOf(command).map(
      ({ room, deviceName, valorMicros, createdTimeMs }) =>
        `room ${room} (${deviceName}) at ${new Date(createdTimeMs).toISOString()}, ${valorFromMicros(valorMicros)}`,
    ),
    ...sightingsOf(command)
      .filter(({ active, source }) => active && source.sequence > 0)
      .map(
        ({ actuatorId, line, timeMs }) => `room ${actuatorId} (${line}) at ${new Date(timeMs).toISOString()}`,
      ),
  ]);
}

/** The records that a command posts. */
function recordsOf({ name, input }: TailCommand): readonly NewRecord[] {
  // A frame is a call that the compiler has checked, as it was written.
  return name === "addRecord" ? [input[1] as NewRecord] : [];
}

/** The commits of the tail that can be read. */
function* commitsOf(segments: readonly Segment[]) {
  for (const segment of segments) yield* readFrames(segment);
}

/** The newest commit that the tail tells of beyond one of these numbers, and its newest entry. */
export function newestIn(
  segments: readonly Segment[],
  made: { readonly position: number; readonly commits: number },
): { readonly position: number; readonly commits: number } {
  let newest = made;
  for (const { commit, frame } of commitsOf(segments)) {
    if (commit <= newest.commits) continue;
    newest = { commits: commit, position: Math.max(newest.position, frame.position) };
  }
  return newest;
}

function committerIn(db: Database, timeZone: string): Committer {
  const calendar = new LocalCalendar(timeZone);
  bringRollupsToZone(db, calendar, () => {});
  return new Committer(db, calendar, undefined);
}
