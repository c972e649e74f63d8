import { clearSetup, listSetups, makePassphrase, setSetup, testSink } from "../contract/sink.ts";
import type { Actor } from "../domain/audit.ts";
import { type ErrorCode, FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { GivenSetup, Setup, SetupName, SinkName } from "../domain/sink.ts";
import { requireSoleAccount } from "./member.ts";
import { type Endpoint, serve } from "./router.ts";

/** The setups of the sinks, as an owner or an operator changes them. */
export interface SinkSetups {
  /**
   * Sends a test, and resolves with one line that says what was done. Rejects with
   * `not_found` for a sink that is not set up, `conflict` while one is under way.
   */
  test(name: SinkName): Promise<string>;
  setups(): readonly Setup[];
  /** The sinks that an owner has set up, for the account that there was. */
  ofOwners(): readonly SinkName[];
  /**
   * Sets a sink up; null turns it off. Resolves once it is stored and in force. Rejects with
   * `invalid` where a secret is missing, `too_many` as every change of an account.
   */
  change(name: SetupName, values: GivenSetup["values"] | null, userId: Id, by: Actor): Promise<void>;
  /**
   * Makes another passphrase for the backups at the remote place, in force once this
   * resolves with it. Rejects with `not_found` where no place is set up, and as `change`.
   */
  makePassphrase(userId: Id, by: Actor): Promise<string>;
}

/** Errors by which a test was not made; all others are failures of the other side. */
const NOT_MADE: readonly ErrorCode[] = ["not_found", "conflict"];

export function sinkEndpoints(sinks: SinkSetups, reader: Pick<LedgerReader, "members">): readonly Endpoint[] {
  const requireSole = (by: Actor) => {
    if (by.way === "command") return;
    const hint = "A technician sets it up on the gateway itself: flanco forward import.";
    requireSoleAccount(reader, "what it sends is of all of them", hint);
  };
  return [
    serve(listSetups, ({ by }) => {
      requireSole(by);
      return { data: sinks.setups() };
    }),
    serve(setSetup, async ({ body, userId, by }) => {
      requireSole(by);
      await sinks.change(body.name, body.values, userId, by);
    }),
    serve(clearSetup, async ({ query, userId, by }) => {
      requireSole(by);
      await sinks.change(query.name, null, userId, by);
    }),
    serve(makePassphrase, async ({ userId, by }) => {
      requireSole(by);
      return { data: { passphrase: await sinks.makePassphrase(userId, by) } };
    }),
    serve(testSink, async ({ body, by }) => {
      requireSole(by);
      try {
        return { data: { reached: true, message: await sinks.test(body.name), hint: "" } };
      } catch (error) {
        if (!(error instanceof FlancoError) || NOT_MADE.includes(error.code)) throw error;
        return { data: { reached: false, message: error.message, hint: error.hint ?? "" } };
      }
    }),
  ];
}
