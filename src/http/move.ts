import type { Readable } from "node:stream";
import type { SignInGate } from "../auth/sign-in-gate.ts";
import { allowMove, beginMove, finishMove, getMove, readMove } from "../contract/move.ts";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { requireSoleAccount } from "./member.ts";
import { type Endpoint, serve } from "./router.ts";
import { attemptSignIn } from "./session.ts";

/** A code, and when it expires, in Unix milliseconds. */
export interface MadeCode {
  readonly code: string;
  readonly endsMs: number;
}

/** What the other gateway gets beside the backup: the texts of its proof and of the gateway file. */
export interface MovedClinic {
  readonly proof: string;
  readonly gateway: string;
}

/** The side of a move that hands the clinic over. There is one move at a time. */
export interface Moves {
  /**
   * Makes a code; an earlier one ends. `userId` is the account whose member asks,
   * null for a command. Rejects with `too_many` as every change of an account.
   */
  allow(by: Actor, userId: Id | null): Promise<MadeCode>;
  /** Whether this is the valid code's secret. Takes constant time, and the code ends with its first use. */
  accepts(secret: string): boolean;
  /** Begins a backup for the other gateway, and gives the secret of the move; an earlier move ends. */
  begin(): string;
  /**
   * The clinic; null until the backup is proved. Throws `unauthorized`
   * for another secret, and the error of a failed backup.
   */
  clinic(ticket: string): MovedClinic | null;
  /** Reads the backup from a byte on. Throws as `clinic`, and `invalid` before the backup is proved. */
  read(ticket: string, from: number): Readable;
  /** Call when the other gateway has the clinic. Throws `unauthorized`. */
  finish(ticket: string, by: Actor): Promise<void>;
}

/** The account on which wrong guesses of codes count. No e-mail has a space. */
const ACCOUNT = "a move";

/** The endpoints by which an owner lets another gateway take the clinic over. */
export function moveCodeEndpoints(moves: Moves, reader: Pick<LedgerReader, "members">): readonly Endpoint[] {
  return [
    serve(allowMove, async ({ by, userId }) => {
      const hint = "A technician makes the code on the gateway itself: flanco move.";
      requireSoleAccount(reader, "a move takes all of them", hint);
      const { code, endsMs } = await moves.allow(by, userId);
      return { data: { code, endsTime: endsMs } };
    }),
  ];
}

/**
 * The endpoints for the other gateway, which has the code. Only
 * flanco itself calls them, so the API's description omits them.
 */
export function moveEndpoints(moves: Moves, gate: SignInGate): readonly Endpoint[] {
  return [
    serve(beginMove, async ({ body, context }) => {
      const prove = async () => moves.accepts(body.secret);
      if (!(await attemptSignIn(gate, context, { account: ACCOUNT, userId: null, prove }))) {
        const text = "This code has been used or has expired, or it was mistyped.";
        const hint = "Make another one on the old gateway: flanco move, or an owner on the page.";
        throw new FlancoError("unauthorized", text, { hint });
      }
      return { data: { ticket: moves.begin() } };
    }),
    serve(getMove, ({ body }) => ({ data: moves.clinic(body.ticket) })),
    serve(readMove, ({ body }) => moves.read(body.ticket, body.from)),
    serve(finishMove, ({ body, by }) => moves.finish(body.ticket, by)),
  ];
}
