import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { aRecord } from "../http/bodies.ts";
import { exchange } from "../rig/exchange.ts";
import { PASSWORD, PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { Client, type Latency, paced } from "./client.ts";
import type { CrowdTask } from "./crowd.ts";

const SHORT = process.env["FLANCO_SECURITY"] === "short";
const ATTACK_MS = SHORT ? 5_000 : 30_000;
const ROOMS = SHORT ? 5_000 : 60_000;
const CROWD = fileURLToPath(new URL("./crowd.ts", import.meta.url));
const ADDRESSES = Array.from({ length: 16 }, (_, index) => `127.0.3.${index + 1}`);
const REQUESTS_PER_SECOND = 10;
const MAX_MEDIAN_MS = 100;
const MAX_WORST_MS = 250;
const MAX_GROWTH_BYTES = 150_000_000;
const MAX_LOG_BYTES = 200_000;
const BYTES_PER_KIB = 1_024;
const LANES = 16;
const ATTACKER = "eva@example.org";

describe("A costly request hurts nobody:", function () {
  this.timeout(ATTACK_MS + 10 * PROCESS_TEST_MS);
  let appliance: Program;
  let service: RunningService;
  let cookie: string;

  beforeEach(async () => {
    appliance = await Program.make();
    service = await appliance.start();
    cookie = await service.makeFirstUser();
  });
  afterEach(() => appliance.close());

  function residentBytes(): number {
    const status = readFileSync(`/proc/${service.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * BYTES_PER_KIB;
  }

  /** Another client's requests on a connection that it keeps, and /healthz on new ones, while the crowd is at work. */
  async function attack(task: Omit<CrowdTask, "httpPort" | "httpsPort">): Promise<void> {
    const { httpPort, httpsPort } = appliance;
    const before = { resident: residentBytes(), log: service.stderr.length };
    const child = fork(CROWD, [JSON.stringify({ ...task, httpPort, httpsPort })]);
    appliance.adopt(child);
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_LOW);
    await once(child, "message");
    const endMs = performance.now() + ATTACK_MS;
    const isOver = () => performance.now() > endMs;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const to = { port: httpsPort, agent, localAddress: "127.0.0.20", open: request };
    const visitor = new Client(appliance, "127.0.0.21");
    const [kept, health] = await Promise.all([
      paced(REQUESTS_PER_SECOND, isOver, () =>
        exchange(to, "GET", "/api/device", { headers: { Cookie: cookie } }),
      ),
      paced(REQUESTS_PER_SECOND, isOver, () => visitor.sendPlainly("GET", "/healthz")),
    ]);
    const grown = residentBytes() - before.resident;
    const logged = service.stderr.length - before.log;
    child.send("end");
    agent.destroy();
    for (const [what, { p50Ms, maxMs, count }] of Object.entries({ kept, health } as Record<
      string,
      Latency
    >)) {
      console.log(`    ${what}: ${count}, median ${p50Ms.toFixed(1)} ms, worst ${maxMs.toFixed(1)} ms`);
    }
    console.log(`    resident ${Math.round(grown / 1e6)} MB more, log ${logged} bytes more`);
    for (const { failures, p50Ms, maxMs } of [kept, health]) {
      expect(failures).to.deep.equal([]);
      expect(p50Ms).to.be.below(MAX_MEDIAN_MS);
      expect(maxMs).to.be.below(MAX_WORST_MS);
    }
    expect(grown).to.be.below(MAX_GROWTH_BYTES);
    expect(logged).to.be.below((MAX_LOG_BYTES * ATTACK_MS) / 5_000);
  }

  it("16 addresses with 30 connections each send sign-ins that cannot be read", () =>
    attack({
      what: "unreadable sign-ins",
      addresses: ADDRESSES,
      connectionsOfEach: 30,
      cookie: "",
      path: "",
    }));

  it("16 addresses shake hands again and again", () =>
    attack({ what: "handshakes", addresses: ADDRESSES, connectionsOfEach: 8, cookie: "", path: "" }));

  it(`20 clients of an account with ${ROOMS} rooms ask for its report and do not read it`, async () => {
    const account = ["user", "add", "--email", ATTACKER, "--name", "Eva", "--password-stdin"];
    await appliance.succeed(account, PASSWORD);
    const { headers } = await new Client(appliance, "127.0.0.1").signIn(ATTACKER, PASSWORD);
    const own = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    const rooms = Array.from({ length: ROOMS }, (_, index) => `${index}`);
    const lanes = Array.from({ length: LANES }, async () => {
      for (let habitacion = rooms.pop(); habitacion !== undefined; habitacion = rooms.pop()) {
        const { status } = await exchange({ port: appliance.httpPort }, "POST", "/api/data", {
          headers: { Cookie: own, "Content-Type": "application/json" },
          body: JSON.stringify(
            aRecord({ habitacion, createdTime: Date.UTC(2026, 2, 11), locationName: "x" }),
          ),
        });
        expect(status).to.equal(201);
      }
    });
    await Promise.all(lanes);
    const path = "/api/report?month=2026-03&location=x";
    const what = "reports that are not read";
    await attack({ what, addresses: ADDRESSES.slice(0, 1), connectionsOfEach: 20, cookie: own, path });
  });
});
