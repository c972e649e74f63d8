import type { Bias } from "../../domain/line.ts";
import type { Api } from "./api.ts";
import type {
  Board,
  LevelAnswer,
  LinesAnswer,
  Price,
  PricesAnswer,
  TestedEdge,
  TestedEdgesAnswer,
  Wiring,
  WiringAnswer,
} from "./shapes.ts";

interface WiringDraft extends Omit<Wiring, "deviceName" | "bias" | "valor" | "watched" | "problem"> {
  /** Undefined from a member that sets no prices. */
  readonly valor: number | undefined;
  readonly bias: Bias;
}

export async function loadLines(api: Api): Promise<Board> {
  return (await api.get<LinesAnswer>("/api/line")).data;
}

/** Looks once at a free line's level, which is left as it is. Throws ApiFailure: 409 when something uses it. */
export async function readLine(api: Api, line: string): Promise<boolean> {
  return (await api.send<LevelAnswer>("POST", "/api/line/read", { line })).data.level;
}

/** Switches a simulated line. Rejects with ApiFailure: 409 where lines are real. */
export function driveLine(api: Api, line: string, level: boolean): Promise<unknown> {
  return api.send("POST", "/api/line/drive", { line, level });
}

export async function loadWirings(api: Api): Promise<readonly Wiring[]> {
  return (await api.get<WiringAnswer>("/api/wiring")).data;
}

/** Rejects with ApiFailure: 404 no such line, 409 another program or room has it, 400 names the fields. */
export function wire(api: Api, wiring: WiringDraft): Promise<unknown> {
  return api.send("PUT", "/api/wiring", { wiring });
}

/** Sales have it from now on, or from a local day (`2026-12-01`) to come: all of the lines, or none. */
export function setPrices(
  api: Api,
  lines: readonly string[],
  valor: number,
  from: string | undefined,
): Promise<unknown> {
  return api.send("PUT", "/api/wiring/price", { price: { lines, valor, from } });
}

/** The prices of a room, newest first. */
export async function loadPrices(api: Api, dId: string, room: string): Promise<readonly Price[]> {
  return (await api.get<PricesAnswer>(`/api/wiring/price?${new URLSearchParams({ dId, room })}`)).data;
}

/** All that are planned for days to come. */
export async function loadPlannedPrices(api: Api): Promise<readonly Price[]> {
  return (await api.get<PricesAnswer>("/api/wiring/price")).data;
}

/** Takes a planned price back, of all rooms that have it. */
export function cancelPrices(api: Api, from: string, valor: number): Promise<unknown> {
  return api.send("DELETE", `/api/wiring/price?${new URLSearchParams({ from, valor: String(valor) })}`);
}

/** The line is released; its records are kept. */
export function unwire(api: Api, line: string): Promise<unknown> {
  return api.send("DELETE", `/api/wiring?${new URLSearchParams({ line })}`);
}

/** What these lines do is no sale for so many minutes. */
export function beginTest(api: Api, lines: readonly string[], minutes: number): Promise<unknown> {
  return api.send("PUT", "/api/test", { test: { lines, minutes } });
}

/** Sales of all lines count again. */
export function endTests(api: Api): Promise<unknown> {
  return api.send("DELETE", "/api/test");
}

export async function loadTestedEdges(api: Api): Promise<readonly TestedEdge[]> {
  return (await api.get<TestedEdgesAnswer>("/api/test/edge")).data;
}
