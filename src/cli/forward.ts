import { Argument, type Command } from "commander";
import { testSink } from "../contract/sink.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { SINK_NAMES, type SinkName } from "../domain/sink-setting.ts";
import { type CliContext, configOf } from "./context.ts";
import { withRunning } from "./door.ts";

/** How long a test may take: a sink gives up after half a minute. */
const TEST_MS = 40 * SECOND_MS;

/** `flanco forward`: the systems that the gateway sends to. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("forward")
    .description("the systems that the gateway sends to")
    .addHelpText("after", "\nExample:\n  flanco forward test email")
    .command("test")
    .description(
      "send a test to a sink at once, and say what came of it; flanco status shows what waits for it",
    )
    .addArgument(new Argument("<sink>", "which one").choices(SINK_NAMES))
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExit codes: 0 the other side has it, 1 it has not.\n\nExample:\n  flanco forward test email",
    )
    .action(async (name: SinkName, { json }: { json: boolean }, command: Command) => {
      const config = configOf(context, command);
      const bounds = { answerMs: TEST_MS, by: context.user };
      const { data } = await withRunning(
        config,
        (service) => service.ask(testSink, { body: { name } }),
        bounds,
      );
      const { reached, message, hint } = data;
      if (!reached) throw new FlancoError("unavailable", message, { hint });
      terminal.show(json, { sink: name, done: message }, [message]);
    });
}
