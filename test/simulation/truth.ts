import type { Sighting } from "../../src/domain/sale.ts";
import type { SimulatedChip, TrueEdge } from "./chip.ts";

const US_PER_MS = 1_000;
const NS_PER_US = 1_000;
/** Times are kept in whole milliseconds, and rounded on their way. */
export const ROUNDING_MS = 1.5;

interface Boot {
  readonly startUs: number;
  /** By how much the wall clock was wrong, from when on. */
  readonly errors: { readonly fromUs: number; readonly errorUs: number }[];
}

/** What truly happened. */
export class Truth {
  readonly chip: SimulatedChip;
  readonly boots = new Map<string, Boot>();

  constructor(chip: SimulatedChip) {
    this.chip = chip;
  }

  boot(bootId: string): Boot {
    const boot = this.boots.get(bootId);
    if (boot === undefined) throw new Error(`There was no ${bootId}.`);
    return boot;
  }

  usOf({ source, monotonicNs }: Sighting): number {
    return this.boot(source.bootId).startUs + Number(monotonicNs) / NS_PER_US;
  }

  /** Whether a wall clock could give this time to that moment, then or later in the boot. */
  mayRead(bootId: string, us: number, timeMs: number): boolean {
    const { errors } = this.boot(bootId);
    return errors.some(
      ({ errorUs }, index) =>
        (errors[index + 1]?.fromUs ?? Number.POSITIVE_INFINITY) >= us &&
        Math.abs(timeMs - (us + errorUs) / US_PER_MS) <= ROUNDING_MS,
    );
  }

  isHigh(line: string, us: number): boolean {
    return this.chip.edges.findLast((edge) => edge.line === line && edge.atUs <= us)?.high === true;
  }

  between(line: string, fromUs: number, toUs: number): readonly TrueEdge[] {
    return this.chip.edges.filter((edge) => edge.line === line && fromUs < edge.atUs && edge.atUs < toUs);
  }
}
