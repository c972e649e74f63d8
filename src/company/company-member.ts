import { type Command, InvalidArgumentError, Option } from "commander";
import type { CliContext } from "../cli/context.ts";
import { commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import { COMPANY_ROLES, LINK_PATH, type Role } from "../domain/member.ts";
import { makeLink } from "../http/member.ts";
import type { Connection } from "../notify/database.ts";
import { systemClock } from "../platform/machine.ts";
import type { Company } from "./company.ts";
import { type Access, companyCommand, DATABASE, example, ofCompany } from "./company-door.ts";
import { accountOf, CompanyMembers } from "./members.ts";

const PAGE = "https://ventas.example.org";

interface Adding extends Access {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly page: string;
}

/** `flanco central member`: the people who may sign in to the company's page. */
export function addCompanyMemberCommands(central: Command, context: CliContext): void {
  const { terminal } = context;
  const by = commandActor(context.user);
  const member = central
    .command("member")
    .description("the people who may sign in to the company's page")
    .addHelpText("after", example(`member list ${DATABASE}`));
  const command = (name: string, description: string, more = "") =>
    companyCommand(member, name, description, `member ${name} ${more}${DATABASE}`);
  const ofEmail = (name: string, description: string, more = "") =>
    command(name, description, `--email ana@example.org ${more}`).requiredOption(
      "--email <email>",
      "the member's e-mail, used to sign in",
    );
  const withPage = (name: string, description: string, more = "") =>
    ofEmail(name, description, `${more}--page ${PAGE} `).requiredOption(
      "--page <url>",
      "the page's address, for the link",
      toAddress,
    );
  const ofMembers = <T>(access: Access, run: (members: CompanyMembers, userId: string) => Promise<T>) =>
    ofCompany(context, access, (connection, company) =>
      run(membersOf(connection, company), accountOf(company.company)),
    );

  /** Shows the link on the terminal alone, because it lets its holder in. */
  async function showLink(
    members: CompanyMembers,
    { email, page }: Pick<Adding, "email" | "page">,
  ): Promise<void> {
    const token = await makeLink(members, await memberOf(members, email), by);
    terminal.out(`${email} chooses a password with this link, valid once and for a day:`);
    terminal.out(`  ${new URL(`${LINK_PATH}#${token}/${email}`, page)}`);
  }

  withPage("add", "add a member, who chooses a password by a one-time link", "--name 'Ana López' ")
    .requiredOption("--name <name>", "the member's name")
    .addOption(
      new Option("--role <role>", "owner reads and says who reads; staff reads")
        .choices(COMPANY_ROLES)
        .default("owner"),
    )
    .action(async (options: Adding) => {
      await ofMembers(options, async (members, userId) => {
        const { email, name, role } = options;
        await members.addMember(userId, { email, name, role, passwordHash: null }, by);
        await showLink(members, options);
      });
    });

  command("list", "show the members")
    .option("--json", "as JSON", false)
    .action(async ({ json, ...access }: Access & { json: boolean }) => {
      const found = await ofMembers(access, (members) => members.accountCredentials());
      const rows = found.map(({ member: { email, name, role }, passwordHash }) => ({
        email,
        name,
        role,
        hasPassword: passwordHash !== null,
      }));
      const lines = rows.map(
        ({ email, name, role, hasPassword }) => `${email}\t${name}\t${role}${hasPassword ? "" : "\tinvited"}`,
      );
      terminal.show(json, rows, lines);
    });

  withPage("link", "print a one-time link by which a member chooses another password").action(
    async (options: Access & { email: string; page: string }) => {
      await ofMembers(options, (members) => showLink(members, options));
    },
  );

  ofEmail("remove", "remove a member: its sessions end; the last owner stays").action(
    async (options: Access & { email: string }) => {
      await ofMembers(options, async (members, userId) =>
        members.removeMember(userId, (await memberOf(members, options.email)).id, by),
      );
      terminal.out(`${options.email} can no longer sign in.`);
    },
  );
}

function membersOf(connection: Connection, company: Company): CompanyMembers {
  const database = { use: <T>(run: (connection: Connection) => Promise<T>) => run(connection) };
  return new CompanyMembers(
    database,
    company,
    () => systemClock.nowMs(),
    () => {},
  );
}

async function memberOf(members: CompanyMembers, email: string) {
  const found = await members.credentials(email);
  if (found !== undefined) return found.member;
  throw new FlancoError("not_found", `The company has no member ${email.slice(0, 200)}.`, {
    hint: "flanco central member list shows them.",
  });
}

function toAddress(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError(`It must be an address, for example ${PAGE}.`);
  return text;
}
