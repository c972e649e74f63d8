import type { ReportOf } from "../report.ts";
import { Books } from "./books.ts";
import type { Parts } from "./parts.ts";

/** High before the kill and all the while. */
const STAYS_HIGH = 0;
/** High before the kill, low while the program is away. */
const GOES_LOW = 1;
/** Low before the kill, high while the program is away. */
const GOES_HIGH = 2;
/** Low before the kill and after, watched: its pulse shows that the program is done with starting. */
const MARKER = 3;

/** Kills the program between high and low and between low and high and starts it again. */
export async function proveKill({ service, relays, ledger }: Parts): Promise<ReportOf<"killed">> {
  const position = ledger.position();
  const books = new Books(ledger);
  const drive = (offset: number, high: boolean) => {
    relays.drive(offset, high);
    books.expect(offset, high);
  };

  drive(STAYS_HIGH, true);
  drive(GOES_LOW, true);
  await books.settled();
  const awayFromMs = Date.now();
  await service.end("SIGKILL");
  drive(GOES_LOW, false);
  drive(GOES_HIGH, true);
  await service.start();
  await service.watchesAllLines();
  const awayToMs = Date.now();
  // A second record of a sale would be in the file before the marker's: the recorder begins with the levels.
  drive(MARKER, true);
  await books.settled(MARKER);
  drive(MARKER, false);
  await books.settled();
  const restarted = ledger.roomsAfter(position);

  drive(STAYS_HIGH, false);
  drive(GOES_HIGH, false);
  await books.settled();
  return {
    step: "killed",
    awayFromMs,
    awayToMs,
    restarted,
    last: ledger.roomsAfter(position),
  };
}
