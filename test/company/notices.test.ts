import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { WatchedClinic } from "../../src/company/clinic.ts";
import { ClinicNotices, newsOf, type ToldState } from "../../src/company/notices.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import type { ClinicState } from "../../src/domain/gateway.ts";
import type { Notice } from "../../src/domain/notice.ts";
import type { Sink } from "../../src/domain/sink.ts";
import { KeptLog } from "../http/fakes.ts";

const NOW_MS = 1_795_000_000_000;

/** What is due of one clinic, which is in these states, where this was known before. */
function due(states: readonly ClinicState[], ...known: readonly Omit<ToldState, "clinic">[]) {
  const fares = [{ name: "lugo", states } as WatchedClinic];
  const before = known.map((one) => ({ clinic: "lugo", ...one }));
  const { states: kept, begun, over } = newsOf(before, fares, NOW_MS);
  return { kept, begun: begun.map(({ state }) => state), over: over.map(({ state }) => state) };
}

const since = (minutes: number, toldMs: number | null = null, goneMs: number | null = null) =>
  ({ state: "silent", sinceMs: NOW_MS - minutes * MINUTE_MS, toldMs, goneMs }) as const;

describe("What people are to be told of a clinic", () => {
  it("is a state that has lasted for two minutes, once", () => {
    expect(due(["silent"])).to.deep.equal({ kept: [{ clinic: "lugo", ...since(0) }], begun: [], over: [] });
    expect(due(["silent"], since(1.9)).begun).to.deep.equal([]);
    expect(due(["silent"], since(2)).begun).to.deep.equal(["silent"]);
    expect(due(["silent"], since(9, NOW_MS)).begun).to.deep.equal([]);
    expect(due(["silent"], since(-9)).kept, "the clock was ahead").to.deep.include({
      clinic: "lugo",
      ...since(0),
    });
    expect(due(["good"], since(9)).kept, "it was over before anybody was told").to.deep.equal([]);
  });

  it("is that it is over, once it has been for a quarter of an hour", () => {
    const told = since(99, NOW_MS);
    expect(due(["good"], told)).to.deep.include({
      kept: [{ clinic: "lugo", ...told, goneMs: NOW_MS }],
      over: [],
    });
    const gone = since(99, NOW_MS, NOW_MS - 15 * MINUTE_MS);
    expect(due(["good"], gone).over).to.deep.equal(["silent"]);
    expect(due(["silent"], gone).kept, "it has come back").to.deep.equal([{ clinic: "lugo", ...told }]);
    expect(newsOf([{ clinic: "gone", ...gone }], [], NOW_MS).over).to.have.length(1);
  });

  it("is that it is behind after two hours alone, and not where it is silent", () => {
    const behind = { ...since(0), state: "behind" } as const;
    expect(due(["behind"], { ...behind, sinceMs: NOW_MS - 2 * HOUR_MS + 1 }).begun).to.deep.equal([]);
    expect(due(["behind"], { ...behind, sinceMs: NOW_MS - 2 * HOUR_MS }).begun).to.deep.equal(["behind"]);
    expect(due(["silent", "behind"]).kept).to.have.length(1);
  });
});

describe("The notices of a company's process", () => {
  it("are looked for again for one sink while another still takes its own", async () => {
    const due: (() => void)[] = [];
    let looks = 0;
    const database = {
      use<T>(): Promise<T> {
        looks += 1;
        return looks === 1 ? new Promise(() => {}) : Promise.reject(new Error("The database is away."));
      },
    };
    const timers = {
      after(_ms: number, run: () => void) {
        due.push(run);
        return () => {};
      },
    };
    const sinks = ["email", "webhook"].map((name) => ({ name }) as Sink<Notice>);
    const company = { company: 1, name: "Televida", timeZone: "UTC" };
    new ClinicNotices({ database, company, sinks, language: "en", timers, log: new KeptLog() }).open();
    for (const run of due.splice(0)) run();
    await turn();
    expect(due).to.have.length(1);
  });
});
