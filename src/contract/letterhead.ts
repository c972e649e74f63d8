import { z } from "zod";
import { isLogo, MAX_LOGO_BYTES } from "../domain/letterhead.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, MONEY, OWNER, type Shape } from "./declaration.ts";
import { success, text } from "./field.ts";

const letterhead = z.object({
  company: text(0, MAX_TEXT),
  taxNumber: text(0, MAX_TEXT),
  address: text(0, MAX_TEXT),
  logo: z
    .string()
    .refine(isLogo, `must be a PNG or JPEG image of at most ${MAX_LOGO_BYTES / 1024} KiB, as a data: URL`),
});
export type Letterhead = Shape<typeof letterhead>;

export const getLetterhead = declare({
  method: "get",
  path: "/letterhead",
  summary: "What stands at the head of the account's reports.",
  roles: MONEY,
  answer: success.extend({ data: z.strictObject(letterhead.shape) }),
});

export const setLetterhead = declare({
  method: "put",
  path: "/letterhead",
  summary: "Set the head of the account's reports. Written to the audit log.",
  roles: OWNER,
  body: z.object({ letterhead }),
  wrapper: "letterhead",
});
