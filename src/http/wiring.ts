import { listWirings, removeWiring, setWiring } from "../contract/wiring.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Lines } from "../domain/lines.ts";
import { actorOf } from "./audit.ts";
import { type Endpoint, serve } from "./router.ts";

export function wiringEndpoints(
  reader: Pick<LedgerReader, "wirings">,
  writer: Pick<LedgerWriter, "setWiring" | "removeWiring">,
  lines: Lines,
): readonly Endpoint[] {
  return [
    serve(listWirings, ({ userId }) => {
      const { failures, watched } = lines.status();
      const problems = new Map(failures.map(({ line, message }) => [line, message]));
      const data = reader.wirings(userId).map(({ userId: _user, deviceId, valorMicros, ...wiring }) => ({
        ...wiring,
        valor: valorFromMicros(valorMicros),
        watched: watched.includes(wiring.line),
        problem: problems.get(wiring.line) ?? null,
      }));
      return { data };
    }),
    serve(setWiring, async ({ userId, signedIn, body, context }) => {
      const { valor, ...rest } = body.wiring;
      await lines.wire([rest.line], ([line = rest.line]) => {
        const wiring = { ...rest, line, valorMicros: microsFromValor(valor) };
        return writer.setWiring([{ userId, wiring }], actorOf(context, signedIn.memberId));
      });
    }),
    serve(removeWiring, async ({ userId, signedIn, query, context }) => {
      const line = await lines.wiredName(query.line);
      await writer.removeWiring(userId, line, actorOf(context, signedIn.memberId));
      await lines.reconcile();
    }),
  ];
}
