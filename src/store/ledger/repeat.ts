import type { Database } from "better-sqlite3";
import { LocalCalendar } from "./calendar.ts";
import { Committer } from "./committer.ts";
import { bringRollupsToZone, rollupZone } from "./rollup.ts";
import { readFrames, type Segment } from "./tail.ts";

/**
 * Makes the commits of the tail that follow a backup again, each in its time
 * zone, up to the first that is missing or leads to another head. Gives how many.
 */
export function repeatCommits(db: Database, segments: readonly Segment[]): number {
  let zone = rollupZone(db);
  let committer = committerIn(db, zone);
  // The draft is made durable as a whole.
  db.pragma("synchronous = OFF");
  let repeated = 0;
  for (const { before, commit, frame } of commitsOf(segments)) {
    if (commit <= committer.commits) continue;
    if (before !== committer.commits) break;
    if (frame.timeZone !== zone) {
      zone = frame.timeZone;
      committer = committerIn(db, zone);
    }
    if (!committer.repeat(frame)) break;
    repeated += 1;
  }
  return repeated;
}

/** The commits of the tail, each with the number of the commit that it follows on. */
export function* commitsOf(segments: readonly Segment[]) {
  for (const segment of segments) {
    let before = segment.from;
    for (const { commit, frame } of readFrames(segment)) {
      yield { before, commit, frame };
      before = commit;
    }
  }
}

function committerIn(db: Database, timeZone: string): Committer {
  const calendar = new LocalCalendar(timeZone);
  bringRollupsToZone(db, calendar, () => {});
  return new Committer(db, calendar, undefined);
}
