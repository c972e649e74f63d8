import { correctClock, listReclocked, type ReclockedBootAnswer } from "../contract/operator.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { AS_JSON, type CommandTable, command, flag } from "./command.ts";
import { iso } from "./terminal.ts";

const HELP = `
Once the network has set the clock it is trusted. If it is set to another time after that, by a
minute or more, one of the two settings was wrong: by default the first one, and the sales from
before the later one are moved. With --first the first one was right, and the sales since the
later one are moved; set the clock right before. If the clock was set back meanwhile, the sales
in between are moved either way. Each sale is moved once, by an entry of the ledger. Gaps stay
where they are. Without --apply nothing is changed.

The first example may say:
  12 sales, recorded from 2026-03-11T08:00:00.000Z to 2026-03-11T11:30:00.000Z, would move by
  3600 seconds, to 2026-03-11T09:00:00.000Z to 2026-03-11T12:30:00.000Z.

Examples:
  flanco clock correct
  flanco clock correct --apply
  flanco clock correct --first --apply`;

/** `flanco clock`: sales that were recorded by a clock that was wrong. */
export const commands: CommandTable = [
  {
    name: "clock",
    about: "sales that were recorded by a clock that was wrong",
    help: "flanco clock correct",
    rows: [
      command(
        "correct",
        "show which sales stand under a wrong time, and move them",
        {
          first: flag("--first", "the clock was right at first, and wrong after it was set again"),
          apply: flag("--apply", "move them"),
          json: AS_JSON,
        },
        HELP,
        async ({ first, apply, json }, call) => {
          const boots = await call.withApi(async (api) => {
            const { data } = await api.ask(listReclocked, {});
            for (const { bootId, zeroMs, setZeroMs } of apply ? data : []) {
              await api.ask(correctClock, { body: { bootId, zeroMs: first ? zeroMs : setZeroMs } });
            }
            return data;
          });
          const lines = boots.map((boot) => describe(boot, first, apply));
          const none = ["The clock was not set to another time after it was trusted."];
          call.terminal.show(json, boots, lines.length === 0 ? none : lines);
        },
      ),
    ],
  },
];

function describe({ before, since }: ReclockedBootAnswer, first: boolean, apply: boolean): string {
  const { records, firstMs, lastMs, byMs } = first ? since : before;
  if (firstMs === null || lastMs === null) return "No sale is to be moved.";
  const span = (offMs: number) => `${iso(firstMs + offMs)} to ${iso(lastMs + offMs)}`;
  const verb = apply ? "were moved" : "would move";
  return `${records} sales, recorded from ${span(0)}, ${verb} by ${Math.round(byMs / SECOND_MS)} seconds, to ${span(byMs)}.`;
}
