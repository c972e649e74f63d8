import { join } from "node:path";
import type { Config } from "./schema.ts";

/** How this program is run: from a checkout, to be looked at, or installed, to watch real lines. */
export interface Setting {
  /** The checkout's folder; null when the program is installed. */
  readonly checkout: string | null;
}

/** The file that is read when none is named, and there. */
export const INSTALLED_CONFIG_FILE = "/etc/flanco/flanco.toml";

/** What a large clinic sells in a day: 500 rooms, 20 sales each. */
const LARGE_CLINIC_RECORDS = 10_000;
/** What a record takes in the ledger, with names of usual length. */
const RECORD_BYTES = 250;

const INSTALLED: Config = {
  data_dir: "/var/lib/flanco",
  backup_dir: "",
  backup_disk_dir: "",
  host: "",
  https_port: 8443,
  http_port: 8080,
  trust_page: true,
  certificates_dir: "",
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  currency: "EUR",
  currency_decimals: 2,
  daily_records: 100 * LARGE_CLINIC_RECORDS,
  daily_bytes: 100 * LARGE_CLINIC_RECORDS * RECORD_BYTES,
  clock_trust: "auto",
  gpio_driver: "chardev",
  simulated_lines: 24,
  simulated_trace: "",
  box_broker: "",
  box_user: "",
  box_broker_login: "",
  box_broker_password_file: "",
  box_broker_authority_file: "",
  central_database: "",
  central_password_file: "",
  central_authority_file: "",
  mqtt_url: "",
  mqtt_login: "",
  mqtt_password_file: "",
  mqtt_authority_file: "",
  mqtt_topic: "flanco",
  mqtt_discovery_topic: "homeassistant",
  metrics: false,
  metrics_token_file: "",
  demo: false,
  allowed_origins: [],
  host_names: [],
  trusted_proxies: [],
  gateway_name: "",
  announce: true,
  first_user_email: "",
  email_server: "",
  email_login: "",
  email_password_file: "",
  email_authority_file: "",
  email_from: "",
  email_to: [],
  webhook_url: "",
  webhook_key_file: "",
  webhook_authority_file: "",
  notice_language: "es",
  notice_quiet_hours: "",
  notice_silent_days: 0,
  notice_summaries: [],
  log_level: "info",
};

export function defaultConfig(setting: Setting): Config {
  if (setting.checkout === null) return INSTALLED;
  return {
    ...INSTALLED,
    data_dir: join(setting.checkout, "data"),
    clock_trust: "always",
    gpio_driver: "simulated",
    demo: true,
  };
}
