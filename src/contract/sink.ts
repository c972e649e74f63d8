import * as z from "zod";
import { SETUP_NAMES, SINK_NAMES } from "../domain/sink-setting.ts";
import { setupSchema } from "./config/setup.ts";
import { declare, OWNER } from "./declaration.ts";
import { withData } from "./field.ts";

const setup = z.strictObject({
  name: z.enum(SETUP_NAMES),
  madeIn: z
    .enum(["file", "page"])
    .nullable()
    .describe("In flanco.toml, which wins and is not changed here, or over this API; null: not set up."),
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
    .describe("As they were given, without secrets and certificates."),
  stored: z.array(z.string()).describe("The secrets and certificates that are set. They are never shown."),
});

export const listSetups = declare("get", "/api/sink", OWNER, {
  summary:
    "Where the gateway sends what it has, and what notices say. Refused while several accounts share the gateway.",
  answer: withData(z.array(setup)),
  errors: ["conflict"],
});

export const setSetup = declare("put", "/api/sink", OWNER, {
  summary:
    "Set up a sink, or the notices; it takes effect at once. A secret that is left out stays, unless the sink would send it to another place.",
  body: setupSchema,
  errors: ["conflict", "too_many"],
});

export const clearSetup = declare("delete", "/api/sink", OWNER, {
  summary: "Turn off what was set up over this API, and forget its secrets.",
  query: z.object({ name: z.enum(SETUP_NAMES) }),
  errors: ["conflict", "too_many"],
});

export const testSink = declare("post", "/api/sink/test", OWNER, {
  // It shows whether a port of another machine answers.
  aDay: 100,
  summary: "Send a test to a sink that is set up; it may take half a minute.",
  body: z.object({ name: z.enum(SINK_NAMES) }),
  answer: withData(
    z.strictObject({
      reached: z.boolean().describe("Whether the other side has taken it."),
      message: z.string().describe("What was done, or why it failed."),
      hint: z.string().describe("What to do; empty where nothing is."),
    }),
  ),
  errors: ["not_found", "conflict"],
});
