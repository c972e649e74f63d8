import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { EXIT_CODES } from "../src/cli/program.ts";
import { CLINIC_MEASURES } from "../src/company/metrics.ts";
import { CONFIG_KEYS, type ConfigKey, configSchema } from "../src/contract/config/schema.ts";
import { FAULTS } from "../src/domain/fault.ts";
import { MEASURES } from "../src/http/metrics.ts";
import { defaultConfig } from "../src/service/config-file.ts";
import {
  type DescribedCommand,
  describedCommands,
  describedProgram,
  shownOptions,
} from "./release/manual.ts";

/** The page that `npm run reference` writes. */
export const REFERENCE = join(import.meta.dirname, "..", "docs", "reference.md");

const HEAD = `# Reference

For technicians, and for programs that read flanco's output. \`npm run reference\` makes this page from the source, and a test holds it to that.

## Commands

Every command also takes \`--config <file>\` and the [settings](#settings) as options, and \`--help\`.
`;
/** The checkout of the page's examples. */
const CHECKOUT = ".";
const EXAMPLES = /^Examples?:$/m;

/** What JSON Schema says of a setting's values. */
const valuesSchema = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** docs/reference.md: every command, exit code, setting, fault and metric. */
export async function referencePage(): Promise<string> {
  // The program's own options are the settings.
  const whole = await describedProgram();
  const [, ...commands] = describedCommands(whole);
  const saidOf = new Map(commands.map(({ command, more }) => [command, notesIn(more)]));
  return [
    HEAD,
    // What the help of a command says as its group's does stands with the group.
    ...commands.map((described) => commandPart(described, saidOf.get(described.command.parent ?? whole))),
    exitCodesPart(),
    settingsPart(),
    faultsPart(),
    metricsPart(),
  ].join("\n");
}

/** What a help text says before its examples. */
function notesIn(more: string): string {
  const [notes = ""] = more.split(EXAMPLES);
  return notes.trim();
}

function commandPart({ command, title, more }: DescribedCommand, saidOfGroup: string | undefined): string {
  const notes = notesIn(more);
  const [, examples = ""] = more.split(EXAMPLES);
  const isGroup = command.commands.length > 0;
  const level = title.split(" ").length > 2 && !isGroup ? "####" : "###";
  const help = command.createHelp();
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\``,
      help.argumentDescription(argument),
    ]),
    ...shownOptions(command).map((option) => [`\`${option.flags}\``, help.optionDescription(option)]),
  ];
  return [
    `${level} ${title}\n`,
    `${sentence(command.description())}\n`,
    ...(rows.length === 0 ? [] : [table(["option", "meaning"], rows)]),
    ...(notes === "" || notes === saidOfGroup ? [] : [`${notes}\n`]),
    // Of a group the commands have the examples.
    ...(isGroup || examples.trim() === "" ? [] : [`\`\`\`text\n${unindented(examples)}\n\`\`\`\n`]),
  ].join("\n");
}

function exitCodesPart(): string {
  const rows = Object.entries(EXIT_CODES).map(([code, meaning]) => [code, meaning]);
  return `## Exit codes\n\n${table(["code", "meaning"], rows)}`;
}

function settingsPart(): string {
  const installed = defaultConfig(null);
  const checkout = defaultConfig(CHECKOUT);
  const schema = z.toJSONSchema(configSchema, { unrepresentable: "any" });
  const rows = CONFIG_KEYS.map((key) => [
    `\`${key}\``,
    `\`FLANCO_${key.toUpperCase()}\``,
    configSchema.shape[key].description ?? "",
    values(schema.properties?.[key]),
    key === "time_zone" ? "the system's" : shown(installed[key]),
    shown(installed[key]) === shown(checkout[key]) || key === "time_zone" ? "" : shown(checkout[key]),
  ]);
  const columns = ["setting", "environment", "meaning", "values", "default", "from a checkout"];
  return `## Settings\n\nThe option of \`https_port\` is \`--https-port\`.\n\n${table(columns, rows)}`;
}

function faultsPart(): string {
  const rows = Object.entries(FAULTS).map(([code, { severity, when, hint }]) => [
    `\`${code}\``,
    severity,
    when,
    hint,
  ]);
  return `## Faults\n\n${table(["fault", "severity", "when", "what to do"], rows)}`;
}

function metricsPart(): string {
  const rows = [...MEASURES, ...CLINIC_MEASURES].map(({ name, kind, labels = [], help }) => [
    `\`${name}\``,
    kind,
    labels.join(", "),
    help,
  ]);
  const about = "Beside these, prom-client's metrics of the process (`process_…`, `nodejs_…`).";
  return `## Metrics\n\nOf \`/metrics\` ([beyond.md](beyond.md#prometheus)). ${about}\n\n${table(["metric", "kind", "labels", "meaning"], rows)}`;
}

function values(schema: unknown): string {
  const { type, enum: choices, minimum, maximum } = valuesSchema.parse(schema);
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(", ");
  if (type === "boolean") return "`true`, `false`";
  if (type === "array") return "a list, in the environment with commas";
  if (type !== "integer") return "";
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? "" : ` to ${maximum}`;
  return `${minimum}${most === "" ? " or more" : most}`;
}

function shown(value: ReturnType<typeof defaultConfig>[ConfigKey]): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text === "" ? "none" : `\`${text}\``;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `${line(columns)}${`|${"---|".repeat(columns.length)}`}\n${rows.map(line).join("")}`;
}

/** Descriptions begin as the help shows them: with a small letter, and without a point. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function unindented(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

if (import.meta.main) writeFileSync(REFERENCE, await referencePage());
