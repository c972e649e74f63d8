import * as z from "zod";
import { SETUP_FIELDS, type SetupField, type SetupName, type SetupValue } from "../../domain/sink-setting.ts";
import { configSchema } from "./schema.ts";

const MAX_SECRET = 1_000;
/** The longest PEM text: a chain of some certificates. */
const MAX_PEM = 16 * 1024;
const PEM = /^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

/** The settings that may be made on the page: none names a file. */
const SETTINGS: Readonly<Record<string, z.ZodType<SetupValue>>> = {
  ...configSchema.pick({ email_server: true, email_login: true, email_from: true, email_to: true }).shape,
  ...configSchema.pick({ webhook_url: true, mqtt_url: true, mqtt_login: true }).shape,
  // A parameter could name a file or a socket of the gateway.
  central_database: configSchema.shape.central_database.refine(
    (url) => !url.includes("?"),
    "must have no parameters",
  ),
  ...configSchema.pick({ notice_language: true, notice_quiet_hours: true }).shape,
  ...configSchema.pick({ notice_silent_days: true, notice_summaries: true }).shape,
};

function shapeOf(field: SetupField): z.ZodType<SetupValue | undefined> {
  if (field.kind === "certificate") {
    return z.string().trim().max(MAX_PEM).regex(PEM, "must be certificates in PEM").optional();
  }
  if (field.kind === "secret") {
    const text = z
      .string()
      .trim()
      .min(field.least ?? 1)
      .max(MAX_SECRET);
    return text.regex(/^[^\r\n\0]*$/, "must be one line").optional();
  }
  const shape = SETTINGS[field.key];
  if (shape === undefined) throw new Error(`${field.key} may not be set on the page`);
  return field.isRequired
    ? shape.refine((value) => value !== "" && !(Array.isArray(value) && value.length === 0), "is required")
    : shape;
}

function setupOf<const N extends SetupName>(name: N) {
  const values = Object.fromEntries(SETUP_FIELDS[name].map((field) => [field.key, shapeOf(field)]));
  return z.strictObject({ name: z.literal(name), values: z.strictObject(values) });
}

/**
 * A setup as an owner gives it, by the settings' own rules, with
 * secrets and certificates as texts. These may be left out.
 */
export const setupSchema = z.discriminatedUnion("name", [
  setupOf("email"),
  setupOf("webhook"),
  setupOf("mqtt"),
  setupOf("central"),
  setupOf("notice"),
]);
