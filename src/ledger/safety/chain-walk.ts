import type { Database, Statement } from "better-sqlite3";
import type { AuditKind } from "../../domain/audit.ts";
import type { KeptHead } from "../../domain/backup.ts";
import { wallTimeMs } from "../../domain/boot.ts";
import { type ChainHead, NO_HASH } from "../../domain/chain-entry.ts";
import { NS_PER_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import { anchorOf, correctionText, evidenceText, hashOf, readRolledUp } from "../engine/chain.ts";
import { type EvidenceRow, SELECT_EVIDENCE } from "../nouns/audit.ts";
import { type CorrectionRow, SELECT_CORRECTION, toCorrection } from "../nouns/correction.ts";
import { type Cost, type Findings, toldBy } from "./finding.ts";

/** The audit entries of what writes `lost` entries. */
const REPAIRS: ReadonlySet<string> = new Set<AuditKind>(["ledger_rebuilt", "ledger_restored"]);

/** What the walk takes of a record, beside its canonical form. */
export interface WalkedRecord {
  readonly position: number;
  readonly userId: Id;
  /** Among the account's records. */
  readonly number: number;
  readonly valorMicros: number;
  readonly createdTimeMs: number;
  readonly provisional: number;
  /** The time that it counts at. */
  readonly timeMs: number;
  readonly voidedBy: number | null;
  readonly hash: string;
}

/** Entries that are not there. */
interface Hole {
  readonly from: number;
  readonly to: number;
  /** The hash of the entry after it. */
  readonly mark: string;
  /** The `lost` entry that says so; undefined where none does. */
  readonly loss: CorrectionRow | undefined;
  /** The numbers of records and audit entries that are missing with them, for people. */
  readonly numbers: string[];
}

/** The last number of an account's records or audit entries. */
interface LastNumber {
  readonly number: number;
  /** `#missing` up to it. */
  readonly missing: number;
}

/** The records and their sum up to an entry of the walk. */
interface RunningTotal {
  records: number;
  totalMicros: bigint;
}

/**
 * Follows the chain of hashes from its first entry to its newest, and finds what
 * was removed, altered or inserted, and what contradicts what it corrects. Fed
 * with the records in their order, so that a large ledger is never held whole.
 */
export class ChainWalk {
  readonly #findings: Findings;
  /** The moment of a record's edge by the monotonic clock. */
  readonly #moments: Statement<[number], { readonly bootId: string; readonly monotonicNs: number }>;
  /** Corrections and audit entries in their order. They are few beside the records. */
  readonly #others: readonly (CorrectionRow | EvidenceRow)[];
  /** Corrections of records that are still to come. */
  readonly #corrections = new Map<number, CorrectionRow[]>();
  /** `lost` entries by the position after the hole. */
  readonly #losses = new Map<number, CorrectionRow>();
  readonly #evidence: ReadonlyMap<number, EvidenceRow>;
  readonly #heads: readonly KeptHead[];
  /** Amounts of records that a correction to come voids. */
  readonly #voided = new Map<number, number>();
  readonly #numbers = new Map<string, LastNumber>();
  /** How many entries are missing or altered up to here. */
  #missing = 0;
  #nextOther = 0;
  #nextHead = 0;
  #position = 0;
  #hash = NO_HASH;
  #held: RunningTotal = { records: 0, totalMicros: 0n };
  /** Holes since the last head. */
  #holes: Hole[] = [];
  /** What the ledger lacks of what the last head had. */
  #lacking: RunningTotal = { records: 0, totalMicros: 0n };
  /** The mark `rolled_up`: an entry that was the head once. */
  readonly #rolledUp: ChainHead;

  /** @param heads the heads of proved backups, by position */
  constructor(db: Database, findings: Findings, heads: readonly KeptHead[]) {
    this.#findings = findings;
    this.#heads = heads;
    this.#rolledUp = readRolledUp(db);
    this.#moments = db.prepare(
      `SELECT boot_id AS bootId, monotonic_ns AS monotonicNs FROM record JOIN boot USING (boot)
        WHERE record_id = ? AND monotonic_ns IS NOT NULL`,
    );
    const corrections = db
      .prepare<[], CorrectionRow>(`${SELECT_CORRECTION} ORDER BY correction_id`)
      .all()
      .map(toCorrection);
    const evidence = db.prepare<[], EvidenceRow>(`${SELECT_EVIDENCE} WHERE position IS NOT NULL`).all();
    this.#others = [...corrections, ...evidence].sort((one, other) => one.position - other.position);
    this.#evidence = new Map(evidence.map((entry) => [entry.position, entry]));
    for (const correction of corrections) this.#learn(correction, corrections);
  }

  /** Takes the next record, in the order of record_id, with its canonical form. */
  record(record: WalkedRecord, text: string): void {
    const { position, valorMicros } = record;
    this.#othersBefore(position);
    this.#held.records += 1;
    this.#held.totalMicros += BigInt(valorMicros);
    const isSound = this.#follow(position, record.hash, text);
    this.#count("record", record.userId, record, isSound);
    const corrections = this.#corrections.get(position);
    if (corrections === undefined && record.timeMs === record.createdTimeMs && record.voidedBy === null)
      return;
    this.#corrections.delete(position);
    this.#judge(record, corrections ?? []);
  }

  /** Call after the last record: checks the remaining entries and heads. Gives the number of the last entry. */
  finish(): number {
    this.#othersBefore(Number.POSITIVE_INFINITY);
    if (this.#rolledUp.position > this.#position) this.#addHole(this.#rolledUp.position + 1, "");
    for (const head of this.#heads.slice(this.#nextHead)) this.#addRewritten(head, "is missing");
    this.#closeHoles();
    const others = new Set(this.#corrections.size === 0 ? [] : this.#others.map((entry) => entry.position));
    for (const [recordId, corrections] of this.#corrections) {
      // A record that is missing is a finding already.
      if (!others.has(recordId)) continue;
      for (const correction of corrections)
        this.#contradicts(correction, "corrects an entry that is no record");
    }
    for (const entry of this.#evidence.values()) {
      const told = toldBy(entry);
      if (told !== undefined) this.#findings.addTold(told, entry.position);
    }
    for (const lost of this.#losses.values())
      this.#contradicts(lost, "says of entries that are there that they are lost");
    return this.#position;
  }

  #learn(correction: CorrectionRow, all: readonly CorrectionRow[]): void {
    const { kind, recordId, position } = correction;
    if (kind === "lost") {
      this.#learnLoss(correction, all);
      return;
    }
    if ((kind !== "time" && kind !== "void") || recordId === null || recordId >= position) {
      this.#contradicts(correction, "corrects nothing that was there before it");
      return;
    }
    const others = this.#corrections.get(recordId);
    if (others === undefined) this.#corrections.set(recordId, [correction]);
    else others.push(correction);
  }

  /** A repair writes an entry that stands after the newest loss, the `lost` entries, and one of the audit log. */
  #learnLoss(correction: CorrectionRow, all: readonly CorrectionRow[]): void {
    const { position, lostTo, notedMs } = correction;
    if (lostTo === null) {
      if (all.some((other) => other.lostTo === position - 1)) return;
    } else if (this.#isByRepair(position, all) && notedMs > 0) {
      this.#losses.set(lostTo + 1, correction);
      return;
    }
    this.#contradicts(correction, "says that entries were lost, and no rebuild after damage did so");
  }

  #isByRepair(position: number, all: readonly CorrectionRow[]): boolean {
    const kind = this.#evidence.get(position + 1)?.kind;
    if (kind !== undefined) return REPAIRS.has(kind);
    return all.some(
      (next) =>
        next.position === position + 1 && next.lostTo !== null && this.#isByRepair(next.position, all),
    );
  }

  /** Holds what a record counts as against what it says itself and what its corrections say. */
  #judge(record: WalkedRecord, corrections: readonly CorrectionRow[]): void {
    const { position, valorMicros } = record;
    const voidedBy = this.#voidOf(
      record,
      corrections.filter(({ kind }) => kind === "void"),
    );
    const timeMs = this.#timeOf(
      record,
      corrections.filter(({ kind }) => kind === "time"),
    );
    if (voidedBy !== null) this.#voided.set(voidedBy, valorMicros);
    if (record.timeMs !== timeMs) {
      const what = "counts at a time that neither it nor a correction says";
      this.#findings.addOf("altered", position, `time ${record.timeMs}`, what);
    }
    if (record.voidedBy !== voidedBy) {
      const what = "is marked as void, or as counting, and its corrections say otherwise";
      this.#findings.addOf("altered", position, `void ${record.voidedBy}`, what);
    }
  }

  /** The position of the correction that voids a record; null where none does. */
  #voidOf(record: WalkedRecord, [first, ...further]: readonly CorrectionRow[]): number | null {
    for (const correction of further) {
      this.#contradicts(correction, `voids the record ${record.position}, which was void`);
    }
    return first?.position ?? null;
  }

  /**
   * The time of a record by its corrections. One may settle a
   * provisional time; else only a corrected clock moves it.
   */
  #timeOf(record: WalkedRecord, corrections: readonly CorrectionRow[]): number {
    let timeMs = record.createdTimeMs;
    let isSettled = record.provisional === 0;
    for (const correction of corrections) {
      if (isSettled && !this.#isByClock(record, correction)) {
        this.#contradicts(correction, `moves the record ${record.position}, whose time was known`);
      }
      isSettled = true;
      timeMs = correction.timeMs ?? timeMs;
    }
    return timeMs;
  }

  /** Whether an earlier entry says that the clock of the record's boot was corrected to this time. */
  #isByClock(record: WalkedRecord, { position, timeMs }: CorrectionRow): boolean {
    const moment = this.#moments.get(record.position);
    if (moment === undefined) return false;
    const { bootId, monotonicNs } = moment;
    for (const { kind, details, position: before } of this.#evidence.values()) {
      if (kind !== "clock_corrected" || before > position) continue;
      const corrected = valuesOf(details);
      if (corrected["bootId"] !== bootId) continue;
      if (wallTimeMs(Number(corrected["zeroMs"]), monotonicNs / NS_PER_MS) === timeMs) return true;
    }
    return false;
  }

  /** Follows the entries that are no records, up to a position. */
  #othersBefore(position: number): void {
    for (; ; this.#nextOther += 1) {
      const entry = this.#others[this.#nextOther];
      if (entry === undefined || entry.position >= position) return;
      const micros = this.#voided.get(entry.position);
      if (micros !== undefined) this.#held.totalMicros -= BigInt(micros);
      const isCorrection = "lostFrom" in entry;
      const text = isCorrection ? correctionText(entry) : evidenceText(entry);
      const isSound = this.#follow(entry.position, entry.hash, text);
      if (!isCorrection) this.#count("audit entry", entry.userId, entry, isSound);
    }
  }

  /** The next entry of the chain, with its canonical form. Gives whether the entry is the one that its hash says. */
  #follow(position: number, hash: string, text: string): boolean {
    if (position <= this.#position) {
      this.#findings.addOf("inserted", position, `${position}`, "was inserted: its number was taken");
      return false;
    }
    const isNext = position === this.#position + 1;
    const isSound = !isNext || hashOf(this.#hash, text) === hash;
    if (!isNext) this.#addHole(position, hash, text);
    if (!isSound) {
      this.#findings.addOf("altered", position, hash + text, "was altered, or put in place of another");
    }
    this.#position = position;
    this.#hash = hash;
    this.#compareWithRolledUp();
    this.#compareWithHeads();
    return isSound;
  }

  /**
   * Each number must follow the account's one before it. Between them
   * only as many may be missing as entries are missing there.
   */
  #count(
    what: "record" | "audit entry",
    userId: Id | null,
    { position, number, hash }: Pick<EvidenceRow, "position" | "number" | "hash">,
    isSound: boolean,
  ): void {
    const series = `${what} ${userId}`;
    const last = this.#numbers.get(series) ?? { number: 0, missing: 0 };
    const next = last.number + 1;
    // An altered entry is a finding already. Whose it was is not known.
    if (!isSound) this.#missing += 1;
    if (!isSound && number !== next) return;
    this.#numbers.set(series, { number, missing: this.#missing });
    if (number === next) return;
    if (number < next || number - next > this.#missing - last.missing) {
      const given = `is the ${what} ${number} of its account, and not ${next}`;
      this.#findings.addOf(
        "altered",
        position,
        `number ${number} ${hash}`,
        given,
        what === "record" ? position : null,
      );
      return;
    }
    const { account } = this.#findings.costOf(userId, 0, 0n);
    const missing = next === number - 1 ? `${next}` : `${next} to ${number - 1}`;
    this.#holes.at(-1)?.numbers.push(`${what} ${missing} of ${account ?? "the appliance"}`);
  }

  #compareWithRolledUp(): void {
    const { position, hash } = this.#rolledUp;
    if (position !== this.#position || hash === this.#hash) return;
    this.#findings.addOf("altered", position, `head ${hash}`, "is not the one that was the newest");
  }

  /** Compares the entry with the heads that were proved of it. */
  #compareWithHeads(): void {
    for (; ; this.#nextHead += 1) {
      const head = this.#heads[this.#nextHead];
      if (head === undefined || head.position > this.#position) return;
      if (head.position === this.#position) this.#compare(head);
    }
  }

  #compare(head: KeptHead): void {
    const lacking = {
      records: head.records - this.#held.records,
      totalMicros: BigInt(head.totalMicros) - this.#held.totalMicros,
    };
    const lackingSince = {
      records: lacking.records - this.#lacking.records,
      totalMicros: lacking.totalMicros - this.#lacking.totalMicros,
    };
    if (this.#hash !== head.head) this.#addRewritten(head, "is not the one that it has", lackingSince);
    this.#closeHoles(lackingSince);
    this.#lacking = lacking;
  }

  /**
   * @param lacking what the ledger lacks of what the head had,
   * beyond the head before; undefined where that is not known
   */
  #addRewritten({ position, head, file, madeMs }: KeptHead, what: string, lacking?: RunningTotal): void {
    this.#findings.add({
      kind: "rewritten",
      from: position,
      to: position,
      mark: head,
      what: `The entry ${position} ${what}: the backup ${file}, proved on ${new Date(madeMs).toISOString()}, has another past.`,
      costs: this.#costsOf(lacking),
    });
  }

  /** Entries are missing before this position. `mark` is the hash of the entry there. */
  #addHole(position: number, mark: string, text = ""): void {
    const from = this.#position + 1;
    const loss = this.#losses.get(position);
    const isExplained = loss?.lostFrom === from && loss.anchor === anchorOf(mark, text);
    if (isExplained) this.#losses.delete(position);
    this.#missing += position - from;
    this.#holes.push({ from, to: position - 1, mark, loss: isExplained ? loss : undefined, numbers: [] });
  }

  /** Adds findings for the holes since the last head. Their costs are known from the next head. */
  #closeHoles(lacking?: RunningTotal): void {
    for (const { from, to, mark, loss, numbers } of this.#holes) {
      const entries = from === to ? `The entry ${from} is` : `The entries ${from} to ${to} are`;
      const beside = this.#holes.length === 1 ? "" : `, with ${this.#holes.length - 1} other holes`;
      const named = numbers.length === 0 ? "" : ` (${numbers.join(", ")})`;
      const what =
        loss === undefined
          ? `${entries} missing${named}${beside}.`
          : `${entries} lost${named} with a damaged file: ${loss.reason}.`;
      const kind = loss === undefined ? "missing" : "lost";
      this.#findings.add({ kind, from, to, mark, what, costs: this.#costsOf(lacking) });
    }
    this.#holes = [];
  }

  #costsOf(lacking: RunningTotal | undefined): readonly Cost[] | null {
    return lacking === undefined ? null : [this.#findings.costOf(null, lacking.records, lacking.totalMicros)];
  }

  #contradicts({ position, recordId, hash }: CorrectionRow, what: string): void {
    this.#findings.addOf("contradiction", position, hash, what, recordId);
  }
}

/** The details of an audit entry; none where they are no JSON. */
function valuesOf(details: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(details));
  } catch {
    return {};
  }
}
