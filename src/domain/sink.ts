import type { ChainEntry, ChainHead } from "./chain-entry.ts";
import type { Change } from "./change.ts";
import { LANGUAGES } from "./language.ts";
import { NOTICE_SUMMARIES } from "./notice.ts";

/** The sinks that there are. Each is off until it is set up. */
export const SINK_NAMES = ["email", "webhook", "pulse", "mqtt", "central", "remote"] as const;
export type SinkName = (typeof SINK_NAMES)[number];

/** What is set up: each sink, what the notices say, and when updates come. */
export const SETUP_NAMES = [...SINK_NAMES, "notice", "update"] as const;
export type SetupName = (typeof SETUP_NAMES)[number];

/** One value of a setup. */
export interface SetupField {
  /** Its name. A file of setups names the file of a hidden value in its place, by `<key>_file`. */
  readonly key: string;
  /** `certificate`: PEM; it may be left out, and is kept like a secret. */
  readonly kind: "text" | "list" | "number" | "switch" | "choice" | "choices" | "secret" | "certificate";
  /** The value where none is given, if it is not empty, 0 or off. */
  readonly usual?: string;
  readonly isRequired?: true;
  /** Whether it says where the sink sends, or as whom. When it changes, stored secrets must be given again. */
  readonly isDestination?: true;
  /** The field beside which alone this secret is needed. */
  readonly besides?: string;
  /** Least length of a secret; 1 where it is absent. */
  readonly least?: number;
  readonly choices?: readonly string[];
  /** A secret that flanco makes: no form asks for it. */
  readonly isMade?: true;
}

/** When updates come, unless others were chosen. */
export const UPDATE_HOURS = "04:00-06:00";

const FIELDS = {
  email: [
    { key: "email_server", kind: "text", isRequired: true, isDestination: true },
    { key: "email_login", kind: "text", isDestination: true },
    { key: "email_password", kind: "secret", besides: "email_login" },
    { key: "email_from", kind: "text", isRequired: true },
    { key: "email_to", kind: "list", isRequired: true },
    { key: "email_authority", kind: "certificate" },
  ],
  webhook: [
    { key: "webhook_url", kind: "text", isRequired: true, isDestination: true },
    { key: "webhook_key", kind: "secret", isRequired: true, least: 32 },
    { key: "webhook_authority", kind: "certificate" },
  ],
  pulse: [
    // The address alone lets a program send pulses in the gateway's place.
    { key: "pulse_url", kind: "secret", isRequired: true, isDestination: true },
    { key: "pulse_authority", kind: "certificate" },
  ],
  mqtt: [
    { key: "mqtt_url", kind: "text", isRequired: true, isDestination: true },
    { key: "mqtt_login", kind: "text", isDestination: true },
    { key: "mqtt_password", kind: "secret", besides: "mqtt_login" },
    { key: "mqtt_authority", kind: "certificate" },
    { key: "mqtt_topic", kind: "text", usual: "flanco", isRequired: true },
    { key: "mqtt_discovery_topic", kind: "text", usual: "homeassistant" },
    { key: "mqtt_history", kind: "switch" },
  ],
  central: [
    { key: "central_database", kind: "text", isRequired: true, isDestination: true },
    { key: "central_password", kind: "secret", isRequired: true },
    { key: "central_authority", kind: "certificate" },
  ],
  remote: [
    { key: "remote_address", kind: "text", isRequired: true, isDestination: true },
    { key: "remote_login", kind: "text", isRequired: true, isDestination: true },
    { key: "remote_password", kind: "secret", isRequired: true },
    { key: "remote_host_key", kind: "text", isDestination: true },
    { key: "remote_authority", kind: "certificate" },
    { key: "remote_limit", kind: "number" },
    { key: "remote_passphrase", kind: "secret", isMade: true, least: 20 },
  ],
  notice: [
    { key: "notice_language", kind: "choice", usual: "es", choices: LANGUAGES },
    { key: "notice_quiet_hours", kind: "text" },
    { key: "notice_silent_days", kind: "number" },
    { key: "notice_summaries", kind: "choices", choices: NOTICE_SUMMARIES },
  ],
  update: [{ key: "update_hours", kind: "text", usual: UPDATE_HOURS }],
} as const satisfies Readonly<Record<SetupName, readonly SetupField[]>>;

/** Each setup's fields, in the order of a form. */
export const SETUP_FIELDS: Readonly<Record<SetupName, readonly SetupField[]>> = FIELDS;

type FieldOf<N extends SetupName> = (typeof FIELDS)[N][number];
type HiddenField<N extends SetupName> = Extract<FieldOf<N>, { kind: "secret" | "certificate" }>;
/** The keys that are shown. */
export type ShownKey<N extends SetupName> = Exclude<FieldOf<N>, HiddenField<N>>["key"];
/** The keys of the files that hold the other values. */
export type FileKey<N extends SetupName> = `${HiddenField<N>["key"]}_file`;

/** Whether a field is stored in a file of its own and never shown. */
export function isHidden({ kind }: SetupField): boolean {
  return kind === "secret" || kind === "certificate";
}

/** The key that a field has where files are named in place of hidden values. */
export function fileKeyOf(field: SetupField): string {
  return isHidden(field) ? `${field.key}_file` : field.key;
}

/** The value of a shown field that nobody has given. */
export function usualOf({ kind, usual }: SetupField): SetupValue {
  if (usual !== undefined) return usual;
  if (kind === "number") return 0;
  if (kind === "switch") return false;
  return kind === "list" || kind === "choices" ? [] : "";
}

export type SetupValue = string | number | boolean | readonly string[];
export type SetupValues = Readonly<Record<string, SetupValue>>;

/** A setup as it is in force. */
export interface Setup {
  readonly name: SetupName;
  readonly isSet: boolean;
  /** Its values, without what is hidden. */
  readonly values: SetupValues;
  /** Keys of the hidden fields that are stored. */
  readonly stored: readonly string[];
}

/** A setup as it is given: every shown field, and what is hidden where it is new. */
export interface GivenSetup {
  readonly name: SetupName;
  readonly values: Readonly<Record<string, SetupValue | undefined>>;
}

/** A zone or currency that is another one here than at a sink. */
export interface SettingDifference {
  readonly here: string;
  readonly there: string;
}

/** A system outside of the gateway that batches are sent to. */
export interface Sink<Batch, Answer = void> {
  readonly name: SinkName;
  /** How long a delivery may take, in milliseconds; half a minute where it is absent. */
  readonly deliverMs?: number;
  /** The longest pause between two tries, in milliseconds; five minutes where it is absent. */
  readonly lastRetryMs?: number;
  /**
   * By how much this machine's clock was ahead of the other side's
   * at the last call; null, or absent, where that is not known.
   */
  readonly clockOffMs?: number | null;
  /** Settings by which the other side counts otherwise, as it said at the last call. */
  readonly differences?: readonly SettingDifference[];
  /** Begins what the sink does besides delivering batches. Throws nothing, and does not wait. */
  open?(): void;
  /**
   * Called after each commit with its changes. The last ones
   * may be missing when the service ends. Throws nothing.
   */
  apply?(changes: readonly Change[]): void;
  /**
   * Resolves once the other side has stored the whole batch durably, and rejects where that
   * is not known: its content is then delivered again, perhaps in other batches. The other
   * side therefore drops what it has. Must end soon after `signal` is aborted. Rejects with a
   * FlancoError whose message is one line for people and holds no secret; its code is
   * `unprocessable` where the other side refuses this batch for good, and would take another.
   */
  deliver(batch: Batch, signal: AbortSignal): Promise<Answer>;
  /**
   * Sends a test that the other side shows as such, or, where nothing can be shown, proves that it
   * would take a batch. Resolves with one line that says what was done. Rejects as `deliver` does.
   */
  test(signal: AbortSignal): Promise<string>;
  /**
   * Ends its connections. Called once, when nothing is under way.
   * @param isForGood whether the sink was turned off: it takes back what it left at the other side
   */
  close?(isForGood?: boolean): Promise<void>;
}

/** Entries of one ledger that follow each other in its chain. */
export interface EntryBatch {
  /** The identity of the ledger. With an entry's position and hash it is the identity of the entry. */
  readonly ledger: string;
  /** At least one, in the order of the chain. */
  readonly entries: readonly ChainEntry[];
  /** Entries that wait behind this batch. */
  readonly waiting: number;
}

/**
 * A sink that gets every entry of the chain. `deliver` resolves with the newest entry up to which the
 * other side has the chain, where it knows that, or null: it has the batch. The forwarder continues
 * after that entry, be it before the batch because the other side went back to a backup, or behind it.
 */
export type EntrySink = Sink<EntryBatch, ChainHead | null>;
