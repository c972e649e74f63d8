import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Lines } from "../domain/lines.ts";
import { success, wiringAnswer } from "./answer.ts";
import { actorOf } from "./audit.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { wiringBody, wiringQuery } from "./schema.ts";

export function wiringEndpoints(
  reader: Pick<LedgerReader, "wirings">,
  writer: Pick<LedgerWriter, "setWiring" | "removeWiring">,
  lines: Lines,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/wiring",
      summary: "Which line is which room, and whether it is being watched.",
      session: true,
      status: 200,
      answer: wiringAnswer,
      errors: ["unavailable", "internal"],
      run: ({ userId }) => {
        const status = lines.status();
        const problems = new Map(status.failures.map(({ line, message }) => [line, message]));
        const data = reader.wirings(userId).map((wiring) => ({
          line: wiring.line,
          dId: wiring.dId,
          deviceName: wiring.deviceName,
          actuatorId: wiring.actuatorId,
          valor: valorFromMicros(wiring.valorMicros),
          activeLow: wiring.activeLow,
          bias: wiring.bias,
          debounceMs: wiring.debounceMs,
          rearmMs: wiring.rearmMs,
          watched: status.watched.includes(wiring.line),
          problem: problems.get(wiring.line) ?? null,
        }));
        return { status: "success", data };
      },
    }),
    endpoint({
      method: "put",
      path: "/wiring",
      summary: "Wire a line to a room, or change the settings of one that is.",
      session: true,
      body: wiringBody,
      wrapper: "wiring",
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "conflict", "overloaded", "unavailable", "internal"],
      run: async ({ userId, body, context }) => {
        const { valor, ...rest } = body.wiring;
        const wiring = { ...rest, valorMicros: microsFromValor(valor) };
        await lines.wire([rest.line], () => writer.setWiring([{ userId, wiring }], actorOf(context, userId)));
        return { status: "success" };
      },
    }),
    endpoint({
      method: "delete",
      path: "/wiring",
      summary: "Unwire a line. It is released; its records stay.",
      session: true,
      query: wiringQuery,
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "overloaded", "unavailable", "internal"],
      run: async ({ userId, query, context }) => {
        await writer.removeWiring(userId, query.line, actorOf(context, userId));
        await lines.reconcile();
        return { status: "success" };
      },
    }),
  ];
}
