import { existsSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { extname, join } from "node:path";
import type { Config, ConfigKey } from "../contract/config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import { toGatewayName } from "../domain/gateway.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { SETUP_FIELDS, usualOf } from "../domain/sink.ts";
import { type DataDirectory, dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import type { GatewayKeys, WholeGatewayFile } from "../ledger/safety/gateway-file.ts";
import { readHostNames, toHostNames } from "../net/host-names.ts";
import { permits, permittedNames } from "../net/tls/authority.ts";
import { CERTIFICATE_EXTENSIONS } from "../net/tls/drop-in.ts";
import { parsePem, readKeyed } from "../net/tls/keyed-certificate.ts";
import { ownFiles } from "../net/tls/own-certificate.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import { SinkSettings } from "./sink-settings.ts";

/**
 * The settings that belong to the clinic, not to its gateway.
 * None is a secret, or names a file that another gateway lacks.
 */
const CLINIC_KEYS = [
  ...["time_zone", "currency", "currency_decimals", "daily_records", "daily_bytes"],
  ...["https_port", "http_port", "trust_page", "allowed_origins", "host_names"],
] as const satisfies readonly ConfigKey[];
/** How many of the administrator's certificate files a gateway file takes, and how long each may be. */
const MAX_FILES = 16;
const MAX_BYTES = 64 * 1024;

type Settings = WholeGatewayFile["settings"];

/**
 * The content of this gateway's gateway file. Reads the keys
 * and the setups of the page from the disk at each call.
 */
export function readGateway(config: Config): WholeGatewayFile {
  const authority = readKeyed(ownFiles(dataDirectoryOf(config.data_dir).tls).authority);
  return {
    hostName: hostname(),
    settings: readSettings(config),
    keys: {
      authority: authority === undefined ? null : authority.key + authority.cert,
      certificates: readCertificates(certificatesOf(config)),
    },
  };
}

/** The clinic's settings, and those of its sinks, without secrets. */
function readSettings(config: Config): Settings {
  const { sinks } = dataDirectoryOf(config.data_dir);
  // The service reports setups that cannot be read.
  const settings = new SinkSettings({ config, directory: sinks, log: { info() {}, error() {} } });
  settings.open();
  return Object.assign(
    Object.fromEntries(CLINIC_KEYS.map((key) => [key, config[key]])),
    ...settings.setups().map(({ values }) => values),
  );
}

function certificatesOf({ data_dir, certificates_dir }: Config): string {
  return certificates_dir || dataDirectoryOf(data_dir).certificates;
}

/** The administrator's files that can be read. The service reports the others. */
function readCertificates(directory: string): GatewayKeys["certificates"] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => CERTIFICATE_EXTENSIONS.has(extname(name)) && /^[\w-][\w.-]{0,99}$/.test(name))
    .toSorted()
    .flatMap((name) => {
      const file = join(directory, name);
      try {
        return statSync(file).size <= MAX_BYTES ? [{ name, content: readFileSync(file, "utf8") }] : [];
      } catch {
        return [];
      }
    })
    .slice(0, MAX_FILES);
}

/** The settings of the clinic and its sinks that differ here, as lines of a settings file. */
export function otherSettings(config: Config, theirs: Settings): readonly string[] {
  const ours = readSettings(config);
  const usual = new Map(
    Object.values(SETUP_FIELDS).flatMap((fields) => fields.map((one) => [one.key, usualOf(one)])),
  );
  return [...CLINIC_KEYS, ...usual.keys()].flatMap((key) => {
    const [own, other] = [ours, theirs].map((one) => JSON.stringify(one[key] ?? usual.get(key)));
    // Texts, numbers, booleans and lists of texts are written alike in JSON and TOML.
    return other === undefined || own === other ? [] : [`${key} = ${other}`];
  });
}

/**
 * Throws `conflict` where the clinic's authority may not sign for this gateway's names: the
 * next start would replace the authority, and browsers would no longer trust the gateway.
 */
export async function requireSameNames(config: Config, keys: GatewayKeys, hostName: string): Promise<void> {
  const authority = authorityOf(keys);
  if (authority === undefined) return;
  const host = readHostNames(config.host_names);
  if (await permits(authority, host)) return;
  const { alternatives } = toHostNames(hostName, []);
  const permitted = (await permittedNames(authority)).filter((name) => !alternatives.includes(name));
  const others = host.names.filter((name) => !permitted.includes(name));
  throw new FlancoError(
    "conflict",
    `The clinic's gateway is called ${hostName}, and this one ${host.names[0]}: browsers trust the clinic's certificates for ${permitted.join(", ")} alone, not for ${others.join(", ")}.`,
    {
      hint: `Nothing was changed. Give this gateway the clinic's name (hostnamectl set-hostname ${hostName}; host_names in its settings), then restore again. With --without-certificates it makes its own, which each browser must trust anew.`,
    },
  );
}

function authorityOf({ authority }: GatewayKeys) {
  if (authority === null) return undefined;
  const { key, certificates } = parsePem(authority);
  const [cert] = certificates;
  return key === undefined || cert === undefined ? undefined : { key, cert };
}

/**
 * Puts the clinic's keys in place. A replaced authority is kept beside it, and an administrator's
 * file of the same name stays. The next start of the service makes the certificate that the
 * authority signs. Gives the files that could not be put into the administrator's directory.
 */
export function installKeys(
  config: Config,
  dataDirectory: DataDirectory,
  keys: GatewayKeys,
  nowMs: number,
): readonly string[] {
  const { authority } = ownFiles(dataDirectory.tls);
  if (keys.authority !== null) {
    makeDirectory(dataDirectory.tls);
    if (existsSync(authority) && readFileSync(authority, "utf8") !== keys.authority) {
      renameSync(authority, `${authority}.replaced-${nowMs}`);
    }
    writeDurably(authority, keys.authority);
  }
  const directory = certificatesOf(config);
  return keys.certificates.flatMap(({ name, content }) => {
    const file = join(directory, name);
    try {
      makeDirectory(directory);
      if (!existsSync(file)) writeDurably(file, content);
      return [];
    } catch {
      return [file];
    }
  });
}

/**
 * The gateway's name: that of the settings, else of the
 * letterhead where there is one account, else the machine's.
 */
export function gatewayName({ gateway_name }: Pick<Config, "gateway_name">, reader: LedgerReader): string {
  if (gateway_name !== "") return toGatewayName(gateway_name);
  const [first] = reader.accountCount() === 1 ? reader.members() : [];
  const company = first === undefined ? "" : toGatewayName(reader.letterhead(first.userId).company);
  return company || toGatewayName(hostname());
}
