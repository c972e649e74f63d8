import { PassThrough } from "node:stream";
import {
  driveLine,
  type Line,
  listChips,
  listLines,
  type ShownSighting,
  watchLines,
} from "../contract/line.ts";
import { NANOSECONDS_PER_MILLISECOND } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, SyncOrAsync } from "../domain/ledger.ts";
import type { DrivableLines, Lines, SurveyedLine } from "../domain/line.ts";
import type { Sighting } from "../domain/sale.ts";
import { deviceSight } from "./limit.ts";
import { type Endpoint, serve } from "./router.ts";

/** @param drivable the lines that can be set by hand; null where lines are real */
export function lineEndpoints(
  lines: Pick<Lines, "status" | "survey" | "detect" | "listen">,
  reader: SyncOrAsync<Pick<LedgerReader, "devices">>,
  drivable: DrivableLines | null,
): readonly Endpoint[] {
  return [
    serve(listChips, async () => ({ data: await lines.detect() })),
    serve(watchLines, () => streamOf(lines)),
    serve(listLines, async ({ userId, signedIn }) => {
      const isOwn = ownLines(userId, await deviceSight(reader, signedIn));
      const { driver, simulated } = lines.status();
      const chips = (await lines.survey()).map(({ name, label, lines: found }) => ({
        chip: name,
        label,
        lines: found.map((line) => toAnswer(line, isOwn(line))),
      }));
      return { data: { driver, simulated, chips } };
    }),
    serve(driveLine, async ({ signedIn, body, by }) => {
      if (drivable === null) {
        throw new FlancoError("conflict", "These lines are real: what is wired to them sets their levels.", {
          hint: "Only simulated lines are set by hand.",
        });
      }
      const all = (await lines.survey()).flatMap((chip) => chip.lines);
      const found =
        all.find(({ name }) => name === body.line) ?? all.find((line) => addressOf(line) === body.line);
      if (found === undefined) {
        throw new FlancoError("not_found", `There is no line ${body.line}.`, {
          hint: "Write its name, or chip and offset, as the list of lines has them.",
        });
      }
      const isSeen = await deviceSight(reader, signedIn);
      if (by.way !== "command" && found.wiring !== null && !ownLines(signedIn.userId, isSeen)(found)) {
        throw new FlancoError("conflict", `The line ${body.line} is wired to a room that is not yours.`);
      }
      // By its address, because the driver's names of lines may differ from the one that was looked up.
      drivable.set(addressOf(found), body.level);
    }),
  ];
}

/** A line as a member sees it: without the room and level of a line that is another one's. */
function toAnswer(line: SurveyedLine, isOwn: boolean): Line {
  const own = isOwn ? line.wiring : null;
  return {
    address: addressOf(line),
    name: line.name,
    consumer: line.watched ? null : line.holder,
    wired: own && { deviceName: own.deviceName, dId: own.dId, actuatorId: own.actuatorId },
    wiredByOther: line.wiring !== null && own === null,
    watched: line.watched,
    level: own && line.level,
    problem: own && line.problem,
  };
}

/** Whether a line is wired to a room that a member may see. */
function ownLines(userId: Id, isSeen: (deviceId: string) => boolean) {
  return ({ wiring }: SurveyedLine) => wiring?.userId === userId && isSeen(wiring.deviceId);
}

function addressOf({ chip, offset }: Pick<SurveyedLine, "chip" | "offset">): string {
  return `${chip}:${offset}`;
}

/**
 * How much may wait for a watcher that does not read. Beyond it the
 * watcher is cut off: edges are only shown to it, and stored elsewhere.
 */
const MAX_UNREAD_BYTES = 256 * 1024;

/** The sightings of the wired lines, a JSON text a line, until the watcher goes. */
export function streamOf(lines: Pick<Lines, "listen">): PassThrough {
  const stream = new PassThrough();
  const stop = lines.listen((sighting) => {
    stream.write(`${JSON.stringify(toShown(sighting))}\n`);
    if (stream.writableLength + stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
  });
  stream.on("close", stop);
  return stream;
}

function toShown(sighting: Sighting): ShownSighting {
  const { line, active, activeLow, timeMs, monotonicNs, missed, source } = sighting;
  const monotonicMs = Number(monotonicNs / NANOSECONDS_PER_MILLISECOND);
  return { line, active, activeLow, timeMs, monotonicMs, sequence: source.sequence, missed };
}
