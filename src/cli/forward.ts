import { clearSetup, makePassphrase, setSetup, testSink } from "../contract/sink.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { SETUP_NAMES, SINK_NAMES } from "../domain/sink.ts";
import { loadConfig } from "../service/config-file.ts";
import type { ControlClient } from "./api-access.ts";
import { ACCOUNT, AS_JSON, type CommandTable, command, needed } from "./command.ts";

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
      command(
        "import",
        "set up the sinks, the notices and the hours of updates that a file in TOML has; in force at once",
        { file: needed("<file>", "the file; a flanco.toml may be it"), account: ACCOUNT },
        "flanco forward import sinks.toml",
        async ({ file, account }, call) => {
          const { sinks } = loadConfig({ config: file }, {}, call.context.installation.checkout);
          const { setupIn } = await import("../service/sink-settings.ts");
          const setups = SETUP_NAMES.flatMap((name) => setupIn(name, sinks) ?? []);
          if (setups.length === 0) throw new FlancoError("invalid", `${file}: there is no sink in it.`);
          await call.withRunning(async (service) => {
            for (const setup of setups) await service.ask(setSetup, { body: setup }, account);
          });
          call.terminal.out(`Set up: ${setups.map(({ name }) => name).join(", ")}.`);
        },
      ),
      command(
        "passphrase",
        "make another passphrase for the backups at the remote place, and show it once; write it down",
        { account: ACCOUNT },
        "flanco forward passphrase",
        async ({ account }, call) => {
          const { data } = await call.withRunning((service) => service.ask(makePassphrase, {}, account));
          call.terminal.out(data.passphrase);
          call.terminal.err("Write it down and keep it outside of the house: nothing shows it again.");
        },
      ),
      command(
        "off",
        "turn a sink off, and forget its password, or put the notices or the updates back to what is usual",
        { name: needed("<name>", "which one", SETUP_NAMES), account: ACCOUNT },
        "flanco forward off webhook",
        async ({ name, account }, call) => {
          await call.withRunning((service) => service.ask(clearSetup, { query: { name } }, account));
          call.terminal.out(`Turned off: ${name}.`);
        },
      ),
    ],
  },
];
