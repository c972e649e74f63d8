import { LANGUAGES } from "./language.ts";
import { NOTICE_SUMMARIES } from "./notice.ts";

/** The sinks that there are. Each is off until it is configured. */
export const SINK_NAMES = ["email", "webhook", "mqtt", "central"] as const;
export type SinkName = (typeof SINK_NAMES)[number];

/** What an owner sets up on the page: each sink, and what the notices say. */
export const SETUP_NAMES = [...SINK_NAMES, "notice"] as const;
export type SetupName = (typeof SETUP_NAMES)[number];

/** One value of a setup. */
export interface SetupField {
  /**
   * The key of the setting in flanco.toml. For a secret and a certificate flanco.toml
   * names a file, by the setting `<key>_file`; a setup has the text itself.
   */
  readonly key: string;
  /** `certificate`: PEM; it may be left out, and is kept like a secret. */
  readonly kind: "text" | "list" | "number" | "choice" | "choices" | "secret" | "certificate";
  readonly isRequired?: true;
  /** Whether it says where the sink sends, or as whom. When it changes, stored secrets must be given again. */
  readonly isPlace?: true;
  /** The field beside which alone this secret is needed. */
  readonly besides?: string;
  /** Least length of a secret; 1 where it is absent. */
  readonly least?: number;
  readonly choices?: readonly string[];
}

/** Each setup's fields, in the order of a form. */
export const SETUP_FIELDS: Readonly<Record<SetupName, readonly SetupField[]>> = {
  email: [
    { key: "email_server", kind: "text", isRequired: true, isPlace: true },
    { key: "email_login", kind: "text", isPlace: true },
    { key: "email_password", kind: "secret", besides: "email_login" },
    { key: "email_from", kind: "text", isRequired: true },
    { key: "email_to", kind: "list", isRequired: true },
    { key: "email_authority", kind: "certificate" },
  ],
  webhook: [
    { key: "webhook_url", kind: "text", isRequired: true, isPlace: true },
    { key: "webhook_key", kind: "secret", isRequired: true, least: 32 },
    { key: "webhook_authority", kind: "certificate" },
  ],
  mqtt: [
    { key: "mqtt_url", kind: "text", isRequired: true, isPlace: true },
    { key: "mqtt_login", kind: "text", isPlace: true },
    { key: "mqtt_password", kind: "secret", besides: "mqtt_login" },
    { key: "mqtt_authority", kind: "certificate" },
  ],
  central: [
    { key: "central_database", kind: "text", isRequired: true, isPlace: true },
    { key: "central_password", kind: "secret", isRequired: true },
    { key: "central_authority", kind: "certificate" },
  ],
  notice: [
    { key: "notice_language", kind: "choice", choices: LANGUAGES },
    { key: "notice_quiet_hours", kind: "text" },
    { key: "notice_silent_days", kind: "number" },
    { key: "notice_summaries", kind: "choices", choices: NOTICE_SUMMARIES },
  ],
};

/** Whether a field is stored in a file of its own and never shown. */
export function isHidden({ kind }: SetupField): boolean {
  return kind === "secret" || kind === "certificate";
}

export type SetupValue = string | number | readonly string[];
export type SetupValues = Readonly<Record<string, SetupValue>>;

/** A setup as it is in force. */
export interface Setup {
  readonly name: SetupName;
  /** Where it is made: in flanco.toml, which wins, or on the page; null where it is not. */
  readonly madeIn: "file" | "page" | null;
  /** As they were given on the page, without what is hidden. */
  readonly values: SetupValues;
  /** Keys of the hidden fields that are stored. */
  readonly stored: readonly string[];
}

/** A setup as it is given: every shown field, and what is hidden where it is new. */
export interface GivenSetup {
  readonly name: SetupName;
  readonly values: Readonly<Record<string, SetupValue | undefined>>;
}
