import type { SumSource } from "../ledger/nouns/rollup-sum.ts";

/** The same sums, of a database that answers later. */
export type LaterSums = {
  readonly [N in keyof SumSource]: (...input: Parameters<SumSource[N]>) => Promise<ReturnType<SumSource[N]>>;
};

/** Ends a computation at a read whose answer is not there yet. */
class NotRead extends Error {}

/**
 * Runs a computation of sums that answer at once on sums that answer later. It ends at the first
 * read whose answer is not there, and is run again with it, until it has all of its answers: it
 * must always make the same reads, in one order.
 */
export async function whenRead<T>(later: LaterSums, compute: (sums: SumSource) => T): Promise<T> {
  const answers: unknown[] = [];
  for (;;) {
    let reads = 0;
    let missing: Promise<unknown> | undefined;
    const read = <N extends keyof SumSource>(name: N) => {
      const ask: (...input: Parameters<SumSource[N]>) => Promise<unknown> = later[name].bind(later);
      return (...input: Parameters<SumSource[N]>): ReturnType<SumSource[N]> => {
        reads += 1;
        // The answer to the read of that name: the reads come in one order.
        if (reads <= answers.length) return answers[reads - 1] as ReturnType<SumSource[N]>;
        missing = ask(...input);
        throw new NotRead();
      };
    };
    try {
      return compute({
        firstDay: read("firstDay"),
        sums: read("sums"),
        sellers: read("sellers"),
        goneDevices: read("goneDevices"),
        distinct: read("distinct"),
        soFar: read("soFar"),
      });
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
    }
    answers.push(await missing);
  }
}
