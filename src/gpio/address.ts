import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineDriver, LineInfo, SurveyedChip, SurveyedLine } from "../domain/line.ts";
import type { Wiring } from "../domain/wiring.ts";

/** The holder that the kernel, and the simulation, show for our lines. */
export const CONSUMER = "flanco";

const CHIP_AND_OFFSET = /^(.+):(\d{1,6})$/;
/**
 * A line by its chip's number. The kernel numbers chips in the order
 * in which it finds them, so a number may differ after a boot.
 */
const CHIP_NUMBER = /^gpiochip\d+:\d+$/;
/**
 * A device that is named by a number which the kernel gives in the order in which it finds devices: of a
 * platform (`gpio-sim.1`, `dln2-gpio.3.auto`), and a USB one (`0003:10C4:EA90.0001`) below its port.
 */
const RUNNING_NUMBER = /^([a-z][\w-]*\.\d+(\.auto)?|[\dA-F]{4}(:[\dA-F]{4}){2}\.[\dA-F]{4})$/i;
/** How many lines an error lists before it refers to the command that lists all. */
const MAX_CHOICES = 12;

/** Chip and offset: the form that names exactly one line until the next boot. */
export function formatLine(line: Pick<LineInfo, "chip" | "offset">): string {
  return `${line.chip}:${line.offset}`;
}

/** Where a chip is, by the path of its device in sysfs: the last name in it that is the same after every boot. */
export function placeOf(device: string): string | undefined {
  return device.split("/").findLast((name) => name !== "" && !RUNNING_NUMBER.test(name));
}

/** A line as an error names it: `GPIO17 (gpiochip0:17)`. */
export function describeLine(line: LineInfo): string {
  return line.name === null ? formatLine(line) : `${line.name} (${formatLine(line)})`;
}

/**
 * A name that means this line after every boot: its own name if no other line has it, else its
 * chip's label and the offset (`mcp23017:3`), with the chip's device where several chips have the
 * label (`mcp23017@1-0020:3`). Throws `invalid` where none of these tells it from other lines.
 */
export function lastingName(
  line: LineInfo,
  chips: readonly ChipInfo[],
  names = new LineNames(chips),
): string {
  const { name } = line;
  if (name !== null && names.called(name).length === 1) return name;
  const chip = chips.find((one) => one.name === line.chip);
  const lasting = chip && lastingChip(chip, chips);
  if (lasting !== undefined) return `${lasting}:${line.offset}`;
  throw new FlancoError(
    "invalid",
    `${describeLine(line)} cannot be told from a line of another chip with the label ${chip?.label} after a boot.`,
    { hint: "Name the lines in the device tree (gpio-line-names)." },
  );
}

/** Refuses a name that may mean another line after a boot: `invalid`. */
export function requireLasting(text: string): void {
  if (!CHIP_NUMBER.test(text)) return;
  throw new FlancoError("invalid", `${text} is a chip's number, which may change from boot to boot.`, {
    hint: "Unwire the line and wire it again: it is then kept by its name or its chip's label.",
  });
}

/** The lines of some chips by all that they are called: one pass over them, however many are looked up. */
class LineNames {
  readonly #lines: readonly LineInfo[];
  readonly #named: ReadonlyMap<string | null, readonly LineInfo[]>;
  readonly #chips = new Map<string, ChipInfo>();

  constructor(chips: readonly ChipInfo[]) {
    this.#lines = chips.flatMap((chip) => chip.lines);
    this.#named = Map.groupBy(this.#lines, ({ name }) => name);
    // The first of two chips that are called alike.
    for (const chip of chips.toReversed()) {
      const lasting = lastingChip(chip, chips);
      if (lasting !== undefined) this.#chips.set(lasting, chip);
      this.#chips.set(chip.name, chip);
    }
  }

  /** The lines with this name of their own. */
  called(name: string): readonly LineInfo[] {
    return this.#named.get(name) ?? [];
  }

  /** As `resolveLine`, but undefined instead of an error. */
  find(text: string): LineInfo | undefined {
    const named = this.called(text);
    if (text.trim() === "" || named.length > 1) return undefined;
    const { chip, offset } = this.#placeOf(text);
    return named[0] ?? chip?.lines.find((one) => one.offset === offset);
  }

  /** As `resolveLine`. */
  resolve(text: string): LineInfo {
    const line = this.find(text);
    if (line !== undefined) return line;
    if (text.trim() === "") {
      throw new FlancoError(
        "invalid",
        "A line needs a name (GPIO17) or a chip and an offset (gpiochip0:17).",
        {
          hint: "`flanco gpio detect` lists all.",
        },
      );
    }
    const named = this.called(text);
    if (named.length > 1) {
      throw new FlancoError(
        "invalid",
        `${named.length} lines are called ${text}: ${named.map(formatLine).join(", ")}.`,
        { hint: "Write the one you mean as chip and offset." },
      );
    }
    const { chipName, chip, offset } = this.#placeOf(text);
    let missing = `No line is called ${text}.`;
    if (chipName !== undefined) missing = `There is no chip ${chipName}.`;
    if (chip !== undefined) {
      missing = `${chip.name} has no line ${offset}: its ${chip.lines.length} lines count from 0.`;
    }
    throw new FlancoError("not_found", missing, { hint: choices(this.#lines) });
  }

  #placeOf(text: string) {
    const [, chipName, offset] = CHIP_AND_OFFSET.exec(text) ?? [];
    return { chipName, chip: this.#chips.get(chipName ?? ""), offset: Number(offset) };
  }
}

/**
 * The one line with the name `text`, else the one at the chip and offset `text`, where the chip is a number
 * (`gpiochip0:17`) or a label as `lastingName` writes it. Throws `invalid` for an empty text and for a name
 * that several lines have (the message lists them), `not_found` otherwise (the hint lists the free lines).
 */
export function resolveLine(text: string, chips: readonly ChipInfo[]): LineInfo {
  return new LineNames(chips).resolve(text);
}

/** As `resolveLine`, but undefined instead of an error. */
export function findLine(text: string, chips: readonly ChipInfo[]): LineInfo | undefined {
  return new LineNames(chips).find(text);
}

/** The error for a line that is in use. `holder` is null where the kernel does not name it. */
export function inUseError(line: LineInfo, holder: string | null, cause?: unknown): FlancoError {
  const by = holder === null ? "another program" : `'${holder}'`;
  return new FlancoError("conflict", `${describeLine(line)} is in use by ${by}.`, {
    hint: "Stop that program, or wire another line.",
    cause,
  });
}

/** The error for a watched line that can no longer be read. */
export function lostError(address: string, why: string, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `${address} is lost: ${why}.`, {
    hint: "Reconnect the chip, then restart flanco.",
    cause,
  });
}

/**
 * A name of a chip that lasts over boots; undefined where
 * another chip has the same label and no place tells them apart.
 */
function lastingChip({ name, label, place }: ChipInfo, chips: readonly ChipInfo[]): string | undefined {
  const likes = chips.filter((other) => other.label === label && other.name !== name);
  if (likes.length === 0) return label;
  if (place === undefined || likes.some((other) => other.place === place)) return undefined;
  return `${label}@${place}`;
}

function choices(lines: readonly LineInfo[]): string {
  if (lines.length === 0) return "This machine has no GPIO chip.";
  const free = lines.filter((line) => line.holder === null);
  const shown = free.slice(0, MAX_CHOICES).map((line) => line.name ?? formatLine(line));
  if (shown.length === 0) return "Every line is in use: `flanco gpio detect` shows by whom.";
  const more = free.length > shown.length ? ` and ${free.length - shown.length} more` : "";
  return `Free lines: ${shown.join(", ")}${more}. \`flanco gpio detect\` lists all.`;
}

/** Chips and lines as detected, each wired line with its wiring and what the recorder knows of it. */
export function surveyChips(
  chips: readonly ChipInfo[],
  wirings: readonly Wiring[],
  watchingOf: (wiring: Wiring) => Pick<SurveyedLine, "watched" | "level" | "problem">,
): readonly SurveyedChip[] {
  const wiringAt = wiringsByAddress(new LineNames(chips), wirings);
  return chips.map(({ lines, ...chip }) => ({
    ...chip,
    lines: lines.map((line) => {
      const wiring = wiringAt.get(formatLine(line)) ?? null;
      const watching = wiring === null ? { watched: false, level: null, problem: null } : watchingOf(wiring);
      return { ...line, wiring, ...watching };
    }),
  }));
}

/** As `Lines.readFree`. */
export async function readFreeLines(
  driver: Pick<LineDriver, "detect" | "read">,
  wirings: readonly Wiring[],
  lines: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const names = new LineNames(await driver.detect());
  const wiringAt = wiringsByAddress(names, wirings);
  const levels = new Map<string, boolean>();
  for (const line of lines) {
    const found = names.find(line);
    if (found === undefined || found.holder !== null || wiringAt.has(formatLine(found))) continue;
    const level = await driver.read(formatLine(found)).catch(() => undefined);
    if (level !== undefined) levels.set(line, level);
  }
  return levels;
}

/**
 * Gives for each of these lines the name that it is wired by: one that means
 * the same line after every boot. Rejects unless each one exists and is wired
 * or free: `not_found`, `invalid`, or `conflict` for a line that is in use.
 */
export async function namesToWire(
  driver: Pick<LineDriver, "detect">,
  wirings: readonly Wiring[],
  lines: readonly string[],
): Promise<readonly string[]> {
  const chips = await driver.detect();
  const names = new LineNames(chips);
  const wiringAt = wiringsByAddress(names, wirings);
  return lines.map((line) => {
    const found = names.resolve(line);
    const wiring = wiringAt.get(formatLine(found));
    if (wiring === undefined && found.holder !== null) {
      throw new FlancoError("conflict", `The line ${line} is in use by "${found.holder}".`, {
        hint: "Stop that program, or choose another line.",
        fields: { line: { kind: "unique", message: `is in use by "${found.holder}"` } },
      });
    }
    return wiring?.line ?? lastingName(found, chips, names);
  });
}

/** As `Lines.wiredNames`. */
export async function wiredNames(
  driver: Pick<LineDriver, "name" | "detect">,
  wirings: readonly Wiring[],
  lines: readonly string[],
): Promise<readonly string[]> {
  const known = new Set(wirings.map(({ line }) => line));
  if (driver.name === "none" || lines.every((line) => known.has(line))) return lines;
  const names = new LineNames(await driver.detect());
  const wiringAt = wiringsByAddress(names, wirings);
  return lines.map((line) => {
    const found = names.find(line);
    const wiring = found && wiringAt.get(formatLine(found));
    return wiring?.line ?? line;
  });
}

function wiringsByAddress(names: LineNames, wirings: readonly Wiring[]): ReadonlyMap<string, Wiring> {
  const found = wirings.map((wiring) => [names.find(wiring.line), wiring] as const);
  return new Map(
    found.flatMap(([line, wiring]) => (line === undefined ? [] : [[formatLine(line), wiring] as const])),
  );
}
