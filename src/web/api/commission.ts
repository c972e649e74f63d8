import type { Api } from "./api.ts";
import type {
  AcceptanceReport,
  AcceptanceReportAnswer,
  AcceptanceReportsAnswer,
  Commission,
  CommissionAnswer,
} from "./shapes.ts";

/** Names a room. */
export interface RoomName {
  readonly dId: string;
  readonly room: string;
}

export async function loadCommission(api: Api): Promise<Commission> {
  return (await api.get<CommissionAnswer>("/api/commission")).data;
}

/** All wired lines are no sale for so many minutes, and free lines are looked at too. Also goes on with one that has ended by itself. */
export function beginCommission(api: Api, freeLines: readonly string[], minutes: number): Promise<unknown> {
  return api.send("PUT", "/api/commission", { commission: { freeLines, minutes } });
}

/** Ends it without a report: what was ticked off is forgotten. */
export function endCommission(api: Api): Promise<unknown> {
  return api.send("DELETE", "/api/commission");
}

/** This room is switched next. Its observation begins anew. */
export function askRoom(api: Api, { dId, room }: RoomName): Promise<unknown> {
  return api.send("PUT", "/api/commission/room", { room: { dId, room } });
}

/** Rejects with ApiFailure: 409 while nothing is known of it. */
export function tickRoom(api: Api, { dId, room }: RoomName, note: string): Promise<unknown> {
  return api.send("PUT", "/api/commission/tick", { tick: { dId, room, note } });
}

/** Applies what is proposed, then asks for the room again: the proof is the next switching. */
export async function mendRoom(api: Api, name: RoomName): Promise<void> {
  const { dId, room } = name;
  await api.send("POST", "/api/commission/mend", { room: { dId, room } });
  await askRoom(api, name);
}

/** Ends it with a report that the ledger keeps; gives its number. */
export async function finishCommission(
  api: Api,
  report: { readonly technician: string; readonly clinic: string },
): Promise<number> {
  const { data } = await api.send<{ data: { number: number } }>("POST", "/api/commission/report", { report });
  return data.number;
}

export async function loadAcceptanceReports(api: Api): Promise<AcceptanceReportsAnswer["data"]> {
  return (await api.get<AcceptanceReportsAnswer>("/api/commission/reports")).data;
}

/** Where the report stands as JSON. */
export function acceptanceReportPath(number: string): string {
  return `/api/commission/report?${new URLSearchParams({ number })}`;
}

export async function loadAcceptanceReport(api: Api, number: string): Promise<AcceptanceReport> {
  return (await api.get<AcceptanceReportAnswer>(acceptanceReportPath(number))).data;
}
