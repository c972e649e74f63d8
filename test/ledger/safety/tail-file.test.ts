import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { expect } from "chai";
import { identityOf } from "../../../src/ledger/engine/identity.ts";
import type { TailState } from "../../../src/ledger/safety/tail.ts";
import { framesOf, readFrames, segmentsIn, Tail } from "../../../src/ledger/safety/tail.ts";
import { forEachTest } from "../../rig/standing.ts";
import { until } from "../../rig/until.ts";
import { LINE, sell } from "../eventful-life.ts";
import { TailedLedger } from "./tailed-ledger.ts";

const MEGABYTE = 1024 * 1024;
const SECTOR_BYTES = 512;

/** Where a frame begins and ends in its file. */
interface FramePlace {
  readonly at: number;
  readonly bytes: number;
}

/** Where the next sector of a disk begins. */
function sectorAfter(at: number): number {
  return at - (at % SECTOR_BYTES) + SECTOR_BYTES;
}

describe("The files of a tail", () => {
  const ledger = forEachTest(() => new TailedLedger());
  let userId: string;

  beforeEach(async () => {
    await ledger.open();
    userId = (await ledger.wire(LINE)).user.id;
  });

  it("keeps no sale waiting where it cannot be written, says so, and begins again with a backup", async () => {
    await ledger.close();
    rmSync(ledger.folder, { recursive: true });
    mkdirSync(ledger.backups, { recursive: true });
    writeFileSync(ledger.folder, "in its way");
    const { folder } = ledger;
    await ledger.open();
    await sell(ledger, userId, 2);
    await until("it is told", () => ledger.writer.tail?.failure !== null);
    expect(ledger.writer.tail?.failure).to.contain("EEXIST");
    rmSync(folder);
    await ledger.backUpProved();
    await until("it goes on", () => ledger.writer.tail?.failure === null);
  });

  it("goes on in a new file at a backup while commits never cease", async () => {
    let isSelling = true;
    const selling = (async () => {
      while (isSelling) await sell(ledger, userId, 20);
    })();
    await until("a file is written", () => segmentsIn(ledger.folder).length > 0);
    ledger.writer.backupBegins(ledger.backups);
    await until("a new file is begun", () => (ledger.writer.tail?.from ?? 0) > 0);
    isSelling = false;
    await selling;
    await ledger.close();
    const [first, second] = segmentsIn(ledger.folder);
    expect(second).to.deep.include({ from: first?.end, end: ledger.commitsNow(), closed: true });
  });

  it("goes on without a gap once a disk takes it that refused it for a while", async () => {
    await sell(ledger, userId, 1);
    await ledger.close();
    const file = segmentsIn(ledger.folder)[0]?.file ?? "";
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    await sell(ledger, userId, 2);
    await until("it is told", () => ledger.writer.tail?.failure !== null);
    expect(ledger.writer.tail?.failure).to.contain("EISDIR");
    rmdirSync(file);
    renameSync(`${file}.away`, file);
    appendFileSync(file, "what a refused write has left");
    await until("it goes on", () => ledger.writer.tail?.failure === null);
    await sell(ledger, userId, 1);
    await ledger.close();
    expect(segmentsIn(ledger.folder).map(({ from, end }) => [from, end])).to.deep.equal([
      [0, ledger.commitsNow()],
    ]);
  });

  it("is written into zeros, which it lengthens 64 kB at a time", async () => {
    await sell(ledger, userId, 1);
    await ledger.close();
    const [segment = expect.fail("a file")] = segmentsIn(ledger.folder);
    expect(statSync(segment.file).size).to.equal(64 * 1024);
    expect(segment.content.length).to.equal(segment.bytes);
    await ledger.open();
    await sell(ledger, userId, 200);
    await ledger.close();
    expect(statSync(segment.file).size % (64 * 1024)).to.equal(0);
    expect(segmentsIn(ledger.folder).map(({ end, isDamaged }) => [end, isDamaged])).to.deep.equal([
      [ledger.commitsNow(), false],
    ]);
  });

  for (const [what, spoil, isDamaged] of [
    ["nothing", (content, { at, bytes }) => content.fill(0, at, bytes), false],
    ["its beginning", (content, { at, bytes }) => content.fill(0, at + 1_024, bytes), false],
    [
      "all but what lies in its first sector",
      (content, { at }) => content.fill(0, at, sectorAfter(at)),
      false,
    ],
    [
      "all but a sector in its middle",
      (content, { at }) => content.fill(0, sectorAfter(at), sectorAfter(at) + SECTOR_BYTES),
      false,
    ],
    ["all, with one byte that is another", (content, { at }) => content.fill("y", at + 700, at + 701), true],
  ] as readonly (readonly [string, (content: Buffer, frame: FramePlace) => void, boolean])[]) {
    it(`is ${isDamaged ? "damaged" : "torn"} where its last frame has kept ${what}`, async () => {
      await sell(ledger, userId, 1);
      await ledger.close();
      const segment = () => segmentsIn(ledger.folder)[0] ?? expect.fail("a file");
      const [{ frame } = expect.fail("a sale")] = [...readFrames(segment())];
      const commits = ledger.commitsNow();
      const tail = new Tail(identityOf(ledger.file) ?? "", () => {});
      tail.open(ledger.backups, commits);
      tail.add(commits + 1, { ...frame, head: "x".repeat(2_048) });
      await tail.close();
      const [last, mark] = [...framesOf(segment().content, 0)].slice(-2);
      if (last === undefined || mark === undefined) expect.fail("two frames");
      const content = readFileSync(segment().file).fill(0, mark.at, mark.bytes);
      spoil(content, last);
      writeFileSync(segment().file, content);
      // The writer was closed before that frame: where a part of it is left, a commit is missing all the same.
      expect(segment()).to.deep.include({ end: commits, closed: what === "nothing", isDamaged });
    });
  }

  it("has an end: beyond it only a backup helps", async () => {
    await sell(ledger, userId, 1);
    await ledger.close();
    const [{ frame } = expect.fail("a sale")] = [
      ...readFrames(segmentsIn(ledger.folder)[0] ?? expect.fail()),
    ];
    const states: TailState[] = [];
    const tail = new Tail(identityOf(ledger.file) ?? "", (state) => void states.push(state));
    const commits = ledger.commitsNow();
    tail.open(ledger.backups, commits);
    const large = { ...frame, head: "x".repeat(MEGABYTE) };
    for (let commit = 1; commit <= 66; commit += 1) tail.add(commits + commit, large);
    await tail.close();
    expect(states.at(-1)?.failure).to.contain("64 MiB");
    expect(readdirSync(ledger.folder).filter((name) => name.startsWith("tail"))).to.have.length(1);
  });
});
