import * as z from "zod";
import { isDatabaseAddress } from "../../domain/database-address.ts";
import { MAX_GATEWAY_NAME } from "../../domain/gateway.ts";
import { DRIVER_NAMES } from "../../domain/line.ts";
import { fileKeyOf, SETUP_FIELDS, type SetupField } from "../../domain/sink.ts";

const MAX_PORT = 65_535;
const MAX_SIMULATED_LINES = 64;
/** What a large clinic sells in a day: 500 rooms, 20 sales each. */
const LARGE_CLINIC_RECORDS = 10_000;
/** What a record takes in the ledger, with names of usual length. */
const RECORD_BYTES = 250;
/** The ledger keeps amounts to millionths. */
const MAX_CURRENCY_DECIMALS = 6;
const CLOCK_TRUSTS = ["auto", "always"] as const;
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Without a user, a password or a path. */
const BROKER_URL = /^mqtts?:\/\/[^/@\s]+$/;

const port = whole(1, MAX_PORT);

const NO_EMAIL = "must be an e-mail address, or empty";
export const email = z.union([z.literal(""), z.email(NO_EMAIL)], NO_EMAIL);

export const broker = emptyOr(urlLike(BROKER_URL), "must be mqtt://HOST:PORT or mqtts://HOST:PORT");

/** A whole number from `least` to `most`; without `most` there is no upper bound. */
export function whole(least: number, most?: number) {
  const shape = z.int(`must be a whole number, ${least} ${most === undefined ? "or more" : `to ${most}`}`);
  return most === undefined ? shape.min(least) : shape.min(least).max(most);
}

/**
 * An empty text, or one that is right. It is no union with the empty text,
 * because zod would report the messages of a union's parts in place of this one.
 */
export function emptyOr(isRight: (text: string) => boolean, message: string): z.ZodString {
  return z.string(message).refine((text) => text === "" || isRight(text));
}

/** Whether a text has this form and parses as a URL. */
export function urlLike(form: RegExp): (text: string) => boolean {
  return (text) => form.test(text) && URL.canParse(text);
}

/** The default value of each setting of an installed program. */
export const USUAL = z.registry<{ readonly value: () => unknown }>();

/** A setting with its default value and its meaning. */
function setting<S extends z.ZodType>(shape: S, value: z.output<S>, meaning: string): S {
  return computed(shape, () => value, meaning);
}

/** A setting whose default value is computed when it is needed. */
function computed<S extends z.ZodType>(shape: S, value: () => z.output<S>, meaning: string): S {
  const described = shape.describe(meaning);
  USUAL.add(described, { value });
  return described;
}

/** A text that is empty by default. */
function text(meaning: string): z.ZodString {
  return setting(z.string(), "", meaning);
}

/**
 * Every setting there is. The same name serves the file (`https_port`), the
 * environment (`FLANCO_HTTPS_PORT`) and the command line (`--https-port`).
 */
export const configSchema = z.strictObject({
  data_dir: setting(
    // No shell reads it: a folder of that name would be made wherever a command stands.
    z.string().regex(/^[^~]/, "must name a directory in full, without ~"),
    "/var/lib/flanco",
    "Directory of the ledger, its secrets and its certificate.",
  ),
  backup_dir: text("Directory of the daily backups; empty: backups, in data_dir."),
  backup_disk_dir: text(
    "Directory on a removable disk that gets a backup too while it is mounted; empty: none.",
  ),
  host: setting(
    z.string().refine(isAddress, "must be an address, such as 192.168.1.20, or empty"),
    "",
    "Address to serve HTTPS on; empty: all of this machine's addresses.",
  ),
  https_port: setting(port, 8443, "Port of HTTPS, for the network."),
  http_port: setting(port, 8080, "Port of HTTP: everything on loopback, and the trust page for the network."),
  trust_page: setting(
    z.boolean(),
    true,
    "Explain on the network, by HTTP, how to trust this machine; false: HTTP is for loopback only.",
  ),
  certificates_dir: text(
    "Directory of certificates to serve in place of the own one; empty: tls.d, in data_dir.",
  ),
  time_zone: computed(
    z.string().refine(isTimeZone, "must be an IANA time zone, such as Europe/Madrid"),
    zoneOfSystem,
    "Time zone of days, weeks and years; after a change the next start adds up all records again.",
  ),
  currency: setting(
    z.string().regex(/^[A-Z]{3}$/, "must be a currency's three letters (ISO 4217), such as EUR"),
    "EUR",
    "Currency of every price, as it is shown.",
  ),
  currency_decimals: setting(
    whole(0, MAX_CURRENCY_DECIMALS),
    2,
    "Places after the point that amounts are shown with.",
  ),
  daily_records: setting(
    whole(1),
    100 * LARGE_CLINIC_RECORDS,
    "Records that one account may post within 24 hours; beyond it: 429. Edges are always recorded.",
  ),
  daily_bytes: setting(
    whole(1),
    100 * LARGE_CLINIC_RECORDS * RECORD_BYTES,
    "Bytes that the records which one account posts within 24 hours may take; beyond it: 429.",
  ),
  clock_trust: setting(
    z.enum(CLOCK_TRUSTS),
    "auto",
    "When the wall clock is right: once the network, or a card's clock chip, has set it (auto), or always.",
  ),
  gpio_driver: setting(z.enum(DRIVER_NAMES), "chardev", "Way to the relay lines."),
  simulated_lines: setting(whole(1, MAX_SIMULATED_LINES), 24, "Lines of the simulated driver, SIM0 and on."),
  simulated_trace: text("Trace file that drives the simulated lines; empty: none."),
  box_broker: setting(
    broker,
    "",
    "Broker of the relay boxes (driver mqtt): mqtt://HOST:1883, or mqtts://HOST:8883 with TLS.",
  ),
  box_user: setting(
    z.string().regex(/^[^/+#]*$/, "must be one part of a topic"),
    "",
    "First part of the relay boxes' topics: the id of their user in the system before flanco.",
  ),
  box_broker_login: text("User name for that broker; empty: none."),
  box_broker_password_file: text(
    "File with the password for that broker, closed to other users; empty: none.",
  ),
  box_broker_authority_file: text(
    "PEM file of the authority of that broker's certificate; empty: the usual authorities.",
  ),
  central_database: setting(
    emptyOr(isDatabaseAddress, "must be postgresql://ROLE@HOST:PORT/DATABASE"),
    "",
    "The company's database that flanco central serve shows: postgresql://ROLE@HOST/DATABASE?sslrootcert=FILE; empty: none.",
  ),
  central_password_file: text("File with the password of that role, closed to other users."),
  metrics: setting(
    z.boolean(),
    false,
    "Serve /metrics for Prometheus: to this machine, and to others that send the token.",
  ),
  metrics_token_file: text(
    "File with the token for /metrics, closed to other users; empty: for this machine alone.",
  ),
  demo: setting(
    z.boolean(),
    false,
    "Give the first user three places with twenty rooms and sales since last year, once (simulated driver only).",
  ),
  allowed_origins: setting(
    z.array(
      z
        .string()
        .refine(
          (text) => URL.canParse(text) && new URL(text).origin === text,
          "must be an origin, such as https://panel.example.org",
        ),
    ),
    [],
    "Other sites whose pages may use the API with the user's cookie.",
  ),
  host_names: setting(
    z.array(z.string().refine(isHostName, "must be a host name or an address, without a port")),
    [],
    "Further names and addresses that this machine is asked for by, such as a proxy's.",
  ),
  trusted_proxies: setting(
    z.array(z.union([z.ipv4(), z.ipv6()], "must be an address")),
    [],
    "Addresses of proxies that say where a request comes from, by X-Forwarded-For.",
  ),
  gateway_name: setting(
    z.string().max(MAX_GATEWAY_NAME),
    "",
    "Name of this gateway, for people; empty: the letterhead's company, if there is one account, or the host's name.",
  ),
  first_user_email: setting(
    email,
    "",
    "E-mail that the one-time link fills in for the first user; empty: none.",
  ),
  log_level: setting(z.enum(LOG_LEVELS), "info", "Least level that is logged."),
});

export type ConfigKey = keyof typeof configSchema.shape;

/** The configuration as the program uses it: complete, valid and frozen. */
export type Config = Readonly<z.infer<typeof configSchema>> & {
  /** What a file or the environment says of sinks, unchecked: the first start takes it over, as `SinkSettings` says. */
  readonly sinks: Readonly<Record<string, unknown>>;
};

/** Keys by which a file or the environment may set up sinks, with their fields. */
export const SINK_KEYS: ReadonlyMap<string, SetupField> = new Map(
  Object.values(SETUP_FIELDS).flatMap((fields) => fields.map((field) => [fileKeyOf(field), field])),
);

/**
 * The broker of the relay boxes, for the driver mqtt; undefined where none is set. With the
 * client id the broker keeps messages for this gateway; a command, which ends, has null.
 */
export function boxBroker(config: Config, clientId: string | null) {
  if (config.box_broker === "" || config.box_user === "") return undefined;
  return {
    clientId,
    url: config.box_broker,
    boxUser: config.box_user,
    user: config.box_broker_login,
    passwordFile: config.box_broker_password_file,
    authorityFile: config.box_broker_authority_file,
  };
}

export const CONFIG_KEYS = Object.keys(configSchema.shape) as ConfigKey[];

/** UTC where the system's zone has no name that Intl knows, as with TZ=:/etc/localtime. */
function zoneOfSystem(): string {
  // TypeScript promises a name, and ICU has none for some zones.
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone !== undefined && isTimeZone(zone) ? zone : "UTC";
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // Intl knows no such zone.
    return false;
  }
}

function isAddress(text: string): boolean {
  return text === "" || z.union([z.ipv4(), z.ipv6()]).safeParse(text, { jitless: true }).success;
}

function isHostName(text: string): boolean {
  const address = text.includes(":") ? `[${text}]` : text;
  return (
    URL.canParse(`http://${address}/`) && new URL(`http://${address}/`).hostname === address.toLowerCase()
  );
}
