import * as z from "zod";
import { isDatabaseAddress } from "../domain/database-address.ts";
import { LANGUAGES } from "../domain/language.ts";
import { NOTICE_SUMMARIES, parseQuietHours } from "../domain/notice.ts";
import { remotePlace } from "../domain/remote-place.ts";
import {
  type FileKey,
  SETUP_FIELDS,
  SETUP_NAMES,
  type SetupField,
  type SetupName,
  type SetupValue,
  type ShownKey,
  SINK_NAMES,
  usualOf,
} from "../domain/sink.ts";
import { broker, email, emptyOr, urlLike, whole } from "./config/schema.ts";
import { declare, OWNER } from "./declaration.ts";
import { withData } from "./field.ts";

const MAX_SECRET = 1_000;
/** The longest PEM text: a chain of some certificates. */
const MAX_PEM = 16 * 1024;
const PEM = /^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;
const MAX_TOPIC = 200;
/** The most recipients of one e-mail. */
const MAX_RECIPIENTS = 20;
const MAX_SILENT_DAYS = 60;
/** Without a login, a password or a path. */
const MAIL_SERVER = /^smtps?:\/\/[^/@\s]+$/;
/** The most that backups may take of the way out, in kilobytes a second: no bound at all. */
const MAX_LIMIT = 1_000_000;
/** A key of an SSH host (RFC 4253, 6.6), without the host's name. */
const HOST_KEY = /^(ssh|ecdsa)-[\w@.-]+ [A-Za-z0-9+/=]+$/;
/** Without a login. The host ends where the audit log takes it to end, which gets nothing of the path. */
const PULSE_URL = /^https?:\/\/[^/@\s\\?#]+([/?#]\S*)?$/;

const topic = z
  .string()
  .max(MAX_TOPIC)
  .regex(/^[^+#\0]*$/, "must be a topic without + and #");

const hours = emptyOr((text) => parseQuietHours(text) !== undefined, "must be like 22:00-07:00, or empty");

/** What each shown value must be. */
const SHAPES = {
  email_server: emptyOr(urlLike(MAIL_SERVER), "must be smtps://HOST:465 or smtp://HOST:587"),
  email_login: z.string(),
  email_from: email,
  email_to: z.array(z.email("must be an e-mail address")).max(MAX_RECIPIENTS),
  webhook_url: emptyOr(isHttpsUrl, "must be an https:// address, or empty"),
  mqtt_url: broker,
  mqtt_login: z.string(),
  mqtt_topic: topic,
  mqtt_discovery_topic: topic,
  mqtt_history: z.boolean(),
  central_database: emptyOr(isDatabaseAddress, "must be postgresql://ROLE@HOST:PORT/DATABASE"),
  remote_address: emptyOr(
    (text) => remotePlace(text) !== undefined,
    "must be sftp://HOST/FOLDER, https://HOST/FOLDER, s3://HOST/BUCKET/FOLDER or smb://HOST/SHARE/FOLDER",
  ),
  remote_login: z.string().regex(/^[^\0\r\n]*$/, "must be one line"),
  remote_host_key: emptyOr(urlLike(HOST_KEY), "must be like ssh-ed25519 AAAA…, or empty"),
  remote_limit: whole(0, MAX_LIMIT),
  notice_language: z.enum(LANGUAGES),
  notice_quiet_hours: hours,
  notice_silent_days: whole(0, MAX_SILENT_DAYS),
  notice_summaries: z.array(z.enum(NOTICE_SUMMARIES)),
  update_hours: hours,
} satisfies Record<ShownKey<SetupName>, z.ZodType<SetupValue>>;

/** The values of a setup as a sink uses them, with the files of its secrets and certificates; empty: none. */
export type SinkSettingsOf<N extends SetupName> = Readonly<
  { [K in ShownKey<N>]: z.output<(typeof SHAPES)[K & keyof typeof SHAPES]> } & Record<FileKey<N>, string>
>;

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
    const line = text.regex(/^[^\r\n\0]*$/, "must be one line");
    return (
      field.key === "pulse_url" ? line.refine(urlLike(PULSE_URL), "must be an https:// address") : line
    ).optional();
  }
  const shapes: Readonly<Record<string, z.ZodType<SetupValue>>> = SHAPES;
  const shape = shapes[field.key] ?? z.never();
  const isGiven = (value: SetupValue) => value !== "" && !(Array.isArray(value) && value.length === 0);
  const checked = field.isRequired ? shape.refine(isGiven, "is required") : shape;
  return field.isRequired && field.usual === undefined ? checked : checked.default(usualOf(field));
}

function setupOf<const N extends SetupName>(name: N) {
  const values = Object.fromEntries(SETUP_FIELDS[name].map((field) => [field.key, shapeOf(field)]));
  return z.strictObject({ name: z.literal(name), values: z.strictObject(values) });
}

/** A setup as it is given, with secrets and certificates as texts. These may be left out. */
export const setupSchema = z.discriminatedUnion("name", [
  setupOf("email"),
  setupOf("webhook"),
  setupOf("pulse"),
  setupOf("mqtt"),
  setupOf("central"),
  setupOf("remote"),
  setupOf("notice"),
  setupOf("update"),
]);

function isHttpsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "";
}

const setup = z.strictObject({
  name: z.enum(SETUP_NAMES),
  isSet: z
    .boolean()
    .describe("Whether it was set up; otherwise it is off, or notices and updates are as usual."),
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .describe("As they were given, without secrets and certificates."),
  stored: z.array(z.string()).describe("The secrets and certificates that are set. They are never shown."),
});

export const listSetups = declare("get", "/api/sink", OWNER, {
  summary:
    "Where the gateway sends what it has, what notices say, and when updates come. Refused while several accounts share the gateway.",
  answer: withData(z.array(setup)),
  errors: ["conflict"],
});

export const setSetup = declare("put", "/api/sink", OWNER, {
  summary:
    "Set up a sink, the notices or the updates; it takes effect at once. A secret that is left out stays, unless the sink would send it to another place.",
  body: setupSchema,
  errors: ["conflict", "too_many"],
});

export const clearSetup = declare("delete", "/api/sink", OWNER, {
  summary: "Turn off what was set up, and forget its secrets.",
  query: z.object({ name: z.enum(SETUP_NAMES) }),
  errors: ["conflict", "too_many"],
});

export const makePassphrase = declare("post", "/api/sink/passphrase", OWNER, {
  summary:
    "Make the passphrase that backups at the remote place are encrypted with from then on, and show it: no other answer ever does. Whoever lacks it can restore none of them, so it is to be printed.",
  answer: withData(z.strictObject({ passphrase: z.string() })),
  errors: ["not_found", "conflict", "too_many"],
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
