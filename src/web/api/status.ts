import type { Api } from "./api.ts";
import { flag, list, number, object, text } from "./read.ts";

export interface LineFailure {
  readonly line: string;
  /** The server's own text, for a technician. */
  readonly message: string;
}

/** What a person must see to. */
export interface Fault {
  readonly code: string;
  /** The server's own texts: what it is, and what to do. */
  readonly message: string;
  readonly hint: string;
}

/** What the gateway says of itself. */
export interface Status {
  readonly driver: string;
  /** True when levels are made up, not measured. */
  readonly simulated: boolean;
  /** IANA name: the zone of every date on the page. */
  readonly timeZone: string;
  readonly linesWired: number;
  readonly linesWatched: number;
  readonly lineFailures: readonly LineFailure[];
  /** How many stretches are known in which edges were lost. */
  readonly gaps: number;
  readonly faults: readonly Fault[];
}

export async function loadStatus(api: Api): Promise<Status> {
  const data = object((await api.get("/api/status"))["data"], "data");
  return {
    driver: text(data, "driver"),
    simulated: flag(data, "simulated"),
    timeZone: text(data, "timeZone"),
    linesWired: number(data, "linesWired"),
    linesWatched: number(data, "linesWatched"),
    lineFailures: list(data, "lineFailures", (failure) => ({
      line: text(failure, "line"),
      message: text(failure, "message"),
    })),
    gaps: number(data, "gaps"),
    faults: list(data, "faults", (fault) => ({
      code: text(fault, "code"),
      message: text(fault, "message"),
      hint: text(fault, "hint"),
    })),
  };
}
