import * as z from "zod";
import { ROLES } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, NO_SESSION, type Shape, within } from "./declaration.ts";
import { id, name, success } from "./field.ts";

export const MAX_PASSWORD = 1_000;

const user = z.strictObject({ _id: id, name: z.string(), email: z.string() });
export type UserData = Shape<typeof user>;
export const userAnswer = success.extend({ userData: user });

export const login = declare("post", "/api/login", NO_SESSION, {
  summary: "Sign in: sets the session cookie.",
  signsIn: true,
  body: z.object({ email: name, password: z.string().min(1).max(MAX_PASSWORD) }),
  answer: userAnswer,
  errors: ["unauthorized", "too_many"],
  texts: { unauthorized: "Invalid Credentials" },
});

export const verify = declare("get", "/api/verify", within(ROLES), {
  summary: "Who is signed in.",
  answer: userAnswer,
});

export const logout = declare("post", "/api/logout", NO_SESSION, {
  summary: "Sign out: the session ends at once, its cookie is removed. Needs no session.",
  withoutLedger: true,
});

export const makeFirstAccount = declare("post", "/api/first-run", NO_SESSION, {
  summary: "Make the first user with the one-time link of the first start, and sign in.",
  signsIn: true,
  body: z.object({
    token: name,
    name,
    email: z.email().max(MAX_TEXT),
    password: z.string().min(1).max(MAX_PASSWORD),
  }),
  answer: userAnswer,
  errors: ["unauthorized", "conflict", "too_many"],
});
