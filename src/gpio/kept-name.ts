import { createHash } from "node:crypto";
import type { Bias } from "../domain/line.ts";

/** All that decides whether a kept line may be gone on with. */
export interface KeptLine {
  /** As it is wired: `GPIO17` or `gpiochip0:17`. */
  readonly line: string;
  readonly chip: string;
  readonly offset: number;
  /** The ledger's number for this watching of the line. */
  readonly request: number;
  /** The room that it is watched for, in any form that tells rooms apart. */
  readonly room: string;
  readonly activeLow: boolean;
  readonly bias: Bias;
  readonly debounceMs: number;
}

/** What can be read back from a name without knowing the wiring. */
export interface KeptAddress {
  readonly line: string;
  readonly chip: string;
  readonly offset: number;
}

const PREFIX = "line/";
const FIELDS = 8;
const ROOM_DIGITS = 16;
/** fdname_is_valid of systemd: printable ASCII, no colon. */
const MAX_NAME_CHARACTERS = 255;

/**
 * The name under which a line is kept: `line/GPIO17/gpiochip0/17/4/active-high/as-is/50ms/ROOM`, the room
 * as the start of its SHA-256. Equal names are equal lines, asked for alike. Null when it would be longer
 * than systemd takes.
 */
export function formatKeptName(kept: KeptLine): string | null {
  const name = [
    PREFIX.slice(0, -1),
    encodeURIComponent(kept.line),
    encodeURIComponent(kept.chip),
    kept.offset,
    kept.request,
    kept.activeLow ? "active-low" : "active-high",
    kept.bias,
    `${kept.debounceMs}ms`,
    createHash("sha256").update(kept.room).digest("hex").slice(0, ROOM_DIGITS),
  ].join("/");
  return name.length <= MAX_NAME_CHARACTERS ? name : null;
}

/** True for the names of lines, also of those that another version wrote. */
export function isKeptName(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Undefined for a name that this version did not write. */
export function parseKeptName(name: string): KeptAddress | undefined {
  const [line, chip, offset, ...rest] = name.slice(PREFIX.length).split("/");
  if (!isKeptName(name) || rest.length !== FIELDS - 3) return undefined;
  if (line === undefined || chip === undefined || !/^\d+$/.test(offset ?? "")) return undefined;
  try {
    return { line: decodeURIComponent(line), chip: decodeURIComponent(chip), offset: Number(offset) };
  } catch {
    return undefined;
  }
}
