import type { Config, ConfigKey } from "../config/schema.ts";
import type { Log } from "../domain/log.ts";

/** The settings that a service takes over while it runs; every other one is read at its start alone. */
const LIVE_KEYS = ["allowed_origins", "host_names", "log_level"] as const satisfies readonly ConfigKey[];

/** The part of the configuration that may change while the service runs. */
export type LiveSettings = Pick<Config, (typeof LIVE_KEYS)[number]>;

/**
 * Reads the configuration again, and logs which settings take effect and which wait for a restart. Never throws: when
 * the configuration has mistakes, the settings in force stay. `live` are these; the service started with `started`.
 */
export function reread(started: Config, live: LiveSettings, read: () => Config, log: Log): LiveSettings {
  let found: Config;
  try {
    found = read();
  } catch (error) {
    log.error({ err: error }, "the configuration has mistakes: the settings in force stay");
    return live;
  }
  const isLive = (key: ConfigKey) => LIVE_KEYS.some((one) => one === key);
  const keys = Object.keys(found) as ConfigKey[];
  const waiting = keys.filter((key) => !isLive(key) && differ(found[key], started[key]));
  if (waiting.length > 0) {
    log.warn({ settings: waiting }, "changed settings wait for a restart (systemctl restart flanco)");
  }
  const taken = LIVE_KEYS.filter((key) => differ(found[key], live[key]));
  log.info({ settings: taken }, "the configuration was read again");
  const { allowed_origins, host_names, log_level } = found;
  return { allowed_origins, host_names, log_level };
}

/** Settings are texts, numbers, switches and lists of texts. */
function differ(one: Config[ConfigKey], other: Config[ConfigKey]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
