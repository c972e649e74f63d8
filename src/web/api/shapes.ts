import type * as z from "zod";
import type { AnswerOf, Declaration, errorAnswer, Method, Shape } from "../../contract/declaration.ts";
import type { QueryValues } from "../route.ts";

/** The declarations that a file of the contract exports. */
type DeclaredIn<File> = Extract<File[keyof File], Declaration>;

/** Every operation that the page asks for, as the contract declares it. */
type Operation =
  | DeclaredIn<typeof import("../../contract/audit.ts")>
  | DeclaredIn<typeof import("../../contract/clinic.ts")>
  | DeclaredIn<typeof import("../../contract/commission.ts")>
  | DeclaredIn<typeof import("../../contract/device.ts")>
  | DeclaredIn<typeof import("../../contract/line.ts")>
  | DeclaredIn<typeof import("../../contract/location.ts")>
  | DeclaredIn<typeof import("../../contract/member.ts")>
  | DeclaredIn<typeof import("../../contract/overview.ts")>
  | DeclaredIn<typeof import("../../contract/record.ts")>
  | DeclaredIn<typeof import("../../contract/report.ts")>
  | DeclaredIn<typeof import("../../contract/session.ts")>
  | DeclaredIn<typeof import("../../contract/settlement.ts")>
  | DeclaredIn<typeof import("../../contract/sink.ts")>
  | DeclaredIn<typeof import("../../contract/status.ts")>
  | DeclaredIn<typeof import("../../contract/wiring.ts")>;

/** The paths of a method: `/api/device`. */
export type PathOf<M extends Method> = Extract<Operation, { readonly method: M }>["path"];

type At<M extends Method, Path> = Extract<Operation, { readonly method: M; readonly path: Path }>;
export type Answer<M extends Method, Path> = AnswerOf<At<M, Path>>;
/** As it is sent, before the server parses it; undefined where an operation takes none. */
export type Body<M extends Method, Path> = InputOf<At<M, Path>, "body">;
export type Query<M extends Method, Path> = Extract<InputOf<At<M, Path>, "query">, QueryValues | undefined>;

type InputOf<O, Part extends "body" | "query"> =
  O extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? ReadonlyInput<z.input<Schema>>
    : undefined;

type ReadonlyInput<T> = T extends object ? { readonly [K in keyof T]: ReadonlyInput<T[K]> } : T;

/** What a GET answers with. */
export type Data<Path extends PathOf<"get">> =
  Answer<"get", Path> extends { readonly data: infer D } ? D : never;

export type ErrorAnswer = Shape<typeof errorAnswer>;
export type RecordsAnswer = Answer<"get", "/api/record">;

export type Setup = Data<"/api/sink">[number];
export type Member = Data<"/api/member">[number];
export type Self = Data<"/api/me">;
/** What every view may know: of a gateway or of a company. */
export type SiteStatus = Data<"/api/status">;
export type Status = Extract<SiteStatus, { readonly sinks: unknown }>;
export type SinkState = Status["sinks"][number];
export type Fault = Status["faults"][number];
export type LastEdge = Status["lastEdges"][number];
export type ClinicComparison = Data<"/api/clinic">;
export type Clinic = ClinicComparison["clinics"][number];
export type ClinicGateway = Data<"/api/gateway">[number];
export type ClinicMonth = Data<"/api/clinic/settlements">;
export type Overview = Data<"/api/overview">;
export type StoredRecord = Data<"/api/record">[number];
export type Report = Data<"/api/report">;
export type LocationTerms = Data<"/api/terms">[number];
export type Settlement = Data<"/api/settlement/draft">;
export type SettlementHead = Data<"/api/settlements">["closed"][number];
export type SettlementCheck = Data<"/api/settlement/check">;
export type Letterhead = Data<"/api/letterhead">;
export type Location = Data<"/api/location">[number];
export type Device = Data<"/api/device">[number];
export type Chip = Data<"/api/line">["chips"][number];
export type Line = Chip["lines"][number];
export type Wiring = Data<"/api/wiring">[number];
export type Price = Data<"/api/wiring/price">[number];
export type Commission = Data<"/api/commission">;
export type CommissionedRoom = Commission["rooms"][number];
export type AcceptanceReport = Data<"/api/commission/report">;
export type Gap = Data<"/api/gap">[number];
export type AuditEntry = Data<"/api/audit">[number];
