import type { Bias } from "./line.ts";
import { DEFAULT_DEBOUNCE_MS, type WiringSettings } from "./wiring.ts";

/** Edges of one line within this time of each other belong to one switching: no hand and no relay is as fast. */
export const SWITCHING_MS = 200;
/** A debounce must be this many times the longest bounce: a contact gets worse with age. */
const BOUNCE_MARGIN = 2;
const STEP_MS = 10;

/** A level that a line came to. */
interface LevelChange {
  readonly line: string;
  readonly atMs: number;
}

/** How much the contact of a line bounces. */
export interface Bounce {
  readonly line: string;
  readonly switchings: number;
  /** The most edges of one switching; 1 for a contact that does not bounce. */
  readonly mostEdges: number;
  /** From the first edge of a switching to its last, at most. */
  readonly longestMs: number;
  /** A debounce under which no such bounce is a sale of its own: the default one, or twice the longest bounce. */
  readonly debounceMs: number;
}

/**
 * What each line's contact does at its switchings, by the line's
 * name. `changes` are in order of time, without debounce.
 */
export function measureBounces(changes: readonly LevelChange[]): readonly Bounce[] {
  const byLine = Map.groupBy(changes, ({ line }) => line);
  return [...byLine].map(([line, edges]) => bounceOf(line, edges)).sort((a, b) => (a.line < b.line ? -1 : 1));
}

/** How much one line's contact bounces. `edges` are in order of time, without debounce. */
function bounceOf(line: string, edges: readonly Pick<LevelChange, "atMs">[]): Bounce {
  const switchings = switchingsOf(edges);
  const mostEdges = Math.max(0, ...switchings.map((switching) => switching.edges));
  const longestMs = Math.max(0, ...switchings.map(({ begunMs, lastMs }) => lastMs - begunMs));
  const debounceMs = Math.max(
    DEFAULT_DEBOUNCE_MS,
    Math.ceil((longestMs * BOUNCE_MARGIN) / STEP_MS) * STEP_MS,
  );
  return { line, switchings: switchings.length, mostEdges, longestMs, debounceMs };
}

/** The edges of one switching. */
interface Switching {
  readonly begunMs: number;
  readonly lastMs: number;
  readonly edges: number;
}

/** Edges of one line, in order of time, put together to switchings. */
function switchingsOf(edges: readonly Pick<LevelChange, "atMs">[]): readonly Switching[] {
  const switchings: Switching[] = [];
  for (const { atMs } of edges) {
    const open = switchings.at(-1);
    if (open === undefined || atMs - open.lastMs > SWITCHING_MS) {
      switchings.push({ begunMs: atMs, lastMs: atMs, edges: 1 });
    } else {
      switchings[switchings.length - 1] = { begunMs: open.begunMs, lastMs: atMs, edges: open.edges + 1 };
    }
  }
  return switchings;
}

/**
 * What a line is found to be when its room's relay is switched on and
 * off. `unwired`: the room has no line. All but `good` need attention.
 */
export const VERDICTS = [
  "good",
  "chattering",
  "silent",
  "inverted",
  "swapped",
  "floating",
  "unwired",
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The likely cause of a verdict that needs attention. */
export const CAUSES = [
  "bounce", // the contact bounces longer than its debounce
  "no_signal", // nothing moved: a cut wire, no common ground, or a relay that does not switch
  "polarity", // the line is active while the relay is off
  "other_line", // another line moved
  "no_pull_up", // nothing moved, and a contact to ground moves a line only that is pulled up
  "no_bias", // nothing holds the line at its level at rest
  "loose_wire", // a bias holds it, and it moves all the same
  "no_line", // no line is wired to the room
] as const;
export type Cause = (typeof CAUSES)[number];

/** The setting that mends it. */
export const MENDED_SETTINGS = ["debounce", "bias", "polarity", "line"] as const;

/**
 * How a line is to be wired so that the next switching is good:
 * the whole wiring of the contact, one setting of it changed.
 */
export interface Mend extends Contact {
  readonly setting: (typeof MENDED_SETTINGS)[number];
}

/** The settings of a line that belong to its contact and its wires, not to its room. */
export type ContactSettings = Pick<WiringSettings, "activeLow" | "bias" | "debounceMs">;

/** A line with the settings of its contact. */
export interface Contact extends ContactSettings {
  readonly line: string;
}

/** A wiring without what belongs to its room. */
export function contactOf({ line, activeLow, bias, debounceMs }: Contact): Contact {
  return { line, activeLow, bias, debounceMs };
}

/** A level that a line came to. */
export interface SeenLevel {
  /** activeLow applied. */
  readonly active: boolean;
  /** Monotonic milliseconds. */
  readonly atMs: number;
}

/** Levels of one line that are kept: a line that moves more often than this is floating. */
export const MAX_SEEN_LEVELS = 1_000;

/** What was seen of a line since its room was asked for, or since the commissioning began. */
export interface Observation {
  /** The level that it began with, activeLow applied. */
  readonly restActive: boolean;
  /** Without debounce, in their order, at most MAX_SEEN_LEVELS. */
  readonly levels: readonly SeenLevel[];
  /** Whether there were more levels than are kept, or some were lost because they came too fast. */
  readonly overflowed: boolean;
}

/** What was measured of a line. */
export interface LineMeasurement {
  readonly switchings: number;
  readonly edges: number;
  /** The most edges of one switching; 1 for a contact that does not bounce. */
  readonly mostEdges: number;
  /** From the first edge of a switching to its last, at most, in whole milliseconds, rounded up. */
  readonly longestMs: number;
  /** The physical level at rest: true is high. */
  readonly restHigh: boolean;
}

export interface Judgement {
  /** Null while it is not known: the relay was not switched on and off yet. */
  readonly verdict: Verdict | null;
  readonly cause: Cause | null;
  /** Null where no setting mends it. */
  readonly mend: Mend | null;
  readonly measured: LineMeasurement | null;
}

/** A judgement without what was measured. */
type Conclusion = Omit<Judgement, "measured">;

/** A room that a person was asked to switch on and off, and what else moved since then. */
export interface Prompt {
  readonly waitedMs: number;
  /** A line that is not the room's own, and switched first since then. */
  readonly otherLine: string | null;
}

/** A room whose line does not move within this time is silent. */
export const SILENT_MS = 20_000;
/** A line that bounces for longer is driven by no contact. */
const FLOATING_MS = 500;
/** So is a line with this many edges in one switching. */
const FLOATING_EDGES = 100;
/**
 * So is a line with this many switchings that end at the
 * level before: a contact's bounce ends at the other level.
 */
const FLOATING_PULSES = 3;

/** The settings for the line of a room that had none. */
const USUAL_CONTACT: ContactSettings = { activeLow: false, bias: "as-is", debounceMs: DEFAULT_DEBOUNCE_MS };
const UNKNOWN: Conclusion = { verdict: null, cause: null, mend: null };
const GOOD: Conclusion = { verdict: "good", cause: null, mend: null };

/**
 * Judges a room by what was seen of its line. Pure.
 * @param wired the room's line; null for a room without one
 * @param asking null where no person was asked to switch the room: then other lines tell nothing about it
 * @param nowMs monotonic milliseconds, of the same boot as the levels
 */
export function judgeRoom(
  wired: Contact | null,
  seen: Observation,
  asking: Prompt | null,
  nowMs: number,
): Judgement {
  if (wired === null) return { ...judgeUnwired(asking), measured: null };
  const contact = contactOf(wired);
  const measured = measure(seen, contact);
  return { ...conclude(contact, seen, measured, asking, nowMs), measured };
}

/** The rules, in the order in which they apply, for a room that has a line. */
function conclude(
  contact: Contact,
  seen: Observation,
  measured: LineMeasurement,
  asking: Prompt | null,
  nowMs: number,
): Conclusion {
  const last = seen.levels.at(-1);
  if (last === undefined) return judgeStill(contact, measured, asking);
  if (isFloating(seen)) return floating(contact);
  const isSettled = nowMs - last.atMs > SWITCHING_MS;
  if (!isSettled || last.active) return UNKNOWN;
  // Without the question the room may have been on when it began.
  if (seen.restActive) return asking === null ? UNKNOWN : inverted(contact);
  if (measured.switchings < 2) return UNKNOWN;
  const isChattering = measured.longestMs * BOUNCE_MARGIN > contact.debounceMs;
  return isChattering ? chattering(contact, seen) : GOOD;
}

/** Whether a line moves as no relay moves it. */
export function isFloating({ levels, overflowed }: Observation): boolean {
  if (overflowed) return true;
  const switchings = switchingsOf(levels);
  const pulses = switchings.filter(({ edges }) => edges % 2 === 0).length;
  const isStorm = ({ edges, begunMs, lastMs }: Switching) =>
    edges >= FLOATING_EDGES || lastMs - begunMs > FLOATING_MS;
  return pulses >= FLOATING_PULSES || switchings.some(isStorm);
}

/** A room without a line: it takes the one that moved. */
function judgeUnwired(asking: Prompt | null): Conclusion {
  const line = asking?.otherLine ?? null;
  const mend: Mend | null = line === null ? null : { setting: "line", ...USUAL_CONTACT, line };
  return { verdict: "unwired", cause: "no_line", mend };
}

/** A line that did not move. */
function judgeStill(contact: Contact, { restHigh }: LineMeasurement, asking: Prompt | null): Conclusion {
  if (asking === null) return UNKNOWN;
  if (asking.otherLine !== null) {
    const mend: Mend = { setting: "line", ...contact, line: asking.otherLine };
    return { verdict: "swapped", cause: "other_line", mend };
  }
  if (asking.waitedMs < SILENT_MS) return UNKNOWN;
  if (restHigh || isHeld(contact)) return { verdict: "silent", cause: "no_signal", mend: null };
  return { verdict: "silent", cause: "no_pull_up", mend: { setting: "bias", ...contact, bias: "pull-up" } };
}

function isHeld({ bias }: Contact): boolean {
  return bias === "pull-up" || bias === "pull-down";
}

function floating(contact: Contact): Conclusion {
  if (isHeld(contact)) return { verdict: "floating", cause: "loose_wire", mend: null };
  const towardsRest: Bias = contact.activeLow ? "pull-up" : "pull-down";
  return { verdict: "floating", cause: "no_bias", mend: { setting: "bias", ...contact, bias: towardsRest } };
}

function inverted(contact: Contact): Conclusion {
  const mend: Mend = { setting: "polarity", ...contact, activeLow: !contact.activeLow };
  return { verdict: "inverted", cause: "polarity", mend };
}

function chattering(contact: Contact, { levels }: Observation): Conclusion {
  const { debounceMs } = bounceOf(contact.line, levels);
  return { verdict: "chattering", cause: "bounce", mend: { setting: "debounce", ...contact, debounceMs } };
}

function measure({ levels, restActive }: Observation, { activeLow }: ContactSettings): LineMeasurement {
  const { switchings, mostEdges, longestMs } = bounceOf("", levels);
  return {
    switchings,
    mostEdges,
    edges: levels.length,
    longestMs: Math.ceil(longestMs),
    restHigh: restActive !== activeLow,
  };
}
