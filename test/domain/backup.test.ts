import { expect } from "chai";
import { outdatedBackups, type ProvenBackup } from "../../src/domain/backup.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";

/** A Saturday. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);

function backup(number: number, madeMs: number, clockTrusted = true): ProvenBackup {
  const held = { position: number, head: "", commits: number, records: number, totalMicros: "0" };
  const file = { ledger: "", locations: [], file: `${number}`, schema: 2, bytes: 1, sha256: "" };
  return { number, madeMs, provedMs: madeMs, clockTrusted, ...held, ...file };
}

/** The numbers that stay, newest first. */
function kept(backups: readonly ProvenBackup[]): number[] {
  const outdated = new Set(outdatedBackups(backups));
  return backups
    .filter((one) => !outdated.has(one))
    .map(({ number }) => number)
    .sort((one, other) => other - one);
}

describe("The kept backups", () => {
  const week = Array.from({ length: 7 }, (_, day) => backup(day + 1, NOON_MS + day * DAY_MS));

  it("are the newest of each of seven days, of four weeks and of twelve months", () => {
    const daily = Array.from({ length: 400 }, (_, day) => backup(day + 1, NOON_MS - (399 - day) * DAY_MS));
    const days = kept(daily).map((number) => new Date(NOON_MS - (400 - number) * DAY_MS).toISOString());
    expect(days.map((day) => day.slice(0, "2026-11-21".length))).to.deep.equal([
      ...["2026-11-21", "2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17", "2026-11-16", "2026-11-15"],
      // Sundays end the weeks.
      ...["2026-11-08", "2026-11-01"],
      ...["2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30", "2026-05-31"],
      ...["2026-04-30", "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31"],
    ]);
  });

  it("are only the newest of a day", () => {
    const hourly = Array.from({ length: 10 }, (_, hour) => backup(hour + 1, NOON_MS + hour * HOUR_MS));
    expect(kept(hourly)).to.deep.equal([10]);
  });

  it("stay after a month without backups, and after a clock that leapt a year", () => {
    const later = backup(8, NOON_MS + 365 * DAY_MS);
    expect(kept([...week, later])).to.deep.equal([8, 7, 6, 5, 4, 3, 2]);
  });

  it("include the newest, also with a wrong time", () => {
    for (const trusted of [true, false]) expect(kept([...week, backup(8, 0, trusted)])).to.include(8);
  });

  it("thin out alike by their order where the clock is not trusted, so that they cannot fill a disk", () => {
    const untrusted = Array.from({ length: 800 }, (_, index) => backup(index + 1, index * HOUR_MS, false));
    expect(kept(untrusted)).to.deep.equal([
      ...[800, 799, 798, 797, 796, 795, 794, 790, 783, 779],
      ...[749, 719, 689, 659, 629, 599, 569, 539, 509, 479],
    ]);
    const later = Array.from({ length: 360 }, (_, index) => backup(index + 801, NOON_MS + index * DAY_MS));
    expect(kept([...untrusted, ...later]).filter((number) => number <= 800)).to.deep.equal([]);
  });
});
