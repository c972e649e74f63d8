import { arch, cpus, release } from "node:os";

/** One thing measured twice in turn: what it is held against, and itself. */
export interface Pair {
  readonly base: number;
  readonly measured: number;
}

interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

function ratioOf(pair: Pair): number {
  return pair.measured / pair.base;
}

/** Of an odd number of values the middle one, of an even number the mean of the two in the middle. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return { min: at(0), median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, max: at(sorted.length - 1) };
}

/** What the servers did at so many connections, medians, for the pictures. */
export interface Point {
  readonly connections: number;
  /** Added to each sync. */
  readonly delayMs: number;
  readonly servers: readonly { readonly name: string; readonly perSecond: number; readonly p99Ms: number }[];
}

/** One claim of the product about its speed, and what was measured. */
export interface Claim {
  readonly title: string;
  /** What the pair's two figures are, in order: `["floor", "flanco"]`. */
  readonly names: readonly [string, string];
  readonly unit: string;
  /** The ratio that is promised: at least or at most so much, of the median pair. */
  readonly target: { readonly bound: "at least" | "at most"; readonly ratio: number };
  readonly pairs: readonly Pair[];
  /** How it was measured and what was checked, a sentence each. */
  readonly notes: readonly string[];
  readonly point?: Point;
}

interface Verdict {
  readonly ratio: Spread;
  readonly base: Spread;
  readonly measured: Spread;
  readonly holds: boolean;
}

export function verdictOf(claim: Claim): Verdict {
  const ratio = spreadOf(claim.pairs.map(ratioOf));
  const { bound, ratio: promised } = claim.target;
  return {
    ratio,
    base: spreadOf(claim.pairs.map((pair) => pair.base)),
    measured: spreadOf(claim.pairs.map((pair) => pair.measured)),
    holds: bound === "at least" ? ratio.median >= promised : ratio.median <= promised,
  };
}

/** One claim as a table: a row for each pair, then the spread. */
export function tableOf(claim: Claim): string {
  const { ratio, base, measured, holds } = verdictOf(claim);
  const { bound, ratio: promised } = claim.target;
  const rows = [
    ["pair", `${claim.names[0]} ${claim.unit}`, `${claim.names[1]} ${claim.unit}`, "ratio"],
    ...claim.pairs.map((pair, index) => [
      String(index + 1),
      figure(pair.base),
      figure(pair.measured),
      ratioOf(pair).toFixed(3),
    ]),
    ["min", figure(base.min), figure(measured.min), ratio.min.toFixed(3)],
    ["median", figure(base.median), figure(measured.median), ratio.median.toFixed(3)],
    ["max", figure(base.max), figure(measured.max), ratio.max.toFixed(3)],
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "));
  const verdict = `target: ${bound} ${promised}; median ${ratio.median.toFixed(3)}: ${holds ? "holds" : "DOES NOT HOLD"}`;
  return [
    claim.title,
    ...lines.map((line) => `  ${line}`),
    `  ${verdict}`,
    ...claim.notes.map((note) => `  (${note})`),
  ].join("\n");
}

/** All claims for a program to read: the pairs themselves, and what they were measured on. */
export function jsonOf(claims: readonly Claim[], short: boolean): object {
  return {
    node: process.version,
    kernel: release(),
    architecture: arch(),
    processors: cpus().length,
    processor: cpus()[0]?.model ?? "",
    short,
    claims: claims.map((claim) => ({ ...claim, verdict: verdictOf(claim) })),
  };
}

/** Three digits at least. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(3);
}
