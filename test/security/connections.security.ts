import { readdirSync } from "node:fs";
import { expect } from "chai";
import { PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { Client, expectUndisturbed, type Latency, paced, sendCrowd } from "./client.ts";

const SHORT = process.env["FLANCO_SECURITY"] === "short";
const CALM_MS = SHORT ? 3_000 : 30_000;
const ATTACK_MS = SHORT ? 6_000 : 120_000;
const SLOW_SOCKETS = 2_000;
const REQUESTS_PER_SECOND = 20;
/** The service's own files, both ends of what one address may hold, and the client's requests. */
const MAX_DESCRIPTORS = 200;
const VISIT_MS = 1_000;

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

  /** Resolves once each of the connections was taken or refused. */
  const attackFrom = (address: string) =>
    sendCrowd(appliance, { what: "hold", addresses: [address], connectionsOfEach: SLOW_SOCKETS });

  async function visitFor(ms: number, cookie: string): Promise<Latency> {
    const endMs = performance.now() + ms;
    const tablet = new Client(appliance, "127.0.0.20");
    const isOver = () => performance.now() > endMs;
    return paced(REQUESTS_PER_SECOND, isOver, () => tablet.send("GET", "/api/device", { cookie }));
  }

  it("fail no request of another address, each on a new connection, and hold few descriptors", async () => {
    const cookie = await service.makeFirstUser();
    const before = await visitFor(CALM_MS, cookie);
    const endAttack = await attackFrom("127.0.0.66");
    const attacked = await visitFor(ATTACK_MS, cookie);
    const descriptors = readdirSync(`/proc/${service.pid}/fd`).length;
    const { held } = await endAttack();
    const after = await visitFor(CALM_MS, cookie);
    console.log(
      `    the attacker tried ${held} connections; the service has ${descriptors} descriptors open`,
    );
    expect(held).to.be.above(SLOW_SOCKETS);
    expect(descriptors).to.be.below(MAX_DESCRIPTORS);
    expectUndisturbed(attacked, { before, after });
  });

  it("fail requests from the same address: the bound per address protects the others (control)", async () => {
    const cookie = await service.makeFirstUser();
    // From the visitor's own address: to the service, it is the same one.
    expect((await visitFor(VISIT_MS, cookie)).failures).to.deep.equal([]);
    await attackFrom("127.0.0.20");
    expect((await visitFor(VISIT_MS, cookie)).failures).not.to.deep.equal([]);
  });
});
