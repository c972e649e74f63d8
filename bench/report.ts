import { arch, cpus, release } from "node:os";
import { type Claim, verdictOf } from "./claim.ts";
import { ratioOf } from "./ratio.ts";

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

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(3);
}
