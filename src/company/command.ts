import { type Command, InvalidArgumentError } from "commander";
import { type CliContext, configOf } from "../cli/context.ts";
import { iso } from "../cli/terminal.ts";
import { HOUR_MS, SECOND_MS } from "../domain/clock.ts";
import { type Clinic, type ClinicState, clinicStates } from "../domain/gateway.ts";
import type { Connection, ConnectionLimits } from "../notify/database.ts";
import {
  addGateway,
  type Company,
  clinics,
  decideFork,
  type ForkDecision,
  initialise,
  pageAccess,
  renewPassword,
  setZone,
  upgrade,
} from "./company.ts";
import {
  type Access,
  companyCommand,
  connected,
  DATABASE,
  databaseCommand,
  example,
  type Handover,
  handOver,
  OUT,
  ofCompany,
} from "./company-door.ts";
import { addCompanyMemberCommands } from "./company-member.ts";

/** Adding up years of sales again takes minutes. */
const LONG: ConnectionLimits = { connectMs: 10 * SECOND_MS, answerMs: HOUR_MS };
const INIT = `init ${DATABASE} --company Televida --zone Europe/Madrid`;

/** `flanco central`: the company's database, which takes the ledgers of many gateways. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const central = program
    .command("central")
    .description("one database for the ledgers of many clinics")
    .addHelpText("after", example(INIT));
  databaseCommand(central, "init", "make the schema and the company in a database", INIT)
    .requiredOption("--company <name>", "the company's name")
    .requiredOption("--zone <zone>", "the zone of its days, and of its gateways' unless they have another")
    .option("--currency <code>", "the currency of its sales (ISO 4217)", toCurrency, "EUR")
    .action(async (options: Access & { company: string; zone: string; currency: string }) => {
      const { company, zone, currency } = options;
      await connected(context, options, (connection) => initialise(connection, company, zone, currency));
      terminal.out(
        `The database takes the ledgers of ${options.company}. Next: flanco central gateway add NAME`,
      );
    });

  const upgrades = "bring the schema up to date; gateways of the version before go on sending";
  databaseCommand(central, "upgrade", upgrades, `upgrade ${DATABASE}`).action(async (options: Access) => {
    const from = await connected(context, options, upgrade, LONG);
    terminal.out(`The database has the schema of this version; it had ${from}.`);
  });

  const page = "make the role that the company's page signs in as, or give it another password";
  companyCommand(central, "page", page, `page ${DATABASE} --out page.password`)
    .option("--role <name>", "the role's name when it is made", "flanco_page")
    .option(...OUT)
    .action((options: Handover & { role: string }) =>
      handOver(context, options, "The company's page", (connection, company) =>
        pageAccess(connection, company, options.role),
      ),
    );
  addCompanyMemberCommands(central, context);
  central
    .command("serve")
    .description("serve the company's page: central_database, read as the role that flanco central page made")
    .addHelpText("after", "\nExample:\n  flanco central serve --config /etc/flanco/company.toml")
    .action(async (_options: object, command: Command) => {
      const { serveCompany } = await import("./page.ts");
      await serveCompany(terminal, context.installation, configOf(context, command));
    });
  addGatewayCommands(central, context);
}

function addGatewayCommands(central: Command, context: CliContext): void {
  const { terminal } = context;
  const gateway = central
    .command("gateway")
    .description("the gateways whose ledgers the database takes")
    .addHelpText("after", example(`gateway list ${DATABASE}`));
  const ofGateway = (name: string, description: string, words = "malaga") =>
    companyCommand(gateway, name, description, `gateway ${name} ${words} ${DATABASE}`).argument(
      "<name>",
      "the gateway's name, for example malaga",
    );

  ofGateway("add", "add a gateway with a role of its own, and show its password once")
    .option("--zone <zone>", "the zone of its days; the company's without it")
    .option(...OUT)
    .action((name: string, options: Handover & { zone?: string }) =>
      handOver(context, options, `The gateway ${name}`, (connection, company) =>
        addGateway(connection, company, name, options.zone),
      ),
    );

  ofGateway("password", "give a gateway another password, and show it once")
    .option(...OUT)
    .action((name: string, options: Handover) =>
      handOver(context, options, `The gateway ${name}`, (connection, company) =>
        renewPassword(connection, company, name),
      ),
    );

  const zone = "count a gateway's sales by the days of another zone, also those that are there";
  ofGateway("zone", zone, "malaga Atlantic/Canary")
    .argument("<zone>", "for example Atlantic/Canary")
    .action(async (name: string, zone: string, options: Access) => {
      const set = (connection: Connection, company: Company) => setZone(connection, company, name, zone);
      await ofCompany(context, options, set, LONG);
      terminal.out(`The sales of ${name} are added up by the days of ${zone}.`);
    });

  const list = "show how each gateway fares: silent, behind or forked";
  companyCommand(gateway, "list", list, `gateway list ${DATABASE}`)
    .option("--json", "as JSON", false)
    .action(async (options: Access & { json: boolean }) => {
      const { nowMs, ...found } = await ofCompany(context, options, clinics);
      const rows = found.clinics.map((clinic) => ({ ...clinic, states: clinicStates(clinic, nowMs) }));
      terminal.show(options.json, rows, rows.map(describe));
    });

  const decides = (
    command: string,
    decision: ForkDecision,
    description: string,
    said: (name: string, position: number) => string,
  ) =>
    ofGateway(command, description).action(async (name: string, options: Access) => {
      const decide = (connection: Connection, company: Company) =>
        decideFork(connection, company, name, decision);
      const position = await ofCompany(context, options, decide, LONG);
      terminal.out(said(name, position));
    });
  decides(
    "accept-fork",
    "accept",
    "let a restored ledger go on beside what was sent before; the sales of both count",
    (name, position) =>
      `The gateway ${name} goes on with its entry ${position}; what the database has from there on stays.`,
  );
  decides(
    "dismiss-fork",
    "dismiss",
    "forget a ledger that only tried a backup out; it shows again when it calls again",
    (name, position) => `The ledger that differed from entry ${position} of ${name} on is forgotten.`,
  );
  decides(
    "undo-accept",
    "undo",
    "take back accept-fork: the ledger that was accepted last no longer counts, with all that it has sent since",
    (name, position) =>
      `What the accepted ledger of ${name} sent from entry ${position} on is gone; the sums are added up again.`,
  );
}

function toCurrency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError("It must be three letters, such as EUR.");
  return text;
}

function describe(clinic: Clinic & { readonly states: readonly ClinicState[] }): string {
  const { name, states, position, newest, forkedAt, withheld, untold, clockOffMs, seenMs } = clinic;
  const parts = [
    `${position} of ${Math.max(position, newest)} entries`,
    seenMs === null ? "never called" : `called ${iso(seenMs)}`,
    ...(forkedAt === null
      ? []
      : [`another ledger from its entry ${forkedAt} on, of which ${withheld} entries are withheld`]),
    ...(untold === 0 ? [] : [`${untold} entries lost before they were sent`]),
    ...(states.includes("zone_off") ? [`counts in ${clinic.ownZone}, here in ${clinic.timeZone}`] : []),
    ...(states.includes("currency_off")
      ? [`counts in ${clinic.ownCurrency}, here in ${clinic.currency}`]
      : []),
    ...(states.includes("clock_off") ? [`its clock is ${Math.round(clockOffMs / 1_000)} s ahead`] : []),
  ];
  return `${name}\t${states.join(", ")}\t${parts.join(", ")}`;
}
