import type { OperationCode, OperationName } from "../contract/operator.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import {
  type CommissionDependencies,
  finishWithReport,
  reportHeads,
  reportOf,
  toStateAnswer,
} from "./commission.ts";

type CommissionOperation = Extract<OperationName, `${string}Commission${string}`>;

interface Dependencies extends Pick<CommissionDependencies, "reader" | "numbers"> {
  /** The parts of the running service. Throws `unavailable` while none runs. */
  readonly running: () => Pick<CommissionDependencies, "commissioner" | "status">;
  /** The account of a member; without an e-mail the only one. */
  readonly accountOf: (email: string | undefined) => Id;
}

/** What a technician does on the gateway itself to commission the rooms of one account. */
export function commissionOperations({ reader, numbers, running, accountOf }: Dependencies): {
  readonly [N in CommissionOperation]: OperationCode<N>;
} {
  const account = ({ user }: { readonly user?: string | undefined }): Id => accountOf(user);
  return {
    beginCommission: async ({ lines = null, freeLines, minutes, ...input }, by) => {
      await running().commissioner.begin(account(input), { lines, freeLines }, minutes * MINUTE_MS, by);
      return null;
    },
    showCommission: async (input) => toStateAnswer(await running().commissioner.state(account(input))),
    askCommissionRoom: async (input) => {
      await running().commissioner.ask(account(input), input);
      return null;
    },
    tickCommissionRoom: async (input) => {
      await running().commissioner.tick(account(input), input, input.note);
      return null;
    },
    mendCommissionRoom: async (input, by) => {
      await running().commissioner.mend(account(input), input, by);
      return null;
    },
    endCommission: async (input, by) => {
      await running().commissioner.end(account(input), by);
      return null;
    },
    finishCommission: async ({ technician, clinic, ...input }, by) => {
      const { commissioner, status } = running();
      const parts = { commissioner, status, reader, numbers };
      return { number: await finishWithReport(parts, account(input), { technician, clinic }, by) };
    },
    listCommissionReports: (input) => reportHeads(reader, account(input), numbers),
    showCommissionReport: ({ number = null, ...input }) => reportOf(reader, account(input), number, numbers),
  };
}
