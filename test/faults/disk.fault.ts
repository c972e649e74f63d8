import { existsSync } from "node:fs";
import { expect } from "chai";
import type { Patch } from "../../scripts/patch.ts";
import { gapRows } from "../cli/ledger.ts";
import { CONTROLS, failureOf } from "../rig/controls.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { DiskTrial } from "./disk-trial.ts";
import { Variants } from "./variant.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
/** The promise: from room on the disk to the commit of what waits. */
const RECOVERY_MS = 5_000;
const QUEUE = 10_000;
const TOO_MANY_EDGES = 12_000;
const MANY_POSTS = 300;

describe("A full disk", () => {
  const trial = forEachTest(() => DiskTrial.make());
  const variants = forEachTest(() => new Variants());

  async function refusesAndTells(): Promise<void> {
    expect((await trial.post()).status).to.equal(201);
    expect(await trial.faults()).to.deep.equal([]);
    expect(existsSync(trial.reserve)).to.equal(true);
    const before = Date.now();
    trial.disk.fill();
    const refused = await until("a post is refused", async () => {
      const answer = await trial.post();
      return answer.status !== 201 && answer;
    });
    expect(refused.status).to.equal(503);
    expect(refused.headers.get("retry-after")).to.equal("1");
    expect(await refused.json()).to.deep.equal({ status: "error", message: "Failed to save data" });
    expect(existsSync(trial.reserve), "the reserve is given up").to.equal(false);

    const fault = await trial.fullDiskFault();
    expect(fault?.sinceMs).to.be.within(before, Date.now());
    expect(fault?.message).to.contain("The disk is full");
    for (const path of ["/api/data?period=semanal", "/api/device", "/api/record"]) {
      expect((await trial.get(path)).status, path).to.equal(200);
    }
    await trial.switchTimes(6);
    await until("edges go into the room of the reserve", () => trial.edgeRecords === 3);
  }

  async function keepsEdges(): Promise<number> {
    await trial.fillUp();
    await trial.switchTimes(100);
    const waiting = trial.edges / 2 - trial.edgeRecords;
    expect(waiting, "edges that wait").to.be.at.least(50);
    expect((await trial.get("/api/data?period=semanal")).status).to.be.oneOf([200, 404]);
    const began = performance.now();
    trial.disk.free();
    await until("all edges are in", () => trial.edgeRecords === trial.edges / 2, RECOVERY_MS);
    return performance.now() - began;
  }

  it("refuses posts in the contract's words, answers reads, records edges in the reserve's room and says so", async () => {
    await trial.start();
    await refusesAndTells();
  });

  it("keeps edges waiting and commits them within 5 s of room, then takes posts again and has no fault", async () => {
    const service = await trial.start();
    await trial.post();
    const elapsedMs = await keepsEdges();
    console.log(`    from room to commit: ${Math.round(elapsedMs)} ms`);
    await until("the fault is over", async () => (await trial.faults()).length === 0);
    expect(existsSync(trial.reserve)).to.equal(true);
    expect((await trial.post()).status).to.equal(201);
    trial.expectAcknowledgedOnce();
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
    await trial.expectSound();
  });

  it("counts the edges beyond its bounded queue, and keeps them as a gap of exactly that number", async () => {
    await trial.start();
    await trial.fillUp();
    await trial.switchTimes(TOO_MANY_EDGES);
    trial.disk.free();
    await until("the queue is in", () => trial.edgeRecords >= QUEUE / 2);
    await trial.switchTimes(2);
    await until("the last sale is in", () => gapRows(trial.appliance.ledgerFile).length > 0);
    const lost = gapRows(trial.appliance.ledgerFile).reduce((sum, gap) => sum + (gap.missedRises ?? 0), 0);
    expect(lost).to.be.at.least((TOO_MANY_EDGES - QUEUE) / 2);
    await until("each rise is a sale or told as lost", () => trial.edgeRecords + lost === trial.edges / 2);
    await trial.expectSound();
  });

  it("is noticed where the log still has room and only the file cannot grow", async () => {
    const service = await trial.start();
    const { logCount } = trial;
    await trial.postWhile(() => trial.logCount === logCount);
    expect(trial.logCount, "the log is as long as it gets, and begun again").to.be.above(logCount);
    trial.disk.fill();
    const taken = trial.acknowledged.length;
    await trial.postWhile(() => true);
    expect(trial.acknowledged.length, "posts that the log had room for").to.be.above(taken);
    expect((await trial.post()).status).to.equal(503);
    await trial.fullDiskFault();
    trial.expectAcknowledgedOnce();
    await trial.switchTimes(6);
    await until("edges are in", () => trial.edgeRecords === 3);
    trial.disk.free();
    await until("the fault is over", async () => (await trial.faults()).length === 0);
    expect((await trial.post()).status).to.equal(201);
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
    trial.expectAcknowledgedOnce();
    await trial.expectSound();
  });

  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it(`to the last byte does not keep the service from starting after ${signal}, watching its lines, reading and saying so`, async () => {
      const first = await trial.start();
      // So many that the log cannot be brought into the file, which has to grow for it.
      for (let left = MANY_POSTS; left > 0; left -= 1) await trial.post();
      await trial.fillUp();
      await trial.fullDiskFault();
      await first.end(signal);
      // What the process has left may be another program's.
      trial.disk.fill();
      const startedMs = Date.now();
      await trial.start();
      expect((await trial.fullDiskFault())?.sinceMs, "since this start").to.be.within(startedMs, Date.now());
      expect((await trial.post()).status).to.equal(503);
      expect((await trial.get("/api/record")).status).to.equal(200);
      const before = trial.edgeRecords;
      await trial.switchTimes(4);
      trial.disk.free();
      await until("the fault is over", async () => (await trial.faults()).length === 0);
      await until("both sales of the time are in", () => trial.edgeRecords === before + 2);
      expect((await trial.post()).status).to.equal(201);
      trial.expectAcknowledgedOnce();
    });

  describe("without what protects from it (controls)", () => {
    async function failure(patches: readonly Patch[], run: () => Promise<unknown>): Promise<string> {
      await trial.start({ program: variants.program(patches) });
      return failureOf(run());
    }

    it("is not reported and takes no edge without a reserve", async () => {
      const message = await failure(CONTROLS["no disk space is reserved"], refusesAndTells);
      expect(message).to.contain("expected false to equal true");
    });

    if (!SHORT)
      it("loses edges where they are not tried again", async () => {
        const message = await failure(CONTROLS["edges are tried once"], keepsEdges);
        expect(message).to.match(/edges that wait|all edges are in/);
      });
  });
});
