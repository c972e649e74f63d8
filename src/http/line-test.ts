import { beginTest, endTest, listTestedEdges } from "../contract/line-test.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { TestedEdge } from "../domain/line-test.ts";
import { type Endpoint, serve } from "./router.ts";

/** Edges of one answer. */
export const SHOWN_EDGES = 200;

export function lineTestEndpoints(
  reader: Pick<LedgerReader, "testedEdges">,
  writer: Pick<LedgerWriter, "beginTest" | "endTest">,
): readonly Endpoint[] {
  return [
    serve(beginTest, async ({ userId, body: { test }, by }) => {
      const lines = [...new Set(test.lines)];
      await writer.beginTest(userId, lines, test.minutes * MINUTE_MS, by);
    }),
    serve(endTest, ({ userId, query, by }) => writer.endTest(userId, query.line ?? null, by)),
    serve(listTestedEdges, ({ userId }) => ({
      data: reader.testedEdges(userId, SHOWN_EDGES).map(toTestedEdgeAnswer),
    })),
  ];
}

export function toTestedEdgeAnswer({ timeMs, ...edge }: TestedEdge) {
  return { ...edge, time: timeMs };
}
