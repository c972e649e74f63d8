import type { FaultReading } from "../fault.ts";
import type { Pair } from "../language.ts";

export const MEGABYTE = 1_000_000;

/** How bad a fault is, the worst first. */
export const SEVERITIES = [
  /** Sales are lost or refused meanwhile: people are told of it at any hour. */
  "grave",
  "alarm",
  /** A clinic can go on working, and everything is recorded. */
  "warning",
  /** A warning for those alone who see the state of the gateway, and can see to it. */
  "note",
] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What `flanco doctor` examines, in the order shown, and why it matters. */
export const CHECKS = {
  service: "Without the service no sale is recorded.",
  lines: "A line that is not watched records no sale.",
  clock: "A sale gets the time of this clock.",
  ledger: "The ledger is the proof of every sale.",
  backup: "A lost card without a backup is a lost ledger.",
  disk: "A full disk refuses sales, and a slow one delays them.",
  card: "A card that wears out loses what was written to it.",
  power: "Low voltage restarts the gateway and damages cards.",
  temperature: "A hot gateway is slow and ages fast.",
  memory: "Without memory the kernel ends programs.",
  sinks: "What leaves the gateway is missing elsewhere until it is sent.",
  certificate: "Browsers warn of a certificate that has ended.",
  name: "The page is found on the local network by this name.",
  package: "A newer version mends what was found since.",
} as const;
export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[];

/** The values in a fault's text, for translations. Times are in Unix milliseconds. */
export type FaultDetails = Readonly<Record<string, string | number>>;

/**
 * Values in a fault's text, formatted for people. A missing value is an empty text, or 0: a role
 * without money gets none that counts sales, and each text does without them.
 */
export interface FaultValues {
  readonly number: (name: string) => number;
  readonly count: (name: string) => string;
  /** A number with its noun: `1 sale`, `1,204 sales`; `none` where it is not told. */
  readonly some: (name: string, one: string, many: string, none?: string) => string;
  readonly bytes: (name: string) => string;
  readonly moment: (name: string) => string;
  readonly text: (name: string) => string;
}

type PeopleText = Pair<string> | ((values: FaultValues) => Pair<string>);

/** The details of a fault's message: none, or one object. */
type Details = readonly [] | readonly [FaultDetails];
type FoundDetails<D extends Details> = D extends readonly [infer Of] ? Of : Readonly<Record<string, never>>;

interface FaultDescription<D extends Details> {
  /** When it is one, for the reference. */
  readonly when: string;
  /** The details of each that a reading tells of. Without it, other parts of the service report the fault. */
  find?(reading: FaultReading): FoundDetails<D> | readonly FoundDetails<D>[] | null;
  /** When it began, in Unix milliseconds. Without it, when it was first seen. */
  beganMs?(reading: FaultReading, details: FoundDetails<D>): number;
  /** The fault in one sentence for a technician. */
  message(...details: D): string;
  /** What a technician does about it. */
  readonly hint: string;
  /** The detail by which faults of this code are told apart: it stays the same while a fault lasts. */
  readonly of?: keyof FoundDetails<D> & string;
  /** It tells of something past, and ends a day after it. */
  readonly isPast?: true;
  /** The details that tell how much was sold, or who sells. The texts do without them. */
  readonly sales?: readonly (keyof FoundDetails<D> & string)[];
  /** The fault, and what to do about it, for people who are not technical. */
  readonly what: PeopleText;
  readonly todo: PeopleText;
}

/** All that is known of a fault by its code. */
export interface FaultEntry<D extends Details = readonly [FaultDetails]> extends FaultDescription<D> {
  readonly severity: Severity;
  readonly check: CheckName;
}

/** Makes entries of a severity. The parts of each agree on its details. */
function entriesOf(severity: Severity) {
  return <D extends Details>(check: CheckName, description: FaultDescription<D>): FaultEntry<D> => ({
    severity,
    check,
    ...description,
  });
}

export const grave = entriesOf("grave");
export const alarm = entriesOf("alarm");
export const warning = entriesOf("warning");
export const note = entriesOf("note");

/** Some, where their number is not to be told. */
export function counted(count: number | undefined, noun: string): string {
  if (count === undefined) return `some ${noun}s`;
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function megabytes(bytes: number): number {
  return Math.floor(bytes / MEGABYTE);
}

export function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

export function after(text: string): string {
  return text === "" ? "" : `: ${text}`;
}
