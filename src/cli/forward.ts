import { testSink } from "../contract/sink.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { SINK_NAMES } from "../domain/sink-setting.ts";
import { AS_JSON, type CommandTable, command, needed } from "./command.ts";
import type { ControlClient } from "./door.ts";

/** How long a test may take: a sink gives up after half a minute. */
const TEST_MS = 40 * SECOND_MS;

const HELP = `
Exit codes: 0 the other side has it, 1 it has not.

Example:
  flanco forward test email`;

/** `flanco forward`: the systems that the gateway sends to. */
export const commands: CommandTable = [
  {
    name: "forward",
    about: "the systems that the gateway sends to",
    help: "flanco forward test email",
    rows: [
      command(
        "test",
        "send a test to a sink at once, and say what came of it; flanco status shows what waits for it",
        { sink: needed("<sink>", "which one", SINK_NAMES), json: AS_JSON },
        HELP,
        async ({ sink, json }, call) => {
          const ask = (service: ControlClient) => service.ask(testSink, { body: { name: sink } });
          const { data } = await call.withRunning(ask, { answerMs: TEST_MS });
          const { reached, message, hint } = data;
          if (!reached) throw new FlancoError("unavailable", message, { hint });
          call.terminal.show(json, { sink, done: message }, [message]);
        },
      ),
    ],
  },
];
