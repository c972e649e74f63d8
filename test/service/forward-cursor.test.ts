import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { ForwardCursor, type JudgingChain } from "../../src/service/forward-cursor.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const LEDGER = "0a".repeat(16);

/** The hash of an entry of a branch of the chain. */
function hashOf(position: number, branch = "0"): string {
  return `${branch}${position.toString(16)}`.padStart(64, "0");
}

/** A chain with entries of one branch up to a place, and of another after it. */
function chain(newest: number, { branchedAt = newest, ledger = LEDGER } = {}): JudgingChain {
  return {
    ledgerIds: () => [ledger],
    entryHash: (position) =>
      position > newest ? undefined : hashOf(position, position > branchedAt ? "f" : "0"),
  };
}

describe("a sink's cursor", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  function opened(judging: JudgingChain): ForwardCursor {
    const cursor = new ForwardCursor(directory.file("forward", "central.json"));
    cursor.open(judging);
    return cursor;
  }

  function moved(upTo: number): void {
    const cursor = opened(chain(upTo));
    for (let position = 1; position <= upTo; position += 1) {
      cursor.moveTo({ position, hash: hashOf(position) }, position);
    }
    cursor.save();
  }

  it("begins before the first entry", () => {
    expect(opened(chain(7)).place.position).to.equal(0);
  });

  it("continues where it was saved", () => {
    moved(100);
    const cursor = opened(chain(200));
    expect(cursor.place).to.deep.equal({ position: 100, hash: hashOf(100) });
    expect(cursor.deliveredMs).to.equal(100);
  });

  it("goes back to the last entry in common with a restored ledger, or a few before it", () => {
    moved(5_000);
    for (const branchedAt of [4_999, 4_900, 4_000, 1_000]) {
      const { position } = opened(chain(6_000, { branchedAt })).place;
      expect(position, `branched at ${branchedAt}`).to.be.at.most(branchedAt);
      expect(5_000 - position, `branched at ${branchedAt}`).to.be.at.most(4 * (5_000 - branchedAt) + 1);
    }
  });

  it("stays in a file of bounded size", () => {
    moved(5_000);
    expect(readFileSync(directory.file("forward", "central.json")).length).to.be.below(5_000);
  });

  it("begins anew for a ledger of another identity, though its entries are the same", () => {
    moved(100);
    expect(opened(chain(200, { ledger: "0b".repeat(16) })).place.position).to.equal(0);
  });

  it("begins anew where its file cannot be read", () => {
    moved(100);
    writeFileSync(directory.file("forward", "central.json"), '{"marks":');
    expect(opened(chain(200)).place.position).to.equal(0);
  });

  it("moves back with the other side", () => {
    moved(100);
    const cursor = opened(chain(200));
    cursor.moveTo({ position: 40, hash: hashOf(40) }, 1);
    cursor.save();
    expect(opened(chain(200)).place.position).to.equal(40);
    expect(opened(chain(200, { branchedAt: 10 })).place.position).to.be.within(0, 10);
  });
});
