import DatabaseConstructor, { type Database } from "better-sqlite3";
import type { Sighting } from "../../src/domain/sale.ts";
import type { ChipRequest, SimulatedChip, TrueEdge } from "./chip.ts";
import { settledAgainst } from "./closings.ts";
import { Fold, type Input, type Sale } from "./fold.ts";
import type { Commit } from "./process.ts";
import type { SimulatedTime } from "./time.ts";
import { ROUNDING_MS, Truth } from "./truth.ts";

const US_PER_MS = 1_000;
/** What the process could read of a line only so long before it was unwired may go with a power cut, and without a gap. */
const ON_ITS_WAY_US = 5_000_000;

/** Knows what must be in the ledger: from what truly happened to the lines, and from which commands were committed. */
export class Model {
  readonly #truth: Truth;
  readonly #time: Pick<SimulatedTime, "turnFrom">;
  #commits: Commit[] = [];
  /** What restores have left out. A later one may take it in again: a restored ledger counts its commits on from there. */
  #leftOut: Commit[] = [];
  readonly #wrong: string[] = [];
  /** Times that a restore has taken back. */
  readonly #undone: { readonly fromUs: number; readonly toUs: number }[] = [];

  constructor(chip: SimulatedChip, time: Pick<SimulatedTime, "turnFrom">) {
    this.#truth = new Truth(chip);
    this.#time = time;
  }

  boot(bootId: string, startUs: number, errorUs: number): void {
    this.#truth.boots.set(bootId, { startUs, errors: [{ fromUs: startUs, errorUs }] });
  }

  /** The clock is right from here on. */
  setClock(bootId: string): void {
    this.#truth.boot(bootId).errors.push({ fromUs: this.#truth.chip.now().us, errorUs: 0 });
  }

  commit(commit: Commit): void {
    this.#commits.push(commit);
  }

  /**
   * What the process had not committed is lost, unless the kernel holds the line on and the next process can know it.
   * `kept`: requests that must outlive the process where they are known.
   */
  endProcess(kept: readonly ChipRequest[]): void {
    const { seen, known } = this.#seen();
    for (const request of kept) {
      if (known.has(request) && !request.isOpen) this.#wrong.push(`not kept: ${request.line}`);
    }
    for (const edge of this.#truth.chip.edges) {
      const isKept = edge.request?.isOpen === true && known.has(edge.request);
      if (!seen.has(edge) && !isKept) edge.isLossy = true;
    }
  }

  /** The ledger holds these commits alone, and must hold so many. */
  goBack(held: number, must: number): void {
    if (held < must) this.#wrong.push(`the ledger has ${held} commits of ${must} that it must have`);
    const { seen } = this.#seen();
    const kept = this.#commits.filter(({ number }) => number <= held);
    const last = kept.at(-1)?.number ?? 0;
    const isAgain = ({ number }: Commit) => last < number && number <= held;
    const gone = this.#commits.filter(({ number }) => number > held);
    const [first] = gone;
    this.#commits = [...kept, ...this.#leftOut.filter(isAgain)];
    this.#leftOut = [...this.#leftOut.filter((commit) => !isAgain(commit)), ...gone];
    const { seen: left } = this.#seen();
    for (const edge of this.#truth.chip.edges) {
      if (!seen.has(edge)) edge.isLossy = true;
      else if (!left.has(edge)) edge.isErased = true;
    }
    if (first !== undefined)
      this.#undone.push({ fromUs: first.atUs - US_PER_MS, toUs: this.#truth.chip.now().us });
  }

  /** Everything in which the ledger is not as it must be. */
  compare(file: string, userId: string): readonly string[] {
    const fold = new Fold(this.#truth);
    for (const commit of this.#commits) fold.take(commit);
    fold.settle();
    const db = new DatabaseConstructor(file, { readonly: true });
    try {
      const wrong = [
        ...salesAgainst(db, fold),
        ...difference(
          "gaps of overflow",
          db,
          "SELECT line || ' ' || missed || ' ' || missed_rises FROM gap WHERE reason = 'overflow'",
          fold.overflows,
        ),
        ...difference(
          "rises under test",
          db,
          "SELECT line || ' ' || boot_id || ' ' || monotonic_ns FROM tested_edge JOIN boot USING (boot)",
          fold.tested,
        ),
        ...settledAgainst(
          db,
          userId,
          [...fold.sales.values()].filter(({ key }) => !fold.isVoid(key)),
          fold.closed,
        ),
        ...this.#lostWithoutGap(db, fold),
      ];
      return [...this.#wrong, ...fold.wrong, ...wrong];
    } finally {
      db.close();
    }
  }

  #seen(): { readonly seen: ReadonlySet<TrueEdge>; readonly known: ReadonlySet<ChipRequest> } {
    const { chip } = this.#truth;
    const byMoment = new Map(chip.edges.map((edge) => [`${edge.line} ${edge.atUs}`, edge]));
    const seen = new Set<TrueEdge>();
    const known = new Set<ChipRequest>();
    for (const sighting of this.#commits.flatMap(sightingsOf)) {
      const { line, source } = sighting;
      const us = this.#truth.usOf(sighting);
      const edge = source.sequence === 0 ? undefined : byMoment.get(`${line} ${us}`);
      if (edge !== undefined) seen.add(edge);
      const request = chip.requests.findLast((one) => one.line === line && one.fromUs <= us);
      if (request !== undefined) known.add(request);
    }
    return { seen, known };
  }

  /** Each edge of a wired line since it was first seen is taken in; a rise that cannot be lies in a gap. */
  #lostWithoutGap(db: Database, { wired, zeros, counted }: Fold): string[] {
    const gaps = db
      .prepare<[], { line: string; fromMs: number; toMs: number }>(
        "SELECT line, from_ms AS fromMs, to_ms AS toMs FROM gap",
      )
      .all();
    const { boots, chip } = this.#truth;
    const isTimeKnown = [...boots.keys()].every((bootId) => zeros.has(bootId));
    const isIn = (line: string, ms: number) =>
      gaps.some((gap) => {
        if (gap.line !== line) return false;
        return !isTimeKnown || (gap.fromMs - ROUNDING_MS <= ms && ms <= gap.toMs + ROUNDING_MS);
      });
    const { seen } = this.#seen();
    return chip.edges.flatMap((edge) => {
      const { line, atUs, high } = edge;
      const changes = wired.get(line) ?? [];
      const stretch = changes.findLast(({ fromUs }) => fromUs <= atUs)?.stretch;
      const next = changes.find(({ fromUs }) => fromUs > atUs);
      if (stretch?.firstUs === undefined || atUs <= stretch.firstUs) return [];
      if (seen.has(edge) || counted.has(edge) || edge.isErased) return [];
      if (this.#undone.some(({ fromUs, toUs }) => fromUs <= atUs && atUs <= toUs)) return [];
      const text = `${line} ${high ? "high" : "low"} at ${atUs}`;
      if (!edge.isLossy) return [`never taken in: ${text}`];
      // A line that is not wired any more has no gaps.
      if (next?.stretch === null && next.fromUs - this.#time.turnFrom(atUs) < ON_ITS_WAY_US) return [];
      return high && !isIn(line, atUs / US_PER_MS) ? [`lost without a gap: ${text}`] : [];
    });
  }
}

function sightingsOf({ batch, accepted }: Commit): readonly Sighting[] {
  return batch.commands.flatMap(({ name, input }, index) =>
    name === "takeIn" && accepted[index] === true ? (input as Input<"takeIn">)[0] : [],
  );
}

function salesAgainst(db: Database, fold: Fold): string[] {
  const { sales } = fold;
  const rows = db
    .prepare<[], Omit<Sale, "provisional"> & { isVoid: number }>(
      `SELECT CASE WHEN origin = 'refund' THEN 'refund ' || record_id WHEN origin = 'by_hand' THEN reason
                   WHEN line IS NULL THEN room ELSE line || ' ' || boot_id || ' ' || monotonic_ns END AS key, room,
              valor_micros AS valorMicros, effective_ms AS timeMs, voided_by IS NOT NULL AS isVoid
         FROM record LEFT JOIN boot USING (boot)`,
    )
    .all();
  const found = new Set<string>();
  const wrong = rows.flatMap((row) => {
    const sale = sales.get(row.key);
    if (sale === undefined) return [`no such sale: ${JSON.stringify(row)}`];
    if (found.has(row.key)) return [`counted twice: ${JSON.stringify(row)}`];
    found.add(row.key);
    const { room, valorMicros, timeMs } = sale;
    const isRight = row.room === room && row.valorMicros === valorMicros;
    if ((row.isVoid === 1) !== fold.isVoid(row.key)) return [`wrongly void, or not: ${JSON.stringify(row)}`];
    if (isRight && Math.abs(row.timeMs - timeMs) <= ROUNDING_MS) return [];
    return [`recorded: ${JSON.stringify(row)}, must be ${JSON.stringify(sale)}`];
  });
  for (const sale of sales.values()) if (!found.has(sale.key)) wrong.push(`lost: ${JSON.stringify(sale)}`);
  return wrong;
}

/** What the ledger has and what it must have. */
function difference(what: string, db: Database, sql: string, texts: readonly string[]): string[] {
  const [stored, must] = [db.prepare<[], string>(sql).pluck().all(), texts].map((all) =>
    all.toSorted().join(", "),
  );
  return stored === must ? [] : [`${what}: ${stored}; must be ${must}`];
}
