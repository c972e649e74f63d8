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

  it("are the newest of each of seven days and of four weeks", () => {
    const daily = Array.from({ length: 60 }, (_, day) => backup(day + 1, NOON_MS - (59 - day) * DAY_MS));
    // Sundays end the weeks: the 15th, the 8th and the 1st of November are the 54th, the 47th and the 40th day.
    expect(kept(daily)).to.deep.equal([60, 59, 58, 57, 56, 55, 54, 47, 40]);
  });

  it("are only the newest of a day", () => {
    const hourly = Array.from({ length: 10 }, (_, hour) => backup(hour + 1, NOON_MS + hour * HOUR_MS));
    expect(kept(hourly)).to.deep.equal([10]);
  });

  it("stay after a month without backups, and after a clock that leapt a year", () => {
    const later = backup(8, NOON_MS + 365 * DAY_MS);
    expect(kept([...week, later])).to.deep.equal([8, 7, 6, 5, 4, 3, 2]);
  });

  it("include the newest, whatever its time", () => {
    for (const trusted of [true, false]) expect(kept([...week, backup(8, 0, trusted)])).to.include(8);
  });

  it("include those of an untrusted clock until there are seven newer ones, so that they cannot fill a disk", () => {
    const untrusted = Array.from({ length: 20 }, (_, index) => backup(index + 1, index * HOUR_MS, false));
    expect(kept(untrusted)).to.deep.equal([20, 19, 18, 17, 16, 15, 14]);
  });
});
