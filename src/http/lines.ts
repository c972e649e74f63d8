import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { DrivableLines } from "../domain/line.ts";
import type { Lines, SurveyedLine } from "../domain/lines.ts";
import { levelAnswer, linesAnswer, success } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { lineLevelBody, lineReadBody } from "./schema.ts";

type SurveyedLines = Pick<Lines, "status" | "survey" | "read">;

/** `drivable`: where lines can be set by hand; null where they are real. */
export function lineEndpoints(lines: SurveyedLines, drivable: DrivableLines | null): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/lines",
      summary: "Every line of this machine: its room, its level, and who else has it.",
      session: true,
      status: 200,
      answer: linesAnswer,
      errors: ["unavailable", "internal"],
      run: async ({ userId }) => {
        const { driver, simulated } = lines.status();
        const chips = await lines.survey();
        const data = {
          driver,
          simulated,
          chips: chips.map(({ name, label, lines: found }) => ({
            chip: name,
            label,
            lines: found.map((line) => toAnswer(line, userId)),
          })),
        };
        return { status: "success", data };
      },
    }),
    endpoint({
      method: "post",
      path: "/lines/read",
      summary: "The physical level of a free line, by one look: to see which one is which.",
      session: true,
      body: lineReadBody,
      status: 200,
      answer: levelAnswer,
      errors: ["invalid", "not_found", "conflict", "unavailable", "internal"],
      run: async ({ body }) => ({ status: "success", data: { level: await lines.read(body.line) } }),
    }),
    endpoint({
      method: "post",
      path: "/lines/drive",
      summary: "Set the physical level of a simulated line.",
      session: true,
      body: lineLevelBody,
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "conflict", "unavailable", "internal"],
      run: async ({ userId, body }) => {
        if (drivable === null) {
          throw new FlancoError("conflict", "These lines are real: what hangs on them sets their levels.", {
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
        if (isOfAnother(found, userId)) {
          throw new FlancoError("conflict", `The line ${body.line} is wired to a room of another user.`);
        }
        // The one that was looked at, by the one name that it has: the driver may know more spellings.
        drivable.set(addressOf(found), body.level);
        return { status: "success" };
      },
    }),
  ];
}

/** A room, and what its line does, is its owner's alone to see. */
function toAnswer(line: SurveyedLine, userId: Id) {
  const own = line.wiring?.userId === userId ? line.wiring : null;
  return {
    address: addressOf(line),
    name: line.name,
    consumer: line.watched ? null : line.holder,
    wired: own && { deviceName: own.deviceName, dId: own.dId, actuatorId: own.actuatorId },
    wiredByOther: isOfAnother(line, userId),
    watched: line.watched,
    level: own && line.level,
    problem: own && line.problem,
  };
}

function isOfAnother(line: SurveyedLine, userId: Id): boolean {
  return line.wiring !== null && line.wiring.userId !== userId;
}

function addressOf({ chip, offset }: Pick<SurveyedLine, "chip" | "offset">): string {
  return `${chip}:${offset}`;
}
