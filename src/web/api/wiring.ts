import type { Api } from "./api.ts";
import { flag, type Json, list, number, text } from "./read.ts";

/** How the kernel holds a line that nobody drives. */
export type Bias = "as-is" | "disabled" | "pull-up" | "pull-down";
export const BIASES = ["as-is", "disabled", "pull-up", "pull-down"] as const satisfies readonly Bias[];

/** Which line is which room, and how it behaves. */
export interface Wiring {
  /** `GPIO17` or `gpiochip0:17`, as it was wired. */
  readonly line: string;
  readonly dId: string;
  readonly room: string;
  /** Price of one sale. */
  readonly valor: number;
  readonly activeLow: boolean;
  readonly bias: Bias;
  /** A level must hold this long to count. */
  readonly debounceMs: number;
  /** A new switching-on within so many ms of the last switching-off is the same sale. */
  readonly rearmMs: number;
}

export const DEFAULT_DEBOUNCE_MS = 50;
export const DEFAULT_REARM_MS = 0;

export async function loadWirings(api: Api): Promise<readonly Wiring[]> {
  return list(await api.get("/api/wiring"), "data", wiringOf);
}

/** Throws ApiFailure: 404 no such line, 409 another program or room has it, 400 names the fields. */
export async function wire(api: Api, { room, ...wiring }: Wiring): Promise<void> {
  await api.put("/api/wiring", { wiring: { ...wiring, actuatorId: room } });
}

/** The line is released; its records are kept. */
export async function unwire(api: Api, line: string): Promise<void> {
  await api.delete(`/api/wiring?${new URLSearchParams({ line })}`);
}

function wiringOf(data: Json): Wiring {
  return {
    line: text(data, "line"),
    dId: text(data, "dId"),
    room: text(data, "actuatorId"),
    valor: number(data, "valor"),
    activeLow: flag(data, "activeLow"),
    bias: biasOf(text(data, "bias")),
    debounceMs: number(data, "debounceMs"),
    rearmMs: number(data, "rearmMs"),
  };
}

function biasOf(bias: string): Bias {
  const known = BIASES.find((candidate) => candidate === bias);
  if (known === undefined) throw new TypeError("bias is not known");
  return known;
}
