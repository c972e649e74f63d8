import type { Patch } from "../../scripts/patch.ts";

const RECORDER = "src/gpio/recorder.ts";
const LINE = "src/ledger/nouns/line.ts";
const SETTLEMENT = "src/ledger/nouns/settlement.ts";
const COMMITTER = "src/ledger/engine/committer.ts";

/** Versions of the program that each lack one protection: the simulation must find that soon. */
export const SIMULATED_CONTROLS = {
  "a refused command stays in its batch": [
    { file: COMMITTER, from: "      this.#rollbackTo.run();\n", to: "" },
  ],
  "a level that was told twice counts twice": [
    { file: "src/domain/sale.ts", from: "seen.sequence <= saved.sequence;", to: "seen.sequence < 0;" },
    {
      file: LINE,
      from: 'if (meaning === "repeated" || (isRise && isRecorded(sighting)))',
      to: 'if (meaning === "repeated")',
    },
    {
      file: "src/ledger/engine/schema.ts",
      from: "CREATE UNIQUE INDEX record_by_source",
      to: "CREATE INDEX record_by_source",
    },
    { file: "src/gpio/line-descriptor.ts", from: "distance > 0).map", to: "distance > -2).map" },
  ],
  "the level is not saved with its sale": [
    {
      file: LINE,
      from: "    saveState(sighting, meaning, boot, recordId);",
      to: '    if (meaning !== "sale") saveState(sighting, meaning, boot, recordId);',
    },
  ],
  "the tail is not made again": [
    {
      file: "src/ledger/safety/recover.ts",
      from: "repeatCommits(db, remains.segments);",
      to: "repeatCommits(db, []);",
    },
  ],
  "a restore does not make the tail again": [
    {
      file: "src/ledger/safety/restore.ts",
      from: "repeatCommits(restoring, tail);",
      to: "repeatCommits(restoring, []);",
    },
  ],
  "edges are sent newest first": [
    {
      file: "src/gpio/sighting-queue.ts",
      from: "await this.#writer.takeIn(batch);",
      to: "await this.#writer.takeIn(batch.toReversed());",
    },
  ],
  "a change of a room does not wait for the edges that were seen before it": [
    {
      file: "src/ledger/engine/writer.ts",
      from: "settled.then(add)",
      to: "add()",
    },
  ],
  "the rearm time is measured by clocks that are not trusted": [
    {
      file: "src/domain/sale.ts",
      from: "if (!sameBoot && (state.changed.provisional || sighting.provisional)) return true;",
      to: "",
    },
  ],
  "a time without a watch is no gap": [
    {
      file: LINE,
      from: "if (before !== undefined) gaps.outage(end, unwatchedSince, before, gapReason);",
      to: "",
    },
  ],
  "nothing looks for swallowed edges": [
    {
      file: "src/gpio/chardev.ts",
      from: "for (const line of [...this.#lines]) line.compareLevel();",
      to: "",
    },
  ],
  "lost edges are no gap": [
    { file: LINE, from: "if (missed > 0) gaps.overflow(end, missed, before);", to: "" },
  ],
  "lines are not kept for the next process": [
    {
      file: "src/gpio/kept-lines.ts",
      from: "      this.#keeper.keep(name, [descriptor.fd, memory]);\n",
      to: "",
    },
  ],
  "what was read and not committed is not taken up again": [
    { file: "src/gpio/chardev.ts", from: "descriptor.recover(resumeAfter)", to: "[]" },
  ],
  "a high that was found at the start is no sale": [
    {
      file: "src/domain/sale.ts",
      from: 'if (!sighting.active) return "end";',
      to: 'if (!sighting.active) return "end";\n  if (sighting.source.sequence === 0) return "same_sale";',
    },
  ],
  "no idempotency key is kept": [
    {
      file: "src/ledger/nouns/record.ts",
      from: 'once(userId, idempotency, () => {\n        const given = add({ userId, record, origin: "posted"',
      to: 'once(userId, null, () => {\n        const given = add({ userId, record, origin: "posted"',
    },
  ],
  "sales before the clock was set stay where they are": [
    { file: "src/service/clock-watch.ts", from: "await settleTimes(writer, bootId, zeroMs)", to: "0" },
  ],
  "a commit without entries has the number of the one before": [
    { file: COMMITTER, from: "if (!hasGrown || this", to: "if (this" },
  ],
  "the hash of a refused command stays in the chain": [
    { file: COMMITTER, from: "      this.#chain.forget();\n", to: "" },
  ],
  "a void leaves the sums that hold the record": [
    {
      file: "src/ledger/nouns/correction.ts",
      from: "context.rollups.move(record, -1);\n    const valor",
      to: "const valor",
    },
  ],
  "more than is left of a sale is given back": [
    { file: "src/ledger/nouns/by-hand.ts", from: "if (valorMicros > leftMicros)", to: "if (false)" },
  ],
  "a void leaves the refunds of its sale": [
    {
      file: "src/ledger/nouns/correction.ts",
      from: "    for (const refund of refundsOf.all(record.userId, record.number)) voidOne(refund, reason, by);\n",
      to: "",
    },
  ],
  "a refund counts as a sale once it is rolled up": [
    { file: "src/ledger/nouns/rollup.ts", from: "count(*) FILTER (WHERE refund_of IS NULL)", to: "count(*)" },
  ],
  "what is rolled up is rolled up again": [
    { file: "src/ledger/nouns/rollup.ts", from: "    this.#setRolledUp.run(to);\n", to: "" },
  ],
  "a restored ledger counts its commits on": [
    {
      file: "src/ledger/engine/chain.ts",
      from: "Math.max(readCommits(db), known) +",
      to: "readCommits(db) +",
    },
  ],
  "another line's edge is a sign of life": [
    {
      file: "src/ledger/nouns/boot.ts",
      from: "last_ms AS monotonicMs FROM",
      to: "max(last_ms, (SELECT coalesce(max(changed_ns) / 1e6, 0) FROM line_state WHERE changed_boot = boot.boot)) AS monotonicMs FROM",
    },
  ],
  "kept lines count as watched before their edges are committed": [
    { file: RECORDER, from: "    await this.#queue.idle();\n", to: "" },
    { file: RECORDER, from: "isWatched && this.#queue.oldest === undefined", to: "isWatched" },
  ],
  "the sign of life passes what waits": [
    {
      file: RECORDER,
      from: "if (this.#queue.oldest === undefined) this.#committedMs = readMs;",
      to: "this.#committedMs = readMs;",
    },
  ],
  "the sign of life passes what is not read": [
    {
      file: RECORDER,
      from: "    const readMs = this.#readMs;\n",
      to: "    const readMs = monotonicMs(this.#dependencies.clock);\n",
    },
  ],
  "a line under test sells": [
    {
      file: LINE,
      from: "isRise && keepTested(sighting, room, boot)",
      to: "isRise && keepTested(sighting, room, boot) && false",
    },
  ],
  "a test does not end": [
    {
      file: "src/ledger/nouns/commission.ts",
      from: "    for (const { testId } of ended) closeTest.run(moment.boot, moment.monotonicMs, testId);\n",
      to: "",
    },
  ],
  "paid time is measured by clocks that are not trusted": [
    { file: "src/domain/sale.ts", from: "timeMs: provisional ? null : timeMs", to: "timeMs" },
  ],
  "what fell into paid time stays sold once the clock is set": [
    {
      file: "src/ledger/nouns/correction.ts",
      from: "const decided = paid.settle(bootId, MAX_MOVED);",
      to: "const decided = 0;",
    },
  ],
  "a void leaves its room paid": [
    { file: "src/ledger/nouns/correction.ts", from: "    paid.free(recordId);\n", to: "" },
  ],
  "a planned price does not come": [
    {
      file: "src/ledger/nouns/price.ts",
      from: "day: atMs === null ? null : calendar.dayOf(atMs),",
      to: "day: 0,",
    },
  ],
  "a price that is set is compared with the one that a wrong clock has": [
    {
      file: "src/ledger/nouns/price.ts",
      from: "dayAt(saleMs(nowMs))",
      to: "dayAt(nowMs)",
    },
  ],
  "a price that is set holds from where a wrong clock is": [
    {
      file: "src/ledger/nouns/price.ts",
      from: "const heldMs = from === null ? saleMs(nowMs) : null;",
      to: "const heldMs = from === null ? nowMs : null;",
    },
  ],
  "what comes late for a closed month is in no settlement": [
    {
      file: SETTLEMENT,
      from: "FROM record r NOT INDEXED WHERE",
      to: "FROM record r NOT INDEXED WHERE 0 AND",
    },
  ],
  "what is corrected of a closed month is in no settlement": [
    { file: SETTLEMENT, from: "WHERE k.correction_id > @since AND", to: "WHERE 0 AND" },
  ],
  "a settlement counts what the one before has counted": [
    {
      file: SETTLEMENT,
      from: "const since = previous?.mark.position ?? mark.position;",
      to: "const since = 0;",
    },
  ],
  "a start forgets since when its lines are not watched": [
    { file: RECORDER, from: "    this.#unwatched.begin(lastSign);\n", to: "" },
  ],
} as const satisfies Readonly<Record<string, readonly Patch[]>>;
