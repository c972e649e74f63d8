import { existsSync } from "node:fs";
import { expect } from "chai";
import type { ProvenBackup } from "../../src/domain/backup.ts";
import { DAY_MS, HOUR_MS, VirtualTime } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { type OpenedPlace, RemoteSink } from "../../src/notify/remote-backups.ts";
import { KeptLog } from "../http/fakes.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const LEDGER = "5f".repeat(16);
const BYTES = 1_000;

/** A place in memory. `breaksAt`: the sending that breaks off after it has written its first file. */
class FakePlace implements OpenedPlace {
  readonly files = new Map<string, number>();
  sendings = 0;
  breaksAt = 0;
  keepsAll = false;
  /** Whether each removal breaks off after its first file. */
  removesOne = false;

  async list(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.files);
  }

  async send(_from: string, _to: string, names: readonly string[]): Promise<void> {
    this.sendings += 1;
    for (const name of names) {
      this.files.set(name, BYTES);
      if (this.sendings === this.breaksAt) throw new FlancoError("unavailable", "It broke off.");
    }
  }

  async remove(_folder: string, names: readonly string[]): Promise<void> {
    if (this.keepsAll) throw new FlancoError("unavailable", "It lets nobody remove anything.");
    for (const name of names) {
      this.files.delete(name);
      if (this.removesOne) throw new FlancoError("unavailable", "It broke off.");
    }
  }

  async tryOut(): Promise<void> {}
}

describe("Backups at a remote place", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const time = forEachTest(() => new VirtualTime());
  const log = forEachTest(() => new KeptLog());
  const { signal } = new AbortController();
  let place: FakePlace;
  let made: ProvenBackup[];
  let isTrusted: boolean;
  let ledger: string;
  let sink: RemoteSink;

  const backups = {
    folder: "",
    newest: () => made.at(-1) ?? null,
    proofs: () => made,
  };

  beforeEach(() => {
    [made, isTrusted, place, ledger] = [[], true, new FakePlace(), LEDGER];
    begin();
  });

  /** As a process does that begins. */
  function begin(): void {
    const file = directory.file("remote.json");
    const trust = { trusted: () => isTrusted };
    sink = new RemoteSink({ backups, file, clock: time, trust, log, open: () => place });
    sink.load();
  }

  function makeBackup(): void {
    const number = made.length + 1;
    const file = `flanco-${number}.db`;
    const held = { ledger, locations: [], position: number, head: "", commits: number, records: 0 };
    const times = { madeMs: time.nowMs(), clockTrusted: isTrusted, provedMs: time.nowMs() };
    made.push({ number, file, ...held, ...times, totalMicros: "0", schema: 1, bytes: BYTES, sha256: "" });
  }

  /** What the forwarder does at a look. Gives whether there was anything to do. */
  async function look(): Promise<boolean> {
    const batch = await sink.next();
    if (batch === undefined) return false;
    sink.taken(batch, await sink.deliver(batch, signal));
    return true;
  }

  const there = () => [...place.files.keys()].toSorted();
  const status = () => sink.progress().backup;

  it("are each sent once they are proved, with gateway file and, at the end, proof", async () => {
    expect(await look()).to.equal(false);
    makeBackup();
    expect(sink.progress()).to.deep.include({ waiting: 1, deliveredMs: null, backup: null });
    expect(await look()).to.equal(true);
    expect([...place.files.keys()]).to.deep.equal(["flanco-1.db", "gateway.json", "flanco-1.db.json"]);
    expect(sink.progress()).to.deep.include({ waiting: 0 });
    expect(await look()).to.equal(false);
    begin();
    expect(await look(), "after a restart").to.equal(false);
  });

  it("are kept there as here: 7 of days, 4 of weeks, 12 of months", async () => {
    for (let day = 0; day < 400; day += 1) {
      makeBackup();
      await look();
      time.advance(DAY_MS);
    }
    const kept = there().filter((name) => name.endsWith(".db"));
    expect(kept.length).to.be.within(19, 23);
    expect(there().length).to.equal(2 * kept.length + 1);
  });

  it("do not count before their proof is there: a sending that broke off begins again, and leaves nothing", async () => {
    makeBackup();
    place.breaksAt = 1;
    expect((await rejection(look())).message).to.equal("It broke off.");
    expect(there()).to.deep.equal(["flanco-1.db"]);
    expect(existsSync(directory.file("remote.json"))).to.equal(false);
    makeBackup();
    await look();
    expect(there()).to.deep.equal(["flanco-2.db", "flanco-2.db.json", "gateway.json"]);
    expect(status()).to.deep.include({ removed: null });
  });

  it("are looked for each day: one that somebody removed is sent again and told of", async () => {
    makeBackup();
    await look();
    place.files.clear();
    time.advance(DAY_MS - 1);
    expect(await look()).to.equal(false);
    time.advance(1);
    expect(await look()).to.equal(true);
    expect(there()).to.have.length(3);
    expect(status()?.removed).to.deep.equal({ count: 3, seenMs: time.nowMs() });
    place.files.clear();
    begin();
    time.advance(HOUR_MS);
    expect(await look(), "an hour after a start").to.equal(true);
    expect(there()).to.have.length(3);
  });

  it("are taken for arrived also where the place lets nobody remove outdated ones", async () => {
    place.keepsAll = true;
    for (let hour = 0; hour < 3; hour += 1) {
      makeBackup();
      await look();
    }
    expect(there()).to.have.length(7);
    expect(log.warnings.join()).to.contain("cannot be removed");
  });

  it("are not missed where flanco itself removed them, though that broke off, or the process ended", async () => {
    const makeDays = async (days: number) => {
      for (let day = 0; day < days; day += 1) {
        makeBackup();
        await look();
        time.advance(DAY_MS);
      }
    };
    await makeDays(30);
    place.removesOne = true;
    await makeDays(10);
    makeBackup();
    await sink.deliver(made.at(-1) as ProvenBackup, signal);
    begin();
    await makeDays(1);
    expect(status()?.removed).to.equal(null);
  });

  it("are not missed in the folder of a ledger that was restored, which is another one", async () => {
    makeBackup();
    await look();
    [ledger, made] = ["6f".repeat(16), [...made]];
    place.files.clear();
    makeBackup();
    await look();
    expect(status()?.removed).to.equal(null);
  });

  it("have an age by the time that passed, and after a restart by trusted clocks alone", async () => {
    makeBackup();
    await look();
    time.advance(HOUR_MS);
    expect(status()?.ageMs).to.equal(HOUR_MS);
    begin();
    expect(status()?.ageMs).to.equal(HOUR_MS);
    isTrusted = false;
    expect(status()?.ageMs).to.equal(null);
  });
});
