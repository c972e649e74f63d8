import { rotateSecret } from "../contract/operator.ts";
import { AS_JSON, type CommandTable, command } from "./command.ts";

const EXAMPLE = "flanco secret rotate";

/** `flanco secret`: the secret that signs all sessions. */
export const commands: CommandTable = [
  {
    name: "secret",
    about: "the secret that signs sessions",
    help: EXAMPLE,
    rows: [
      command(
        "rotate",
        "make another secret; every session ends, and all users must sign in again",
        { json: AS_JSON },
        EXAMPLE,
        async ({ json }, call) => {
          const { data } = await call.ask(rotateSecret, {});
          const told = `Sessions are signed with another secret. ${ending(data.ended)}`;
          call.terminal.show(json, data, [told]);
        },
      ),
    ],
  },
];

function ending(sessions: number): string {
  if (sessions === 0) return "No user was signed in.";
  const all = sessions === 1 ? "The one session has" : `All ${sessions} sessions have`;
  return `${all} ended: all users must sign in again.`;
}
