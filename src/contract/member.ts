import { z } from "zod";
import { ROLES } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, OWNER } from "./declaration.ts";
import { id, name, someOf, success } from "./field.ts";
import { MAX_PASSWORD, userAnswer } from "./session.ts";

const role = z.enum(ROLES);
const password = z.string().min(1).max(MAX_PASSWORD);
const memberQuery = z.object({ memberId: name });

/** What the page is of. */
const SITES = ["gateway", "company"] as const;
export type Site = (typeof SITES)[number];

const self = z.strictObject({ _id: id, name: z.string(), email: z.string(), role });

const member = self.extend({
  hasPassword: z.boolean().describe("False until an invited member has chosen one."),
  sessions: z.int().describe("Sessions that stand."),
});

/** A link of the page is made of it. Shown once: the ledger has only its hash. */
const linkAnswer = success.extend({ data: z.strictObject({ token: z.string() }) });

export const getSelf = declare("get", "/api/me", {
  summary: "The signed-in member, with its role.",
  roles: ROLES,
  answer: success.extend({
    data: self.extend({ serves: z.enum(SITES).describe("Whether this is a gateway or a company's page.") }),
  }),
});

export const changeSelf = declare("patch", "/api/me", {
  summary: "Change the own name.",
  roles: ROLES,
  body: z.object({ me: z.object({ name }) }),
});

export const changePassword = declare("put", "/api/me/password", {
  summary: "Change the own password. All of the member's sessions end; the answer begins another.",
  roles: ROLES,
  body: z.object({ current: password, password }),
  errors: ["too_many"],
});

export const listMembers = declare("get", "/api/member", {
  summary: "The account's members.",
  roles: OWNER,
  answer: success.extend({ data: z.array(member) }),
});

export const inviteMember = declare("post", "/api/member", {
  summary: "Add a member, who chooses a password by a link: valid once and for a day.",
  roles: OWNER,
  body: z.object({ member: z.object({ name, email: z.email().max(MAX_TEXT), role }) }),
  answer: linkAnswer,
  errors: ["conflict"],
});

export const changeMember = declare("patch", "/api/member", {
  summary: "Rename a member, or change the role: then its sessions end. The last owner stays one.",
  roles: OWNER,
  query: memberQuery,
  body: z.object({ member: someOf({ name, role }) }),
  errors: ["not_found", "conflict"],
});

export const removeMember = declare("delete", "/api/member", {
  summary: "Remove a member: its sessions end. The last owner stays.",
  roles: OWNER,
  query: memberQuery,
  errors: ["not_found", "conflict"],
});

export const linkMember = declare("post", "/api/member/link", {
  summary: "A new link by which a member chooses a password; an earlier one ends.",
  roles: OWNER,
  body: z.object({ memberId: name }),
  answer: linkAnswer,
  errors: ["not_found"],
});

export const endMemberSessions = declare("post", "/api/member/sign-out", {
  summary: "End all sessions of a member.",
  roles: OWNER,
  body: z.object({ memberId: name }),
  errors: ["not_found"],
});

export const useLink = declare("post", "/api/link", {
  summary: "Choose a password by a link, and sign in.",
  roles: null,
  signsIn: true,
  body: z.object({ token: name, password }),
  answer: userAnswer,
  errors: ["unauthorized", "too_many"],
});
