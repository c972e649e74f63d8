import type { Role } from "../../domain/member.ts";
import type { Api } from "./api.ts";
import type { LinkAnswer, Member, MembersAnswer } from "./shapes.ts";

function keyOf(memberId: string): string {
  return new URLSearchParams({ memberId }).toString();
}

export async function loadMembers(api: Api): Promise<readonly Member[]> {
  return (await api.get<MembersAnswer>("/api/member")).data;
}

interface Invitation {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

/** Gives the token of the link. Rejects with ApiFailure: 409 names the e-mail that is taken. */
export async function invite(api: Api, member: Invitation): Promise<string> {
  return (await api.send<LinkAnswer>("POST", "/api/member", { member })).data.token;
}

/** Gives the token of a new link; an earlier one ends. */
export async function newLink(api: Api, memberId: string): Promise<string> {
  return (await api.send<LinkAnswer>("POST", "/api/member/link", { memberId })).data.token;
}

/** Rejects with ApiFailure: 409 for the last owner. */
export function changeMember(api: Api, memberId: string, member: Pick<Invitation, "name" | "role">) {
  return api.send("PATCH", `/api/member?${keyOf(memberId)}`, { member });
}

/** Rejects with ApiFailure: 409 for the last owner. */
export function removeMember(api: Api, memberId: string) {
  return api.send("DELETE", `/api/member?${keyOf(memberId)}`);
}

export function endSessions(api: Api, memberId: string) {
  return api.send("POST", "/api/member/sign-out", { memberId });
}

export function changeOwnName(api: Api, name: string) {
  return api.send("PATCH", "/api/me", { me: { name } });
}

/** Ends all other sessions. Rejects with ApiFailure: 400 names the field that is wrong. */
export function changeOwnPassword(api: Api, current: string, password: string) {
  return api.send("PUT", "/api/me/password", { current, password });
}
