import { z } from "zod";
import { MAX_TEXT } from "../domain/text.ts";
import { declare } from "./declaration.ts";
import { name } from "./field.ts";
import { MAX_PASSWORD, userAnswer } from "./session.ts";

export const makeFirstUser = declare({
  method: "post",
  path: "/first-run",
  summary: "Make the first user with the one-time link of the first start, and sign in.",
  roles: null,
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
