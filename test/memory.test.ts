import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type Mapping, piecesOf, rereadable } from "../src/memory.ts";

const SMAPS = `00400000-00746000 r--p 00000000 fe:00 1311                               /usr/bin/flanco
Rss:                3000 kB
Anonymous:             0 kB
0074a000-03200000 r-xp 0034a000 fe:00 1311                               /usr/bin/flanco
Anonymous:             0 kB
06b51000-06b55000 r--p 06751000 fe:00 1311                               /usr/bin/flanco
Anonymous:             8 kB
06b55000-06b7b000 rw-p 06755000 fe:00 1311                               /usr/bin/flanco
Anonymous:             0 kB
0f000000-10000000 rw-p 00000000 00:00 0                                  [heap]
Anonymous:          1000 kB
7f0000000000-7f0000001000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
7f1000000000-7f1000002000 r--s 00000000 fe:00 99                         /var/lib/flanco/flanco.db-shm
Anonymous:             0 kB
`;

describe("Memory that the kernel can read again", () => {
  it("is that of files which nobody writes to: not what was changed, not the heap, not what is shared", () => {
    expect(rereadable(SMAPS)).to.deep.equal([
      { start: 0x400000, length: 0x346000 },
      { start: 0x74a000, length: 0x3200000 - 0x74a000 },
    ]);
  });

  it("is let go of in small pieces, all of it and nothing beside it", () => {
    const mappings = rereadable(SMAPS);
    const pieces = [...piecesOf(mappings)];
    for (const { length } of pieces) expect(length).to.be.within(1, 2 * 1024 * 1024);
    const bytes = (list: readonly Mapping[]) => list.reduce((sum, { length }) => sum + length, 0);
    expect(bytes(pieces)).to.equal(bytes(mappings));
    let end = 0;
    for (const { start, length } of pieces) {
      expect(start).to.be.at.least(end);
      end = start + length;
    }
    expect(pieces.at(0)?.start).to.equal(0x400000);
    expect(end).to.equal(0x3200000);
  });

  it("is found in this very process", () => {
    expect(rereadable(readFileSync("/proc/self/smaps", "utf8"))).not.to.deep.equal([]);
  });
});
