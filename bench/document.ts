import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { type Claim, figure, type Point, verdictOf } from "./claim.ts";

/** The part of docs/performance.md that a whole run writes. */
const BEGIN = "<!-- npm run bench -- --document writes from here -->";
const END = "<!-- to here -->";

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 60;
const RIGHT = 150;
const TOP = 30;
const BOTTOM = 45;
/** The lines of a picture by their place, told apart without colours too. */
const STROKES = ['stroke="#777"', 'stroke="#0a5fb4"', 'stroke="#777" stroke-dasharray="5 4"'] as const;
const LAST_STROKE = 'stroke="#0a5fb4" stroke-dasharray="5 4"';

/** What one `--only NAME` has measured. */
export interface Measurement {
  readonly name: string;
  readonly claims: readonly Claim[];
}

/** The values of one server, in the order of the numbers of connections. */
interface Line {
  readonly label: string;
  readonly values: readonly number[];
}

/** Writes the table of a whole run into docs/performance.md, and its pictures beside that. Throws where a marker is missing. */
export function writeDocument(
  docs: string,
  measured: readonly Measurement[],
  versions: readonly string[],
): void {
  const file = join(docs, "performance.md");
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} lacks its markers`);
  const written = `${text.slice(0, begin + BEGIN.length)}\n\n${resultsOf(measured, versions)}\n\n${text.slice(end)}`;
  writeFileSync(file, written);
  const points = measured.flatMap(({ claims }) => claims.flatMap(({ point }) => point ?? []));
  for (const [name, of] of PICTURES) {
    writeFileSync(
      join(docs, "images", `${name}.svg`),
      pictureOf(PICTURE_TITLES[name], linesOf(points, of), connectionsOf(points)),
    );
  }
}

const PICTURE_TITLES = {
  throughput: "Durable posts a second, over connections",
  latency: "Latency of 99 in 100 posts in milliseconds, over connections",
} as const;
const PICTURES: readonly (readonly [
  keyof typeof PICTURE_TITLES,
  (server: Point["servers"][number]) => number,
])[] = [
  ["throughput", ({ perSecond }) => perSecond],
  ["latency", ({ p99Ms }) => p99Ms],
];

function resultsOf(measured: readonly Measurement[], versions: readonly string[]): string {
  const rows = measured.flatMap(({ name, claims }) => claims.map((claim) => rowOf(name, claim)));
  const day = new Date().toISOString().slice(0, 10);
  return [
    `Measured on ${day} with ${cpus().length} processors (${cpus()[0]?.model ?? "unknown"}), Linux ${release()}, ${versions.join(", ")}.`,
    "",
    "| `--only` | measured | held against | flanco | ratio, least to most | promised |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    ...PICTURES.map(([name]) => `![${PICTURE_TITLES[name]}](images/${name}.svg)`),
  ].join("\n");
}

function rowOf(name: string, claim: Claim): string {
  const { ratio, base, measured, holds } = verdictOf(claim);
  const promised = `${claim.target.bound} ${claim.target.ratio}${holds ? "" : ", missed"}`;
  return `| ${[
    `\`${name}\``,
    claim.title,
    `${claim.names[0]}: ${figure(base.median)} ${claim.unit}`,
    `${figure(measured.median)} ${claim.unit}`,
    `${ratio.median.toFixed(2)}, ${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`,
    promised,
  ].join(" | ")} |`;
}

function connectionsOf(points: readonly Point[]): readonly number[] {
  return [...new Set(points.map(({ connections }) => connections))];
}

function linesOf(
  points: readonly Point[],
  of: (server: Point["servers"][number]) => number,
): readonly Line[] {
  const delays = [...new Set(points.map(({ delayMs }) => delayMs))];
  return delays.flatMap((delayMs) =>
    [0, 1].map((side) => {
      const servers = points.flatMap((point) =>
        point.delayMs === delayMs ? (point.servers[side] ?? []) : [],
      );
      const disk = delayMs === 0 ? "" : `, ${delayMs} ms a sync`;
      return { label: `${servers[0]?.name ?? ""}${disk}`, values: servers.map(of) };
    }),
  );
}

/** A picture of a few lines over a few numbers of connections, with a logarithmic scale of whole decades. */
export function pictureOf(title: string, lines: readonly Line[], connections: readonly number[]): string {
  const logs = lines.flatMap(({ values }) => values.map(Math.log10));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const x = (index: number) => LEFT + (index * (WIDTH - LEFT - RIGHT)) / (connections.length - 1);
  const y = (value: number) => TOP + ((high - Math.log10(value)) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const decades = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/><text x="10" y="18">${title}</text>`,
    ...decades.flatMap((value) => [
      `<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      `<text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}</text>`,
    ]),
    ...connections.map(
      (count, index) => `<text x="${x(index)}" y="${HEIGHT - 22}" text-anchor="middle">${count}</text>`,
    ),
    ...lines.flatMap(({ label, values }, place) => [
      `<polyline fill="none" stroke-width="2" ${STROKES[place] ?? LAST_STROKE} points="${values.map((value, index) => `${x(index)},${y(value).toFixed(1)}`).join(" ")}"/>`,
      `<text x="${WIDTH - RIGHT + 6}" y="${(y(values.at(-1) ?? 1) + 4).toFixed(1)}">${label}</text>`,
    ]),
    "</svg>\n",
  ].join("\n");
}
