import type { Database } from "better-sqlite3";
import type { Month } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import { readArchives } from "./archive-statement.ts";

export function archivedMonthsReader(db: Database) {
  return {
    archivedMonths: (userId: Id): readonly Month[] => {
      const months = readArchives(db)
        .list.map(({ statement }) => statement)
        .filter(({ days }) => days.some(([owner]) => owner === userId))
        .map(({ month }) => month);
      return [...new Set(months)].toSorted((one, other) => one - other);
    },
  };
}
