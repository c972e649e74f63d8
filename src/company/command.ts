import { hostname } from "node:os";
import { InvalidArgumentError } from "commander";
import {
  AS_JSON,
  type Call,
  type CommandGroup,
  type CommandRow,
  type CommandTable,
  command,
  needed,
  optional,
  type ParameterSet,
  type Values,
} from "../cli/command.ts";
import { iso } from "../cli/terminal.ts";
import { HOUR_MS, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Connection, ConnectionLimits } from "../notify/database.ts";
import { systemClock } from "../platform/machine.ts";
import { isTroubled, type WatchedClinic } from "./clinic.ts";
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
  connected,
  DATABASE,
  example,
  handOver,
  OF_COMPANY,
  ON_DATABASE,
  OUT,
  ofCompany,
} from "./company-door.ts";
import { COMPANY_MEMBERS } from "./company-member.ts";
import { COMPANY_SETTLEMENTS } from "./company-settlement.ts";

/** Adding up years of sales again takes minutes. */
const LONG: ConnectionLimits = { connectMs: 10 * SECOND_MS, answerMs: HOUR_MS };
/** How long a test of a sink may take. */
const TEST_MS = 30 * SECOND_MS;
const INIT = `init ${DATABASE} --company Televida --zone Europe/Madrid`;

const NAME = needed("<name>", "the gateway's name, for example malaga");

/** A row about one gateway. */
function ofGateway<const T extends ParameterSet>(
  name: string,
  about: string,
  takes: T,
  run: (given: Values<typeof OF_COMPANY & { readonly name: typeof NAME } & T>, call: Call) => Promise<void>,
  words = "malaga",
): CommandRow {
  const help = example(`gateway ${name} ${words} ${DATABASE}`);
  return command(name, about, { name: NAME, ...OF_COMPANY, ...takes }, help, run);
}

/** A row that decides about a gateway whose ledger differs from what was sent before. */
function decides(
  name: string,
  decision: ForkDecision,
  about: string,
  said: (name: string, position: number) => string,
): CommandRow {
  return ofGateway(name, about, {}, async ({ name, ...access }, { context, terminal }) => {
    const decide = (connection: Connection, company: Company) =>
      decideFork(connection, company, name, decision);
    terminal.out(said(name, await ofCompany(context, access, decide, LONG)));
  });
}

const GATEWAY: CommandGroup = {
  name: "gateway",
  about: "the gateways whose ledgers the database takes",
  help: example(`gateway list ${DATABASE}`),
  rows: [
    ofGateway(
      "add",
      "add a gateway with a role of its own, and show its password once",
      { zone: optional("--zone <zone>", "the zone of its days; the company's without it"), out: OUT },
      ({ name, zone, ...options }, { context }) =>
        handOver(context, options, `The gateway ${name}`, (connection, company) =>
          addGateway(connection, company, name, zone),
        ),
    ),
    ofGateway(
      "password",
      "give a gateway another password, and show it once",
      { out: OUT },
      ({ name, ...options }, { context }) =>
        handOver(context, options, `The gateway ${name}`, (connection, company) =>
          renewPassword(connection, company, name),
        ),
    ),
    ofGateway(
      "zone",
      "count a gateway's sales by the days of another zone, also those that are there",
      { zone: needed("<zone>", "for example Atlantic/Canary") },
      async ({ name, zone, ...access }, { context, terminal }) => {
        const set = (connection: Connection, company: Company) => setZone(connection, company, name, zone);
        await ofCompany(context, access, set, LONG);
        terminal.out(`The sales of ${name} are added up by the days of ${zone}.`);
      },
      "malaga Atlantic/Canary",
    ),
    command(
      "list",
      "show how each gateway fares: silent, behind, forked, full, old or with faults",
      { ...OF_COMPANY, json: AS_JSON },
      `\nExit codes: 0 all is well, 3 a gateway needs attention.\n${example(`gateway list ${DATABASE}`)}`,
      async ({ json, ...access }, { context, terminal }) => {
        const { clinics: rows } = await ofCompany(context, access, clinics);
        terminal.show(json, rows, rows.map(describe));
        const troubled = rows.filter(({ states }) => isTroubled(states)).map(({ name }) => name);
        if (troubled.length > 0) {
          const message = `${troubled.length} of ${rows.length} gateways need attention: ${troubled.join(", ")}.`;
          throw new FlancoError("attention", message);
        }
      },
    ),
    decides(
      "accept-fork",
      "accept",
      "let a restored ledger go on beside what was sent before; the sales of both count",
      (name, position) =>
        `The gateway ${name} goes on with its entry ${position}; what the database has from there on stays.`,
    ),
    decides(
      "dismiss-fork",
      "dismiss",
      "forget a ledger that only tried a backup out; it shows again when it calls again",
      (name, position) => `The ledger that differed from entry ${position} of ${name} on is forgotten.`,
    ),
    decides(
      "undo-accept",
      "undo",
      "take back accept-fork: the ledger that was accepted last no longer counts, with all that it has sent since",
      (name, position) =>
        `What the accepted ledger of ${name} sent from entry ${position} on is gone; the sums are added up again.`,
    ),
  ],
};

/** `flanco central`: the company's database, which takes the ledgers of many gateways. */
export const commands: CommandTable = [
  {
    name: "central",
    about: "one database for the ledgers of many clinics",
    help: example(INIT),
    rows: [
      command(
        "init",
        "make the schema and the company in a database",
        {
          ...ON_DATABASE,
          company: needed("--company <name>", "the company's name"),
          zone: needed(
            "--zone <zone>",
            "the zone of its days, and of its gateways' unless they have another",
          ),
          currency: optional("--currency <code>", "the currency of its sales (ISO 4217)", toCurrency, "EUR"),
        },
        example(INIT),
        async ({ company, zone, currency, ...access }, { context, terminal }) => {
          await connected(context, access, (connection) => initialise(connection, company, zone, currency));
          terminal.out(`The database takes the ledgers of ${company}. Next: flanco central gateway add NAME`);
        },
      ),
      command(
        "upgrade",
        "bring the schema up to date; gateways of the version before go on sending",
        ON_DATABASE,
        example(`upgrade ${DATABASE}`),
        async (access, { context, terminal }) => {
          const from = await connected(context, access, upgrade, LONG);
          terminal.out(`The database has the schema of this version; it had ${from}.`);
        },
      ),
      command(
        "page",
        "make the role that the company's page signs in as, or give it another password",
        {
          ...OF_COMPANY,
          role: optional("--role <name>", "the role's name when it is made", String, "flanco_page"),
          out: OUT,
        },
        example(`page ${DATABASE} --out page.password`),
        ({ role, ...options }, { context }) =>
          handOver(context, options, "The company's page", (connection, company) =>
            pageAccess(connection, company, role),
          ),
      ),
      COMPANY_MEMBERS,
      command(
        "serve",
        "serve the company's page: central_database, read as the role that flanco central page made",
        {},
        "flanco central serve --config /etc/flanco/company.toml",
        async (_given, call) => {
          const { serveCompany } = await import("./page.ts");
          await serveCompany(call.terminal, call.context.installation, call.config());
        },
      ),
      command(
        "test-notices",
        "send a test to where the notices of the page's process go, and say what came of it",
        {},
        `\nExit codes: 0 all have it, 1 one has not.\n\nExample:\n  flanco central test-notices --config /etc/flanco/company.toml`,
        async (_given, call) => {
          const { companyNotices } = await import("./notices.ts");
          const { sinks } = companyNotices(call.config(), hostname(), systemClock, (text) =>
            call.terminal.err(text),
          );
          if (sinks.length === 0) {
            throw new FlancoError("not_found", "No notices are set up.", {
              hint: "Write email_… or webhook_… into the settings file: docs/central.md.",
            });
          }
          for (const sink of sinks) call.terminal.out(await sink.test(AbortSignal.timeout(TEST_MS)));
        },
      ),
      GATEWAY,
      COMPANY_SETTLEMENTS,
    ],
  },
];

function toCurrency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError("It must be three letters, such as EUR.");
  return text;
}

function describe(clinic: WatchedClinic): string {
  const { name, states, position, newest, forkedAt, withheld, untold, clockOffMs, seenMs, report } = clinic;
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
    ...(report === null ? [] : [`version ${report.version}`]),
    ...(report === null || report.faults.length === 0
      ? []
      : [`faults: ${report.faults.map(({ code }) => code).join(" ")}`]),
  ];
  return `${name}\t${states.join(", ")}\t${parts.join(", ")}`;
}
