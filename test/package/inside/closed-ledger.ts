import { Ledger } from "../../guest/inside/ledger.ts";

/**
 * The ledger's file, opened for each question alone: an upgrade puts another one in its place, and refuses to while
 * it is open.
 */
export class ClosedLedger {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  position(): number {
    return this.#ask((ledger) => ledger.position());
  }

  rowsAfter(position: number): ReturnType<Ledger["rowsAfter"]> {
    return this.#ask((ledger) => ledger.rowsAfter(position));
  }

  roomsAfter(position: number): ReturnType<Ledger["roomsAfter"]> {
    return this.#ask((ledger) => ledger.roomsAfter(position));
  }

  gaps(): ReturnType<Ledger["gaps"]> {
    return this.#ask((ledger) => ledger.gaps());
  }

  outages(): ReturnType<Ledger["outages"]> {
    return this.#ask((ledger) => ledger.outages());
  }

  #ask<Answer>(question: (ledger: Ledger) => Answer): Answer {
    const ledger = new Ledger(this.#file);
    try {
      return question(ledger);
    } finally {
      ledger.close();
    }
  }
}
