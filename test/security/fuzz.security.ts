import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { aRecord, INSIDE } from "../http/bodies.ts";
import { BundledProgram } from "../rig/bundled-program.ts";
import { exchange } from "../rig/exchange.ts";
import { PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { residentBytes } from "./client.ts";
import { mutatedBody, mutatedText, TARGETS } from "./mutation.ts";

const SHORT = process.env["FLANCO_SECURITY"] === "short";
const BODIES = SHORT ? 3_000 : 1_000_000;
const HEADS = SHORT ? 1_000 : 100_000;
/** The same one makes the same requests. */
const SEED = Number(process.env["FLANCO_SEED"] ?? Date.now() % 2 ** 31);
const BATCH = 500;
const TELL_EVERY = 50_000;
const AT_ONCE = 16;
const MAX_RESIDENT_BYTES = 200_000_000;
/** How long an answer may take before it counts as none. */
const ANSWER_MS = 30_000;
const FIRST_SERVER_ERROR = 500;

const PATHS = [
  ...["/", "/healthz", "/registros", "/assets/app.js", "/api", "/api/openapi.json", "/api/verify"],
  ...["/api/status", "/api/device?dId=7234", "/api/data?period=semanal", "/api/record?limit=50&before=1-1"],
  ...["/api/gap?before=1", "/api/report?month=2026-03&location=x", "/api/export?lang=es&from=2026-03-01"],
  ...["/api/wiring?line=SIM0", "/api/overview?period=week", "/api/line", "/api/location"],
];

describe("Any request, mutated at random", function () {
  this.timeout(SHORT ? 4 * PROCESS_TEST_MS : 7_200_000);
  let appliance: Program;
  let bundled: BundledProgram;
  let service: RunningService;
  let cookie: string;
  let most = 0;

  before(async () => {
    console.log(`    FLANCO_SEED=${SEED}`);
    appliance = await Program.make();
    // As it is installed: run from sources, Node holds a compiler of TypeScript beside it.
    bundled = await BundledProgram.make();
    const { program, nodeOptions, environment } = bundled;
    service = await appliance.start(environment, { program, nodeOptions });
    cookie = await service.makeFirstUser();
  });
  after(async () => {
    await appliance.close();
    bundled.remove();
  });

  function readResident(): void {
    const resident = residentBytes(service.pid);
    most = Math.max(most, resident);
    expect(resident, "resident bytes").to.be.within(1, MAX_RESIDENT_BYTES);
  }

  /** Sends so many requests of a kind, some at once, and counts the statuses of their answers. */
  async function sendAll<T>(
    count: number,
    arbitrary: fc.Arbitrary<T>,
    send: (value: T) => Promise<number>,
  ): Promise<Readonly<Record<number, number>>> {
    const statuses: Record<number, number> = {};
    for (let done = 0; done < count; done += BATCH) {
      const values = fc.sample(arbitrary, { numRuns: Math.min(BATCH, count - done), seed: SEED + done });
      const lanes = Array.from({ length: AT_ONCE }, async () => {
        for (let value = values.pop(); value !== undefined; value = values.pop()) {
          const status = await send(value);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      });
      await Promise.all(lanes);
      readResident();
      if (done > 0 && done % TELL_EVERY === 0)
        console.log(`    ${done} done, at most ${Math.round(most / 1e6)} MB`);
    }
    return statuses;
  }

  it(`is answered ${BODIES} times by what the contract names, when it is the body`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const target = fc.oneof(
      ...TARGETS.map(({ method, path, body }) => mutatedBody(body).map((text) => ({ method, path, text }))),
    );
    const statuses = await sendAll(BODIES, target, async ({ method, path, text }) => {
      const { status, body } = await exchange({ port: appliance.httpPort, agent }, method, path, {
        headers: { Cookie: cookie, "Content-Type": "application/json" },
        body: text,
      });
      const what = `${method} ${path} ${text}`;
      expect(status, what).to.be.within(200, FIRST_SERVER_ERROR - 1);
      expect(JSON.parse(body), what).to.have.property("status", status < 300 ? "success" : "error");
      if (status >= 300) expect(body, what).not.to.match(INSIDE);
      return status;
    });
    agent.destroy();
    console.log(`    statuses ${JSON.stringify(statuses)}, at most ${Math.round(most / 1e6)} MB`);
  });

  it(`is answered or closed ${HEADS} times, when it is the path or a header`, async () => {
    const head = fc.constantFrom(...PATHS).chain((path) => {
      const method = fc.constantFrom("GET", "GET", "HEAD", "OPTIONS", "DELETE", "POST", "TRACE", "CONNECT");
      const rest = `HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\nAccept-Encoding: gzip\r\nOrigin: null\r\n`;
      const mutated = fc.oneof(
        mutatedText(path, 3).map((other) => `${other} ${rest}`),
        mutatedText(`${path} ${rest}`, 3),
        mutatedText(rest, 2).map((other) => `${path} ${other}`),
      );
      return fc.tuple(method, mutated).map(([name, text]) => `${name} ${text}\r\n`);
    });
    const statuses = await sendAll(HEADS, head, async (text) => {
      const answer = await firstLineOf(text);
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
      if (answer !== "")
        expect(status, `${JSON.stringify(text)}: ${answer}`).to.be.within(200, FIRST_SERVER_ERROR - 1);
      return status;
    });
    console.log(`    statuses ${JSON.stringify(statuses)} (0: closed), at most ${Math.round(most / 1e6)} MB`);
  });

  it("left the service as it was: the same process, without an error in its log, with sound books", async () => {
    expect((await service.get("/api/verify", cookie)).status).to.equal(200);
    const record = await service.post("/api/data", aRecord(), cookie);
    expect(record.status).to.equal(201);
    const ended = await service.end("SIGTERM");
    expect(ended.exitCode).to.equal(0);
    // Node's own, of how koa reads a target that is odd.
    expect(
      ended.stderr.split("\n").filter((line) => !/DEP01(69|70)|--trace-deprecation|^$/.test(line)),
    ).to.deep.equal([]);
    await appliance.succeed(["verify"]);
  });

  /** The first line of what comes back; empty when the connection is closed without a word. */
  async function firstLineOf(text: string): Promise<string> {
    const socket = connect(appliance.httpPort, "127.0.0.1").setEncoding("latin1");
    let answer = "";
    socket.on("data", (chunk: string) => {
      answer += chunk;
      // Some answers never end.
      if (answer.includes("\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.end(text, "latin1");
    await once(socket, "close");
    return answer.split("\r\n")[0] ?? "";
  }
});
