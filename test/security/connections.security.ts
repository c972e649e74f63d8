import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { Client, expectUndisturbed, type Latency, paced } from "./client.ts";
import type { SlowTask } from "./slow-sockets.ts";

const SHORT = process.env["FLANCO_SECURITY"] === "short";
const CALM_MS = SHORT ? 3_000 : 30_000;
const ATTACK_MS = SHORT ? 6_000 : 120_000;
const SLOW_SOCKETS = 2_000;
const REQUESTS_PER_SECOND = 20;
/** The service's own files, both ends of what one address may hold, and the client's requests. */
const MAX_DESCRIPTORS = 200;
const VISIT_MS = 1_000;
const ATTACKER = fileURLToPath(new URL("./slow-sockets.ts", import.meta.url));

describe(`${SLOW_SOCKETS} slow connections of one address`, function () {
  this.timeout(ATTACK_MS + 2 * CALM_MS + 2 * PROCESS_TEST_MS);
  let appliance: Program;
  let service: RunningService;

  beforeEach(async () => {
    appliance = await Program.make();
    service = await appliance.start();
  });

  afterEach(async () => {
    await appliance.close();
  });

  /**
   * In a process that gives way to the service: an attacker has a processor of its own. Resolves once each of its
   * connections was taken or refused.
   */
  async function attackWith(task: SlowTask): Promise<ChildProcess> {
    const child = fork(ATTACKER, [JSON.stringify(task)]);
    appliance.adopt(child);
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_LOW);
    await once(child, "message");
    return child;
  }

  async function visitFor(ms: number, cookie: string): Promise<Latency> {
    const endMs = performance.now() + ms;
    const tablet = new Client(appliance, "127.0.0.20");
    const isOver = () => performance.now() > endMs;
    return paced(REQUESTS_PER_SECOND, isOver, () => tablet.send("GET", "/api/device", { cookie }));
  }

  it("fail no request of another address, each on a new connection, and hold few descriptors", async () => {
    const cookie = await service.makeFirstUser();
    const before = await visitFor(CALM_MS, cookie);
    const { httpsPort, httpPort } = appliance;
    const task: SlowTask = { httpsPort, httpPort, address: "127.0.0.66", count: SLOW_SOCKETS };
    const attacker = await attackWith(task);
    const attacked = await visitFor(ATTACK_MS, cookie);
    const descriptors = readdirSync(`/proc/${service.pid}/fd`).length;
    attacker.send("end");
    const [tried] = (await once(attacker, "message")) as [number];
    const after = await visitFor(CALM_MS, cookie);
    console.log(
      `    the attacker tried ${tried} connections; the service has ${descriptors} descriptors open`,
    );
    expect(tried).to.be.above(SLOW_SOCKETS);
    expect(descriptors).to.be.below(MAX_DESCRIPTORS);
    expectUndisturbed(attacked, { before, after });
  });

  it("fail requests from the same address: the bound per address protects the others (control)", async () => {
    const cookie = await service.makeFirstUser();
    const { httpsPort, httpPort } = appliance;
    // From the visitor's own address: to the service, it is the same one.
    expect((await visitFor(VISIT_MS, cookie)).failures).to.deep.equal([]);
    await attackWith({ httpsPort, httpPort, address: "127.0.0.20", count: SLOW_SOCKETS });
    expect((await visitFor(VISIT_MS, cookie)).failures).not.to.deep.equal([]);
  });
});
