import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type Config, configSchema } from "../contract/config/schema.ts";
import { setupSchema } from "../contract/config/setup.ts";
import { type FieldError, FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import {
  type GivenSetup,
  isHidden,
  SETUP_FIELDS,
  SETUP_NAMES,
  type Setup,
  type SetupField,
  type SetupName,
  SINK_NAMES,
  type SinkName,
} from "../domain/sink-setting.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import { defaultConfig } from "./config-file.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const fileSchema = z.strictObject({ setups: z.array(setupSchema).max(SETUP_NAMES.length) });

/** A setup of the page, without its hidden fields. */
type KeptSetup = Pick<Setup, "name" | "values">;

export interface SinkSettingsOptions {
  /** The configuration of the file, the environment and the flags. */
  readonly config: Config;
  /** The directory of the page's setups, with each secret in a file of its own; closed to other users. */
  readonly directory: string;
  readonly log: Pick<Log, "error">;
}

/** The settings of the sinks: the configuration's or, where it has none, those that an owner made on the page. */
export class SinkSettings {
  readonly #options: SinkSettingsOptions;
  #kept: readonly KeptSetup[] = [];
  #isUnreadable = false;

  constructor(options: SinkSettingsOptions) {
    this.#options = options;
  }

  /** Reads the setups of the page. A file that cannot be read is logged, and then no sink of the page is on. */
  open(): void {
    const file = this.#file();
    if (!existsSync(file)) return;
    try {
      this.#kept = fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).setups.map(toKept);
    } catch (err) {
      this.#isUnreadable = true;
      this.#options.log.error(
        { err },
        "the sinks that were set up on the page cannot be read: they are off, set them up again",
      );
    }
  }

  /** Whether the page's setups could not be read, and none was made since. */
  get isUnreadable(): boolean {
    return this.#isUnreadable;
  }

  /** The configuration in force. */
  get config(): Config {
    return withSetups(this.#options.config, this.#kept, (key) => (this.#has(key) ? this.#secret(key) : ""));
  }

  setups(): readonly Setup[] {
    const own = setupsOf(this.#options.config);
    return SETUP_NAMES.map((name) => {
      const kept = this.#kept.find((one) => one.name === name);
      if (own.includes(name)) return { name, madeIn: "file", values: {}, stored: [] };
      if (kept === undefined) return { name, madeIn: null, values: {}, stored: [] };
      const stored = SETUP_FIELDS[name].filter(isHidden).map(({ key }) => key);
      return { name, madeIn: "page", values: kept.values, stored: stored.filter((key) => this.#has(key)) };
    });
  }

  /** The sinks that an owner has set up on the page. */
  ofPage(): readonly SinkName[] {
    return SINK_NAMES.filter((name) =>
      this.setups().some((one) => one.name === name && one.madeIn === "page"),
    );
  }

  /**
   * Throws `conflict` for a setup that the configuration has, and `invalid` where a secret is
   * missing or a certificate cannot be read. A stored secret is used again only where the sink
   * sends to the same place: otherwise an owner could learn it by naming a server of their own.
   */
  check({ name, values }: GivenSetup): void {
    this.requirePage(name);
    const isSamePlace = this.#isSamePlace(name, values);
    for (const field of SETUP_FIELDS[name]) {
      const { key } = field;
      if (!isNeededSecret(field, values) || values[key] !== undefined) continue;
      const isStored = this.#has(key);
      if (isStored && isSamePlace) continue;
      throw invalidField(key, {
        kind: "required",
        message: isStored ? "must be given again, because it would go to another place" : "is required",
      });
    }
    for (const { key, kind } of SETUP_FIELDS[name]) {
      const text = values[key];
      if (kind !== "certificate" || text === undefined || areCertificates(String(text))) continue;
      throw invalidField(key, { kind: "type", message: "must be certificates in PEM" });
    }
  }

  /** Whether a setup sends to where the stored one does, by the same authority. */
  #isSamePlace(name: SetupName, values: GivenSetup["values"]): boolean {
    const before = this.#kept.find((one) => one.name === name);
    if (before === undefined) return false;
    return SETUP_FIELDS[name].every(({ key, kind, isPlace }) => {
      if (kind === "certificate") return values[key] === undefined;
      return isPlace !== true || values[key] === before.values[key];
    });
  }

  /** Throws `conflict` for a setup that the configuration has. */
  requirePage(name: SetupName): void {
    if (!setupsOf(this.#options.config).includes(name)) return;
    throw new FlancoError("conflict", "This is set in the gateway's settings file, which wins.", {
      hint: "Change it there, or remove it there and start the service again: then it can be set up here.",
    });
  }

  /** Stores a checked setup durably. A stored secret that it does not give stays. */
  set({ name, values }: GivenSetup): void {
    // The sink is off while its secrets are replaced: after
    // a crash in between no secret goes to the wrong place.
    this.#save(this.#others(name));
    for (const field of SETUP_FIELDS[name].filter(isHidden)) {
      const text = values[field.key];
      const isUseless = field.besides !== undefined && values[field.besides] === "";
      if (isUseless) rmSync(this.#secret(field.key), { force: true });
      else if (text !== undefined) writeDurably(this.#secret(field.key), `${text}\n`);
    }
    this.#save([...this.#others(name), toKept({ name, values })]);
  }

  /** Forgets a setup and its secrets, durably. */
  clear(name: SetupName): void {
    this.#save(this.#others(name));
    for (const { key } of SETUP_FIELDS[name].filter(isHidden)) rmSync(this.#secret(key), { force: true });
  }

  #others(name: SetupName): readonly KeptSetup[] {
    return this.#kept.filter((one) => one.name !== name);
  }

  #save(setups: readonly KeptSetup[]): void {
    const { directory } = this.#options;
    makeDirectory(directory);
    writeDurably(this.#file(), `${JSON.stringify({ setups })}\n`);
    this.#kept = setups;
    this.#isUnreadable = false;
  }

  #file(): string {
    return join(this.#options.directory, "setups.json");
  }

  #secret(key: string): string {
    return join(this.#options.directory, key);
  }

  #has(key: string): boolean {
    return existsSync(this.#secret(key));
  }
}

/** A setup without its hidden fields, which are in files of their own. */
function toKept({ name, values }: GivenSetup): KeptSetup {
  const shown = SETUP_FIELDS[name].flatMap((field) => {
    const value = values[field.key];
    return isHidden(field) || value === undefined ? [] : [[field.key, value] as const];
  });
  return { name, values: Object.fromEntries(shown) };
}

/** A secret that stands beside another field is needed only with that. */
function isNeededSecret({ kind, besides }: SetupField, values: GivenSetup["values"]): boolean {
  return kind === "secret" && (besides === undefined || values[besides] !== "");
}

function invalidField(key: string, error: FieldError): FlancoError {
  return new FlancoError("invalid", `${key}: ${error.message}.`, { fields: { [key]: error } });
}

/**
 * Whether each certificate of a text can be read. TLS passes
 * over one that was pasted in part, and then trusts nobody.
 */
function areCertificates(text: string): boolean {
  try {
    for (const [certificate] of text.matchAll(CERTIFICATE)) new X509Certificate(certificate);
    return true;
  } catch {
    // Whatever is wrong with it.
    return false;
  }
}

/** The setting of a field; for a hidden field the one that names its file. */
function settingOf(field: SetupField): string {
  return isHidden(field) ? `${field.key}_file` : field.key;
}

/** The setups of which the configuration sets any field. For these the configuration alone is in force. */
function setupsOf(config: Config): readonly SetupName[] {
  const usual = new Map<string, unknown>(Object.entries(defaultConfig(null)));
  const set = new Map<string, unknown>(Object.entries(config));
  const isSet = (key: string) => !isDeepStrictEqual(set.get(key), usual.get(key));
  return SETUP_NAMES.filter((name) => SETUP_FIELDS[name].some((field) => isSet(settingOf(field))));
}

/**
 * The configuration with the setups of the page where it sets nothing itself.
 * @param fileOf the file of a hidden field; empty where none is stored
 */
function withSetups(config: Config, setups: readonly KeptSetup[], fileOf: (key: string) => string): Config {
  const own = setupsOf(config);
  const values = setups
    .filter(({ name }) => !own.includes(name))
    .flatMap(({ name, values }) =>
      SETUP_FIELDS[name].map((field) => [
        settingOf(field),
        isHidden(field) ? fileOf(field.key) : values[field.key],
      ]),
    );
  if (values.length === 0) return config;
  return configSchema.parse({ ...config, ...Object.fromEntries(values) }, { jitless: true });
}
