import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Config } from "../contract/config/schema.ts";
import { type SinkSettingsOf, setupSchema } from "../contract/sink.ts";
import { type FieldError, FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import {
  fileKeyOf,
  type GivenSetup,
  isHidden,
  SETUP_FIELDS,
  SETUP_NAMES,
  type Setup,
  type SetupField,
  type SetupName,
  SINK_NAMES,
  type SinkName,
} from "../domain/sink.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import { mistakeOf } from "../platform/mistake.ts";
import { readConfigured, readSecret } from "../platform/secret-file.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const fileSchema = z.strictObject({
  setups: z.array(setupSchema).max(SETUP_NAMES.length),
  /** Setups that the settings file no longer makes: it did once, or they were made or cleared since. */
  decided: z.array(z.enum(SETUP_NAMES)).default([]),
  /** Setups that an operator has made, for all accounts; the others are an owner's. */
  operated: z.array(z.enum(SETUP_NAMES)).default([]),
});

/** What is stored, without the hidden fields. */
interface StoredSettings {
  readonly setups: readonly Pick<Setup, "name" | "values">[];
  readonly decided: readonly SetupName[];
  readonly operated: readonly SetupName[];
}

const NONE: StoredSettings = { setups: [], decided: [], operated: [] };

export interface SinkSettingsOptions {
  readonly config: Pick<Config, "sinks">;
  /** The directory of the setups, with each secret in a file of its own; closed to other users. */
  readonly directory: string;
  readonly log: Pick<Log, "info" | "error">;
}

/** The settings of the sinks, as an owner makes them on the page, and an operator by commands. */
export class SinkSettings {
  readonly #options: SinkSettingsOptions;
  #kept = NONE;
  #isUnreadable = false;
  /** Setups of the settings file that could not be taken over, and were not made or cleared since. */
  readonly #failed = new Set<SetupName>();

  constructor(options: SinkSettingsOptions) {
    this.#options = options;
  }

  /** Reads the setups. A file that cannot be read is logged, and then all sinks are off. */
  open(): void {
    const file = this.#file();
    if (!existsSync(file)) return;
    try {
      const { setups, ...others } = fileSchema.parse(JSON.parse(readFileSync(file, "utf8")), {
        jitless: true,
      });
      this.#kept = { setups: setups.map(withoutHidden), ...others };
    } catch (err) {
      this.#isUnreadable = true;
      this.#options.log.error(
        { err },
        "what was set up of sinks cannot be read: they are off, set them up again",
      );
    }
  }

  /**
   * Takes over each setup of the settings file once, with the content of the files that it names: so a file that
   * is written before the first start sets up sinks. One that cannot be taken over is tried at each start.
   */
  takeOver(): void {
    const { config, log } = this.#options;
    const settings = Object.keys(config.sinks);
    if (settings.length === 0 || this.#isUnreadable) return;
    const taken: SetupName[] = [];
    for (const name of SETUP_NAMES.filter((one) => !this.#kept.decided.includes(one))) {
      try {
        const setup = setupIn(name, config.sinks);
        if (setup === undefined) continue;
        this.set(setup, true);
        taken.push(name);
      } catch (err) {
        this.#failed.add(name);
        log.error(
          { err, sink: name },
          "what the settings file says of a sink cannot be taken over: it is off",
        );
      }
    }
    // Those of a setup that failed are still needed.
    if (this.#failed.size > 0) return;
    if (taken.length > 0) {
      log.info(
        { settings, taken },
        "the sinks of these settings are kept by the page and flanco forward from now on: remove them",
      );
    } else {
      log.info(
        { settings },
        "these settings say nothing any more: remove them, or use flanco forward import",
      );
    }
  }

  /** Whether a setup could not be read or taken over, and none was made since. */
  get isUnreadable(): boolean {
    return this.#isUnreadable || this.#failed.size > 0;
  }

  /** The sinks that an owner has set up, for the account that there was. */
  ofOwners(): readonly SinkName[] {
    return SINK_NAMES.filter(
      (name) => this.#setup(name) !== undefined && !this.#kept.operated.includes(name),
    );
  }

  /** The settings of a sink, or of the notices; undefined where nobody has made any. */
  of<N extends SetupName>(name: N): SinkSettingsOf<N> | undefined {
    const kept = this.#setup(name);
    if (kept === undefined) return undefined;
    const files = SETUP_FIELDS[name]
      .filter(isHidden)
      .map((field) => [fileKeyOf(field), this.#has(field.key) ? this.#secret(field.key) : ""]);
    // The values were parsed by `setupSchema`.
    return { ...kept.values, ...Object.fromEntries(files) } as SinkSettingsOf<N>;
  }

  setups(): readonly Setup[] {
    return SETUP_NAMES.map((name) => {
      const values = this.#setup(name)?.values;
      if (values === undefined) return { name, isSet: false, values: {}, stored: [] };
      const stored = SETUP_FIELDS[name].filter((field) => isHidden(field) && this.#has(field.key));
      return { name, isSet: true, values, stored: stored.map(({ key }) => key) };
    });
  }

  /**
   * Throws `invalid` where a secret is missing or a certificate cannot be read. A stored secret is used again
   * only where the sink sends to the same place: otherwise an owner could learn it by naming a server of their own.
   */
  check({ name, values }: GivenSetup, isOperator: boolean): void {
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
    // A parameter could name a file or a socket of the gateway.
    if (!isOperator && !isSamePlace && String(values["central_database"]).includes("?")) {
      throw invalidField("central_database", { kind: "type", message: "must have no parameters" });
    }
    // An owner's would reach the pages of the clinic's other machines, of which many need no certificate.
    if (!isOperator && String(values["pulse_url"]).startsWith("http:")) {
      throw invalidField("pulse_url", { kind: "type", message: "must be an https:// address" });
    }
    for (const { key, kind } of SETUP_FIELDS[name]) {
      const text = values[key];
      if (kind !== "certificate" || text === undefined || areCertificates(String(text))) continue;
      throw invalidField(key, { kind: "type", message: "must be certificates in PEM" });
    }
  }

  /** Whether a setup sends to where the stored one does, by the same authority. */
  #isSamePlace(name: SetupName, values: GivenSetup["values"]): boolean {
    const before = this.#setup(name);
    if (before === undefined) return false;
    return SETUP_FIELDS[name].every(({ key, kind, isDestination }) => {
      if (kind === "certificate") return values[key] === undefined;
      return isDestination !== true || values[key] === before.values[key];
    });
  }

  /** Stores a checked setup durably. A stored secret that it does not give stays. */
  set({ name, values }: GivenSetup, isOperator: boolean): void {
    // The sink is off while its secrets are replaced: after
    // a crash in between no secret goes to the wrong place.
    this.#save({ ...this.#kept, setups: this.#setupsWithout(name) });
    for (const field of SETUP_FIELDS[name].filter(isHidden)) {
      const text = values[field.key];
      const isUseless = field.besides !== undefined && values[field.besides] === "";
      if (isUseless) rmSync(this.#secret(field.key), { force: true });
      else if (text !== undefined) writeDurably(this.#secret(field.key), `${text}\n`);
    }
    this.#decide(name, [withoutHidden({ name, values })], isOperator);
  }

  /** Forgets a setup and its secrets, durably. */
  clear(name: SetupName): void {
    this.#decide(name, [], false);
    for (const { key } of SETUP_FIELDS[name].filter(isHidden)) rmSync(this.#secret(key), { force: true });
  }

  #setup(name: SetupName): StoredSettings["setups"][number] | undefined {
    return this.#kept.setups.find((one) => one.name === name);
  }

  #setupsWithout(name: SetupName): StoredSettings["setups"] {
    return this.#kept.setups.filter((one) => one.name !== name);
  }

  /** Stores what a setup is from now on, whatever the settings file says of it. */
  #decide(name: SetupName, setup: StoredSettings["setups"], isOperator: boolean): void {
    const others = (names: readonly SetupName[]) => names.filter((one) => one !== name);
    const { decided, operated } = this.#kept;
    this.#save({
      setups: [...this.#setupsWithout(name), ...setup],
      decided: [...others(decided), name],
      operated: [...others(operated), ...(isOperator ? [name] : [])],
    });
    this.#failed.delete(name);
  }

  #save(kept: StoredSettings): void {
    makeDirectory(this.#options.directory);
    writeDurably(this.#file(), `${JSON.stringify(kept)}\n`);
    this.#kept = kept;
    this.#isUnreadable = false;
  }

  #file(): string {
    return join(this.#options.directory, SETUPS_FILE);
  }

  #secret(key: string): string {
    return join(this.#options.directory, key);
  }

  #has(key: string): boolean {
    return existsSync(this.#secret(key));
  }
}

const SETUPS_FILE = "setups.json";

/**
 * Turns the sinks off for another clinic's ledger, which they would send to this one's people: sets them
 * aside, with what waits for them. Gives where they are kept; null where none was ever set up.
 */
export function setSinksAside({ sinks, forward }: DataDirectory, nowMs: number): string | null {
  const aside = (directory: string) => `${directory}.replaced-${nowMs}`;
  if (existsSync(forward)) renameSync(forward, aside(forward));
  if (!existsSync(sinks)) return null;
  renameSync(sinks, aside(sinks));
  // The settings file may still say what was taken over of it.
  const off: StoredSettings = { ...NONE, decided: SETUP_NAMES };
  makeDirectory(sinks);
  writeDurably(join(sinks, SETUPS_FILE), `${JSON.stringify(off)}\n`);
  return aside(sinks);
}

/**
 * The setup that a settings file describes, with the content of the files that it names;
 * undefined where it describes none. Throws `config`, also where such a file cannot be read.
 */
export function setupIn(
  name: SetupName,
  settings: Readonly<Record<string, unknown>>,
): GivenSetup | undefined {
  const fields = SETUP_FIELDS[name];
  const destination = fields.find(({ isDestination }) => isDestination === true);
  const isDescribed = destination
    ? settings[fileKeyOf(destination)]
    : fields.some(({ key }) => key in settings);
  if (!isDescribed) return undefined;
  return parseSetup(name, Object.fromEntries(fields.map((field) => [field.key, valueIn(field, settings)])));
}

/** The setup that these values make. Throws `config` with each mistake. */
export function parseSetup(name: SetupName, values: Readonly<Record<string, unknown>>): GivenSetup {
  const fields = SETUP_FIELDS[name];
  const { data, error } = setupSchema.safeParse({ name, values }, { jitless: true, error: mistakeOf });
  const missing = fields.filter(
    ({ key, kind, isRequired }) => kind === "secret" && isRequired && values[key] === undefined,
  );
  const mistakes = [
    ...missing.map((field) => `${fileKeyOf(field)} is required.`),
    ...(error?.issues ?? []).map(({ path, message }) => `${path.slice(1).join(".")} ${message}.`),
  ];
  if (data !== undefined && mistakes.length === 0) return data;
  throw new FlancoError("config", mistakes.join(" "), {
    hint: `Of ${name} there are ${fields.map(fileKeyOf).join(", ")}.`,
  });
}

function valueIn(field: SetupField, settings: Readonly<Record<string, unknown>>): unknown {
  const value = settings[fileKeyOf(field)];
  if (typeof value !== "string") return value;
  switch (field.kind) {
    case "secret":
      return value === "" ? undefined : readSecret(value);
    case "certificate": {
      if (value === "") return undefined;
      const text = readConfigured(value);
      // Tools write what a certificate says beside it.
      return text.match(CERTIFICATE)?.join("\n") ?? text;
    }
    // The environment has texts alone.
    case "list":
    case "choices":
      return value === "" ? [] : value.split(",").map((part) => part.trim());
    case "number":
      return Number(value);
    case "switch":
      return value === "true";
    default:
      return value;
  }
}

/** A setup without its hidden fields, which are in files of their own. */
function withoutHidden({ name, values }: GivenSetup): StoredSettings["setups"][number] {
  const shown = SETUP_FIELDS[name].flatMap((field) => {
    const value = values[field.key];
    return isHidden(field) || value === undefined ? [] : [[field.key, value] as const];
  });
  return { name, values: Object.fromEntries(shown) };
}

/** A secret that stands beside another field is needed only with that. */
function isNeededSecret({ kind, besides, isMade }: SetupField, values: GivenSetup["values"]): boolean {
  return kind === "secret" && isMade !== true && (besides === undefined || values[besides] !== "");
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
