import { InvalidArgumentError } from "commander";
import { AS_JSON, type Call, type CommandGroup, command, needed, optional } from "../cli/command.ts";
import { commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import { COMPANY_ROLES, LINK_PATH } from "../domain/member.ts";
import { makeLink } from "../http/member.ts";
import type { Connection } from "../notify/database.ts";
import { systemClock } from "../platform/machine.ts";
import type { Company } from "./company.ts";
import { type Access, DATABASE, example, OF_COMPANY, ofCompany } from "./company-door.ts";
import { accountOf, CompanyMembers } from "./members.ts";

const PAGE = "https://ventas.example.org";

const EMAIL = needed("--email <email>", "the member's e-mail, used to sign in");
const ADDRESS = needed("--page <url>", "the page's address, for the link", toAddress);

/** `flanco central member`: the people who may sign in to the company's page. */
export const COMPANY_MEMBERS: CommandGroup = {
  name: "member",
  about: "the people who may sign in to the company's page",
  help: example(`member list ${DATABASE}`),
  rows: [
    command(
      "add",
      "add a member, who chooses a password by a one-time link",
      {
        ...OF_COMPANY,
        email: EMAIL,
        page: ADDRESS,
        name: needed("--name <name>", "the member's name"),
        role: optional(
          "--role <role>",
          "owner reads and says who reads; staff and accountant read",
          COMPANY_ROLES,
          "owner",
        ),
      },
      example(`member add --email ana@example.org --name 'Ana López' --page ${PAGE} ${DATABASE}`),
      ({ email, page, name, role, ...access }, call) =>
        ofMembers(call, access, async (members, userId) => {
          const by = commandActor(call.context.user);
          await members.addMember(userId, { email, name, role, passwordHash: null }, by);
          await showLink(call, members, email, page);
        }),
    ),
    command(
      "list",
      "show the members",
      { ...OF_COMPANY, json: AS_JSON },
      example(`member list ${DATABASE}`),
      async ({ json, ...access }, call) => {
        const found = await ofMembers(call, access, (members) => members.accountCredentials());
        const rows = found.map(({ member: { email, name, role }, passwordHash }) => ({
          email,
          name,
          role,
          hasPassword: passwordHash !== null,
        }));
        const lines = rows.map(
          ({ email, name, role, hasPassword }) =>
            `${email}\t${name}\t${role}${hasPassword ? "" : "\tinvited"}`,
        );
        call.terminal.show(json, rows, lines);
      },
    ),
    command(
      "link",
      "print a one-time link by which a member chooses another password",
      { ...OF_COMPANY, email: EMAIL, page: ADDRESS },
      example(`member link --email ana@example.org --page ${PAGE} ${DATABASE}`),
      ({ email, page, ...access }, call) =>
        ofMembers(call, access, (members) => showLink(call, members, email, page)),
    ),
    command(
      "remove",
      "remove a member: its sessions end; the last owner stays",
      { ...OF_COMPANY, email: EMAIL },
      example(`member remove --email ana@example.org ${DATABASE}`),
      async ({ email, ...access }, call) => {
        await ofMembers(call, access, async (members, userId) =>
          members.removeMember(userId, (await memberOf(members, email)).id, commandActor(call.context.user)),
        );
        call.terminal.out(`${email} can no longer sign in.`);
      },
    ),
  ],
};

function ofMembers<T>(
  { context }: Call,
  access: Access,
  run: (members: CompanyMembers, userId: string) => Promise<T>,
): Promise<T> {
  return ofCompany(context, access, (connection, company) =>
    run(membersOf(connection, company), accountOf(company.company)),
  );
}

/** Shows the link on the terminal alone, because it lets its holder in. */
async function showLink(
  { context, terminal }: Call,
  members: CompanyMembers,
  email: string,
  page: string,
): Promise<void> {
  const token = await makeLink(members, await memberOf(members, email), commandActor(context.user));
  terminal.out(`${email} chooses a password with this link, valid once and for a day:`);
  terminal.out(`  ${new URL(`${LINK_PATH}#${token}/${email}`, page)}`);
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
