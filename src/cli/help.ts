import { type CommandTable, command, several } from "./command.ts";

/** The technician's guides, as the page has them too (scripts/help-pages.ts). */
const GUIDES: readonly string[] = ["technician", "tecnico"];

const HELP = `
The technician's guide is there in English (technician) and Spanish (tecnico); the page shows it with
its drawings, under Status.

Examples:
  flanco help tecnico
  flanco help user add`;

/** `flanco help`: the technician's guides, and the help of a command. */
export const commands: CommandTable = [
  command(
    "help",
    "show a guide (technician, tecnico), or the help of a command",
    { words: several("[words...]", "technician, tecnico, or a command") },
    HELP,
    async ({ words }, call) => {
      const [guide = ""] = words;
      const { installation } = call.context;
      const page = GUIDES.includes(guide) ? installation.readPage() : [];
      const file = page.find(({ name }) => name === `help/${guide}.md`);
      if (file === undefined) return await call.showHelpOf(words);
      call.terminal.endUnread();
      call.terminal.out(file.content.toString().trimEnd());
    },
  ),
];
