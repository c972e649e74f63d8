import * as z from "zod";
import { MAX_LOCATIONS_OF_USER } from "../domain/location.ts";
import { ROLES } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, NO_SESSION, ON_PAGE, OPERATOR, OWNER, type Shape, within } from "./declaration.ts";
import { id, name, someOf, timeMs, withData } from "./field.ts";
import { MAX_PASSWORD, userAnswer } from "./session.ts";

const role = z.enum(ROLES);
const password = z.string().min(1).max(MAX_PASSWORD);
const memberQuery = z.object({ memberId: name });

/** Whether the page is a gateway's or a company's. */
const SITES = ["gateway", "company"] as const;
export type Site = (typeof SITES)[number];

const self = z.strictObject({ _id: id, name: z.string(), email: z.string(), role });

const locationIds = z
  .array(name)
  .max(MAX_LOCATIONS_OF_USER)
  .nullable()
  .describe("The locations that it is limited to; null for the whole account. No owner is limited.");

const member = self.extend({
  locationIds,
  hasPassword: z
    .boolean()
    .describe("False until an invited member has chosen one; of a program, whether it has a key."),
  sessions: z.int().describe("Sessions that stand."),
  usedTime: timeMs
    .nullable()
    .describe("When a program's key or session was last used, at most a day too early; null for others."),
});

/** What lets a member in is shown once: the ledger has only its hash. */
const wayIn = {
  token: z.string().nullable().describe("Of a link by which a member chooses its password; else null."),
  key: z.string().nullable().describe("Of a program, which signs in with it as with a password; else null."),
};
const wayInAnswer = withData(
  z.strictObject({
    ...wayIn,
    reach: z
      .strictObject({ page: z.string().nullable(), trust: z.string().nullable() })
      .describe(
        "By which addresses another device reaches the gateway, and learns before to trust it; null for none.",
      ),
  }),
);

export const getSelf = declare("get", "/api/me", within(ON_PAGE), {
  summary: "The signed-in member, with its role.",
  answer: withData(
    self.extend({
      locationIds,
      serves: z.enum(SITES).describe("Whether this is a gateway or a company's page."),
    }),
  ),
});

export const changeSelf = declare("patch", "/api/me", within(ON_PAGE), {
  summary: "Change the own name.",
  aDay: 20,
  body: z.object({ me: z.object({ name }) }),
});

export const changePassword = declare("put", "/api/me/password", within(ON_PAGE), {
  summary: "Change the own password. All of the member's sessions end; the answer begins another.",
  // The ledger counts these.
  aDay: null,
  body: z.object({ current: password, password }),
  errors: ["too_many"],
});

export const listMembers = declare("get", "/api/member", OWNER, {
  summary: "The account's members.",
  answer: withData(z.array(member)),
});

export const inviteMember = declare("post", "/api/member", OWNER, {
  summary:
    "Add a member, who chooses a password by a link: valid once and for a day. A program gets a key in its place.",
  body: z.object({
    member: z.object({ name, email: z.email().max(MAX_TEXT), role, locationIds: locationIds.optional() }),
  }),
  answer: wayInAnswer,
  errors: ["not_found", "conflict", "too_many"],
});

export const changeMember = declare("patch", "/api/member", OWNER, {
  summary:
    "Rename a member, limit it to locations, or change the role: then its sessions end. The last owner stays one.",
  query: memberQuery,
  body: z.object({ member: someOf({ name, role, locationIds }) }),
  errors: ["not_found", "conflict", "too_many"],
});

export const removeMember = declare("delete", "/api/member", OWNER, {
  summary: "Remove a member: its sessions end. The last owner stays.",
  query: memberQuery,
  errors: ["not_found", "conflict"],
});

export const linkMember = declare("post", "/api/member/link", OWNER, {
  summary:
    "A new link by which a member chooses a password, or a new key of a program. An earlier one ends; a key with the program's sessions.",
  body: z.object({ memberId: name }),
  answer: wayInAnswer,
  errors: ["not_found", "conflict", "too_many"],
});

export const endMemberSessions = declare("post", "/api/member/sign-out", OWNER, {
  summary: "End all sessions of a member, and the key of a program.",
  // Not with the others: an owner who has used these up can end sessions all the same.
  aDay: 500,
  body: z.object({ memberId: name }),
  answer: withData(z.strictObject({ ended: z.int() })),
  errors: ["not_found"],
});

export const useLink = declare("post", "/api/link", NO_SESSION, {
  summary: "Choose a password by a link, and sign in.",
  signsIn: true,
  body: z.object({ token: name, password }),
  answer: userAnswer,
  errors: ["unauthorized", "too_many"],
});

const user = z.strictObject({ id, userId: id, role, name: z.string(), email: z.string() });
export type ListedMember = Shape<typeof user>;

export const listAllMembers = declare("get", "/api/user", OPERATOR, {
  summary: "The members of all accounts.",
  answer: withData(z.array(user)),
});

const email = z.email().max(MAX_TEXT);

export const makeAccount = declare("post", "/api/user", OPERATOR, {
  summary:
    "Make an account, or a member of one. Without a password the answer has the token of a link by which it is chosen, or a program's key.",
  body: z.object({
    user: z.object({
      name,
      email,
      password: z.string().optional(),
      account: name
        .optional()
        .describe("E-mail of one of the account's members; without it a new account is made."),
      role: role.optional().describe("Without an account it means the only one; staff where it is left out."),
      locationIds: locationIds.optional(),
    }),
  }),
  answer: withData(z.strictObject({ email: z.string(), ...wayIn })),
});

export const setPassword = declare("put", "/api/user/password", OPERATOR, {
  summary: "Set a member's password: its sessions end.",
  body: z.object({ memberId: name, password: z.string() }),
});

export const removeAccount = declare("delete", "/api/user", OPERATOR, {
  summary: "Remove an account with its only member; records stay.",
  query: z.object({ withDevices: z.stringbool() }),
});

/** A bcrypt hash that takes a few seconds to compare with, at most. */
export const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

export const importAccount = declare("post", "/api/import/user", OPERATOR, {
  summary:
    "Make an account whose owner has this hash of a password, or none yet; a known e-mail is left as it is.",
  body: z.object({ user: z.object({ name, email, passwordHash: z.string().regex(BCRYPT).nullable() }) }),
});
