import { formatMonth } from "../domain/archive.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { archivesAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";

export function archiveEndpoints(reader: Pick<LedgerReader, "archivedMonths">): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/archives",
      summary:
        "The months whose records are archived: summaries hold them still; lists, exports and reports do not.",
      session: true,
      status: 200,
      answer: archivesAnswer,
      errors: ["unavailable", "internal"],
      run: ({ userId }) => ({
        status: "success",
        data: { months: reader.archivedMonths(userId).map(formatMonth) },
      }),
    }),
  ];
}
