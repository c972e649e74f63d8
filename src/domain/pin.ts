import type { Bias, ChipInfo, LineInfo } from "./line.ts";
import type { ContactSettings } from "./verdict.ts";

/** The chips whose lines 0 to 27 are a Raspberry Pi's header: up to model 3 and Zero 2 W, model 4, model 5. */
const HEADER_CHIPS: readonly string[] = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"];
const LAST_OF_HEADER = 27;
/** From power-on GPIO0 to 8 are pulled up and the others down (BCM2835 ARM Peripherals, table 6-31; later models alike). */
const LAST_PULLED_UP = 8;

const MEMORY = "an add-on board's memory, which is asked for while the machine starts";
const CLOCK = "I2C, of a clock chip, with fixed pull-ups of 1.8 kΩ";
const SERIAL = "the serial line, which may send while the machine starts";
/** What lines of the header are for that are not for relays, by their offset. */
const TAKEN: ReadonlyMap<number, string> = new Map([
  [0, MEMORY],
  [1, MEMORY],
  [2, CLOCK],
  [3, CLOCK],
  [14, SERIAL],
  [15, SERIAL],
]);

/** What is wrong with a relay's line, and what to do: texts without its name. */
export interface PinProblem {
  readonly what: string;
  readonly todo: string;
}

/** What is wrong with the choice of a line for a relay, or with its internal resistor; undefined where nothing is. */
export function pinProblem(
  { label }: Pick<ChipInfo, "label">,
  { offset }: Pick<LineInfo, "offset">,
  { activeLow, bias }: Pick<ContactSettings, "activeLow" | "bias">,
): PinProblem | undefined {
  const isOfHeader = HEADER_CHIPS.includes(label) && offset <= LAST_OF_HEADER;
  const use = isOfHeader ? TAKEN.get(offset) : undefined;
  if (use !== undefined) {
    const todo = "Wire the relay to another line: docs/technician.md shows which are for relays.";
    return { what: `not for relays, but for ${use}`, todo };
  }
  const fromPowerOn: Bias = offset <= LAST_PULLED_UP ? "pull-up" : "pull-down";
  const pull = bias === "as-is" && isOfHeader ? fromPowerOn : bias;
  const towardsOn: Bias = activeLow ? "pull-down" : "pull-up";
  if (pull !== towardsOn) return undefined;
  const towardsOff: Bias = activeLow ? "pull-up" : "pull-down";
  return {
    what: `${bias === "as-is" ? `from power-on ${pull}` : pull} and active-${activeLow ? "low" : "high"}, so that a cut wire reads as on`,
    todo: `Give the line ${towardsOff}: on the page under Lines, or with flanco wiring set; docs/wiring.md says why.`,
  };
}
