import { acknowledgeFindings, correctClock, listReclocked, rotateSecret } from "../contract/operator.ts";
import type { Actor } from "../domain/audit.ts";
import type { ClockCorrected, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { type Endpoint, serve } from "./router.ts";

export interface OperatorDependencies {
  readonly reader: Pick<LedgerReader, "reclocked">;
  readonly writer: Pick<LedgerWriter, "correctClock" | "noteAudit">;
  /** Replaces the secret that signs sessions. Resolves with the number of sessions that ended. */
  readonly rotateSecret: (by: Actor) => Promise<number>;
  /** Called with the keys of findings that were acknowledged: they are no fault any more. */
  readonly acknowledged: (keys: string) => void;
  /** Called when the sales of a boot got other times by another zero of its clock. */
  readonly clockCorrected: (bootId: string, zeroMs: number) => void;
}

/** What an operator does to the gateway as a whole. */
export function operatorEndpoints(dependencies: OperatorDependencies): readonly Endpoint[] {
  const { reader, writer } = dependencies;
  return [
    serve(rotateSecret, async ({ by }) => ({ data: { ended: await dependencies.rotateSecret(by) } })),
    serve(listReclocked, () => ({ data: reader.reclocked() })),
    serve(correctClock, async ({ body: { bootId, zeroMs }, by }) => {
      let moved = 0;
      for (let after: number | null = 0; after !== null; ) {
        const step: ClockCorrected = await writer.correctClock(bootId, zeroMs, after, by);
        moved += step.moved;
        after = step.after;
      }
      dependencies.clockCorrected(bootId, zeroMs);
      return { data: { moved } };
    }),
    serve(acknowledgeFindings, async ({ body: details, by }) => {
      await writer.noteAudit([{ kind: "findings_acknowledged", userId: null, details, actor: by }]);
      dependencies.acknowledged(details.findings);
    }),
  ];
}
