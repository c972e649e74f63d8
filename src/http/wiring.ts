import {
  cancelPrices,
  importWirings,
  listPrices,
  listWirings,
  movePaidTime,
  removeWiring,
  setPrices,
  setWiring,
} from "../contract/wiring.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import { FlancoError, invalidField } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Lines, LinesStatus } from "../domain/line.ts";
import { seesMoney } from "../domain/member.ts";
import { accountOf } from "./account.ts";
import { deviceSight, requireDevice, requireLine, seenDevices } from "./limit.ts";
import { type Endpoint, serve } from "./router.ts";

/** What wiring needs of the lines. */
export interface WiredLines extends Pick<Lines, "wire" | "wiredNames" | "reconcile"> {
  status(): Pick<LinesStatus, "watched" | "failures">;
}

/** The lines while no service runs: none is watched, and each is called as it is typed. */
export const UNWATCHED_LINES: WiredLines = {
  status: () => ({ watched: [], failures: [] }),
  wire: (lines, save) => save(lines),
  wiredNames: async (lines) => lines,
  reconcile: async () => {},
};

export function wiringEndpoints(
  reader: Pick<LedgerReader, "wirings" | "prices" | "members" | "credentials" | "devices">,
  writer: Pick<
    LedgerWriter,
    "setWiring" | "removeWiring" | "setPrices" | "planPrices" | "cancelPrices" | "movePaidTime"
  >,
  lines: WiredLines,
  clock: Pick<Clock, "nowMs">,
): readonly Endpoint[] {
  return [
    serve(listWirings, async ({ userId, signedIn }) => {
      const isSeen = await deviceSight(reader, signedIn);
      const { failures, watched } = lines.status();
      const isWatched = new Set(watched);
      const problems = new Map(failures.map(({ line, message }) => [line, message]));
      const data = reader
        .wirings(userId, clock.nowMs())
        .filter(({ deviceId }) => isSeen(deviceId))
        .map(({ userId: _user, deviceId, valorMicros, ...wiring }) => ({
          ...wiring,
          valor: seesMoney(signedIn.role) ? valorFromMicros(valorMicros) : null,
          watched: isWatched.has(wiring.line),
          problem: problems.get(wiring.line) ?? null,
        }));
      return { data };
    }),
    serve(setWiring, async ({ userId, signedIn, body, by }) => {
      const { valor, paidMinutes, ...rest } = body.wiring;
      const setsPrices = seesMoney(signedIn.role);
      if (valor === undefined && setsPrices) {
        throw invalidField("valor", "required", "is required");
      }
      if ((valor ?? paidMinutes) !== undefined && !setsPrices) {
        throw new FlancoError("forbidden", "Only an owner of the account sets prices.", {
          hint: "Leave valor and paidMinutes out: the room keeps them, or takes the commonest price of the account.",
        });
      }
      await requireDevice(reader, signedIn, rest.dId);
      await lines.wire([rest.line], async ([line = rest.line]) => {
        await requireLine(reader, signedIn, line);
        const valorMicros = valor === undefined ? null : microsFromValor(valor);
        const wiring = { ...rest, line, valorMicros, paidMinutes: setsPrices ? (paidMinutes ?? 0) : null };
        return writer.setWiring([{ userId, wiring }], by);
      });
    }),
    serve(importWirings, ({ body, by }) =>
      lines.wire(
        body.wirings.map(({ line }) => line),
        (names) => {
          const owned = body.wirings.map(({ user, valor, ...wiring }, index) => ({
            userId: accountOf(reader, user),
            wiring: { ...wiring, line: names[index] ?? wiring.line, valorMicros: microsFromValor(valor) },
          }));
          return writer.setWiring(owned, by);
        },
      ),
    ),
    serve(listPrices, async ({ userId, signedIn, query: { dId, room } }) => {
      const seen =
        signedIn.limit && new Set((await seenDevices(reader, signedIn)).map((device) => device.dId));
      const of = dId === undefined || room === undefined ? null : { dId, room };
      const data = reader
        .prices(userId, of, clock.nowMs())
        .filter((price) => seen === null || seen.has(price.dId))
        .map(({ valorMicros, fromDay, setMs, ...price }) => ({
          ...price,
          valor: valorFromMicros(valorMicros),
          setTime: setMs,
          from: fromDay === null ? null : formatDay(fromDay),
        }));
      return { data };
    }),
    serve(cancelPrices, ({ userId, query: { from, valor }, by }) =>
      writer.cancelPrices(userId, from, microsFromValor(valor), by),
    ),
    serve(setPrices, ({ userId, body: { price }, by }) => {
      const tariff = {
        valorMicros: microsFromValor(price.valor),
        paidMinutes: price.paidMinutes ?? null,
      };
      return price.from === undefined
        ? writer.setPrices(userId, price.lines, tariff, by)
        : writer.planPrices(userId, price.lines, tariff, price.from, by);
    }),
    serve(movePaidTime, async ({ userId, signedIn, body: { move }, by }) => {
      for (const { dId } of [move.from, move.to]) await requireDevice(reader, signedIn, dId);
      await writer.movePaidTime(userId, move.from, move.to, by);
    }),
    serve(removeWiring, async ({ userId, signedIn, query, by }) => {
      const [line = query.line] = await lines.wiredNames([query.line]);
      await requireLine(reader, signedIn, line);
      await writer.removeWiring(userId, line, by);
      await lines.reconcile();
    }),
  ];
}
