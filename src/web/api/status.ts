import type { Api } from "./api.ts";
import { flag, type Json, list, number, numberOrNull, object, objectOrNull, text } from "./read.ts";

/** What a person must see to. */
export interface Fault {
  /** Which one it is: the page says it in the user's language. */
  readonly code: string;
  readonly sinceMs: number;
  /** The server's own texts, in English: what it is, and what to do. */
  readonly message: string;
  readonly hint: string;
  /** Values for the text; which ones goes by the code. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** The money that every amount is in. */
export interface Currency {
  /** ISO 4217: `EUR`. */
  readonly code: string;
  readonly decimals: number;
}

/** The last edge of a line that is wired to a room. */
export interface LastEdge {
  readonly line: string;
  readonly deviceId: string;
  readonly dId: string;
  readonly deviceName: string;
  readonly room: string;
  /** Both null before the line was first seen. */
  readonly level: boolean | null;
  readonly timeMs: number | null;
  readonly isProvisional: boolean;
}

/** A stretch in which edges of a line were lost. */
export interface Gap {
  readonly gapId: number;
  readonly line: string;
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** Null for an outage: nobody knows. */
  readonly missed: number | null;
  /** How many of them were sales; null for an outage. */
  readonly missedRises: number | null;
  readonly reason: string;
}

export interface Backup {
  readonly madeTimeMs: number;
  /** When it was restored and checked. */
  readonly provedTimeMs: number;
  /** Null while nobody knows: it was made by a clock that was not set. */
  readonly ageMs: number | null;
}

export interface Disk {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly ledgerBytes: number;
  readonly logBytes: number;
  /** Null where the disk is no card, or tells nothing of itself. */
  readonly card: Card | null;
}

export interface Card {
  readonly device: string;
  /** 110 means beyond its life; null while it does not say. */
  readonly lifeUsedPercent: number | null;
  /** `normal`, `warning` or `urgent`. */
  readonly spareBlocks: string | null;
}

export interface Queue {
  readonly waiting: number;
  readonly limit: number;
}

/** What the gateway says of itself. */
export interface Status {
  readonly version: string;
  readonly driver: string;
  /** True when levels are made up, not measured. */
  readonly simulated: boolean;
  /** IANA name: the zone of every date on the page. */
  readonly timeZone: string;
  readonly currency: Currency;
  readonly startedTimeMs: number;
  readonly uptimeMs: number;
  readonly clock: {
    readonly timeMs: number;
    readonly isTrusted: boolean;
    readonly trustedSinceMs: number | null;
    readonly bootId: string;
  };
  readonly today: { readonly day: string; readonly sales: number; readonly revenue: number };
  readonly linesWired: number;
  readonly linesWatched: number;
  readonly lastEdges: readonly LastEdge[];
  /** How many stretches are known in which edges were lost. */
  readonly gaps: number;
  readonly gapsLast30Days: number;
  /** Newest first, five at most. */
  readonly newestGaps: readonly Gap[];
  /** Records whose time is not certain: waiting for the clock, and those that never will be. */
  readonly provisional: { readonly waiting: number; readonly unplaced: number };
  readonly queues: { readonly writes: Queue; readonly edges: Queue };
  /** Null before the first. */
  readonly lastBackup: Backup | null;
  /** Null while it was not read yet. */
  readonly disk: Disk | null;
  readonly faults: readonly Fault[];
}

export const STATUS_PATH = "/api/status";

export async function loadStatus(api: Pick<Api, "get">): Promise<Status> {
  return statusOf(object((await api.get(STATUS_PATH))["data"], "data"));
}

/** Reads the answer's `data`. */
export function statusOf(data: Json): Status {
  const clock = object(data["clock"], "clock");
  const today = object(data["recordsToday"], "recordsToday");
  const provisional = object(data["provisional"], "provisional");
  const queues = object(data["queues"], "queues");
  const currency = object(data["currency"], "currency");
  const backup = objectOrNull(data["lastBackup"], "lastBackup");
  const disk = objectOrNull(data["disk"], "disk");
  return {
    version: text(data, "version"),
    driver: text(data, "driver"),
    simulated: flag(data, "simulated"),
    timeZone: text(data, "timeZone"),
    currency: { code: text(currency, "code"), decimals: number(currency, "decimals") },
    startedTimeMs: number(data, "startedTime"),
    uptimeMs: number(data, "uptimeMs"),
    clock: {
      timeMs: number(clock, "time"),
      isTrusted: flag(clock, "trusted"),
      trustedSinceMs: numberOrNull(clock, "trustedSince"),
      bootId: text(clock, "bootId"),
    },
    today: { day: text(today, "day"), sales: number(today, "sales"), revenue: number(today, "revenue") },
    linesWired: number(data, "linesWired"),
    linesWatched: number(data, "linesWatched"),
    lastEdges: list(data, "lastEdges", lastEdgeOf),
    gaps: number(data, "gaps"),
    gapsLast30Days: number(data, "gapsLast30Days"),
    newestGaps: list(data, "newestGaps", gapOf),
    provisional: { waiting: number(provisional, "waiting"), unplaced: number(provisional, "unplaced") },
    queues: { writes: queueOf(queues, "writes"), edges: queueOf(queues, "edges") },
    lastBackup: backup && backupOf(backup),
    disk: disk && diskOf(disk),
    faults: list(data, "faults", faultOf),
  };
}

function lastEdgeOf(edge: Json): LastEdge {
  return {
    line: text(edge, "line"),
    deviceId: text(edge, "deviceId"),
    dId: text(edge, "dId"),
    deviceName: text(edge, "deviceName"),
    room: text(edge, "room"),
    level: edge["level"] === null ? null : flag(edge, "level"),
    timeMs: numberOrNull(edge, "time"),
    isProvisional: flag(edge, "provisional"),
  };
}

export function gapOf(gap: Json): Gap {
  return {
    gapId: number(gap, "gapId"),
    line: text(gap, "line"),
    fromTimeMs: number(gap, "fromTime"),
    toTimeMs: number(gap, "toTime"),
    missed: numberOrNull(gap, "missed"),
    missedRises: numberOrNull(gap, "missedRises"),
    reason: text(gap, "reason"),
  };
}

function queueOf(queues: Json, name: string): Queue {
  const queue = object(queues[name], name);
  return { waiting: number(queue, "waiting"), limit: number(queue, "limit") };
}

function backupOf(backup: Json): Backup {
  return {
    madeTimeMs: number(backup, "madeTime"),
    provedTimeMs: number(backup, "provedTime"),
    ageMs: numberOrNull(backup, "ageMs"),
  };
}

function diskOf(disk: Json): Disk {
  const card = objectOrNull(disk["card"], "card");
  return {
    freeBytes: number(disk, "freeBytes"),
    totalBytes: number(disk, "totalBytes"),
    ledgerBytes: number(disk, "ledgerBytes"),
    logBytes: number(disk, "logBytes"),
    card: card && {
      device: text(card, "device"),
      lifeUsedPercent: numberOrNull(card, "lifeUsedPercent"),
      spareBlocks: card["spareBlocks"] === null ? null : text(card, "spareBlocks"),
    },
  };
}

function faultOf(fault: Json): Fault {
  return {
    code: text(fault, "code"),
    sinceMs: number(fault, "sinceTime"),
    message: text(fault, "message"),
    hint: text(fault, "hint"),
    details: detailsOf(object(fault["details"], "details")),
  };
}

function detailsOf(details: Json): Fault["details"] {
  const known: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(details)) {
    if (typeof value === "string" || typeof value === "number") known[name] = value;
  }
  return known;
}
