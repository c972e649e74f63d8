import { z } from "zod";
import type { ErrorCode } from "../domain/error.ts";
import type { Sighting } from "../domain/sale.ts";
import { type OperationName, operationInputs } from "./operation.ts";

/** Longer than names of users are. */
const MAX_SYSTEM_USER = 200;

/** What the command line asks of the service, one JSON text a line. */
export const controlRequest = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("call"),
    name: z.enum(Object.keys(operationInputs) as [OperationName, ...OperationName[]]),
    input: z.unknown(),
    /** The system's user that runs the command, as it says itself: only the service's own user and root come this far. */
    by: z.string().max(MAX_SYSTEM_USER).default(""),
  }),
  z.strictObject({ kind: z.literal("watch") }),
]);
export type ControlRequest = z.input<typeof controlRequest>;

/** A level of a wired line as it crosses the socket. */
export interface SightingMessage {
  readonly line: string;
  readonly active: boolean;
  readonly timeMs: number;
  readonly sequence: number;
  readonly missed: number;
}

/** What the service answers. */
export type ControlAnswer =
  | { readonly kind: "output"; readonly output: unknown }
  | {
      readonly kind: "error";
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string | undefined;
    }
  | ({ readonly kind: "sighting" } & SightingMessage);

export function describeSighting(sighting: Sighting): SightingMessage {
  const { line, active, timeMs, missed } = sighting;
  return { line, active, timeMs, sequence: sighting.source.sequence, missed };
}
