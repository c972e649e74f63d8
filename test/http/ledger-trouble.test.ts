import { mock } from "node:test";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";
import { forSuite } from "../rig/standing.ts";
import { aLocation, aRecord, BODIES, QUERIES } from "./bodies.ts";

/** As the writer says it of a full disk. */
const NO_WRITES = new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).", {
  hint: "Check that the disk is not full and not damaged.",
});
const QUEUE_FULL = new FlancoError("overloaded", "Too many writes are waiting for the disk.", {
  hint: "Try again in a second.",
});

const READ = ["get", "/api/device", undefined] as const;
const WRITE = ["post", "/api/location", aLocation()] as const;
const SALE = ["post", "/api/data", aRecord()] as const;
const SUMMARY = ["get", "/api/data?period=anual", undefined] as const;
/** What breaks inside says things that no client may see. */
const BROKEN = new Error("SQLITE_IOERR: INSERT INTO record, /var/lib/flanco/ledger.db");
const DAMAGED = new FlancoError("damaged", "The ledger /var/lib/flanco/ledger.db is damaged.");

const HIDDEN = { error: "Something went wrong inside the service. Try again; its log says more." };
const COME_BACK = { error: "Too many writes are waiting for the disk. Try again in a second." };
const NOT_SAVED = { message: "Failed to save data" };
const NOT_READ = { message: "Error al obtener los datos" };

/** Requests, what the ledger fails with, and what the contract answers. */
const CASES = [
  [READ, NO_WRITES, 500, HIDDEN],
  [WRITE, NO_WRITES, 500, HIDDEN],
  [WRITE, QUEUE_FULL, 503, COME_BACK],
  [SALE, NO_WRITES, 503, NOT_SAVED],
  [SALE, QUEUE_FULL, 503, NOT_SAVED],
  [SALE, BROKEN, 500, NOT_SAVED],
  ...[BROKEN, NO_WRITES, DAMAGED].map((failure) => [SUMMARY, failure, 500, NOT_READ] as const),
] as const;

/** Signing out never fails, and live events ask nothing of the ledger. */
const NO_LEDGER = ["/api/logout", "/api/event"];
const NOBODY = "0".repeat(24);
/** What operations ask for beside a body. */
const KEYS = {
  ...{ dId: "7234", locationId: NOBODY, memberId: NOBODY, number: "1", name: "notice" },
  ...{ from: "2030-01-01", valor: "5", room: "101", time: "0", month: "2026-01" },
};

/** The contract has 500 where devices, locations and summaries cannot be had, 503 for a post to come again. */
function statusInTrouble(failure: Error, method: string, path: string): number {
  if (failure === BROKEN) return 500;
  if (failure === QUEUE_FULL) return 503;
  const inContract = ["/api/device", "/api/location"].includes(path);
  return inContract || (path === "/api/data" && method === "get") ? 500 : 503;
}

describe("A ledger in trouble", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forSuite(() => appliance.addUser());

  afterEach(() => {
    appliance.breaker.failure = undefined;
    appliance.lines.refusal = undefined;
  });

  for (const [[method, path, sent], failure, status, answer] of CASES) {
    it(`that says "${failure.message}" is ${status} to ${method.toUpperCase()} ${path}`, async () => {
      appliance.breaker.failure = failure;
      const { body, headers } = await user[method](path, sent).expect(status);
      expect(body).to.deep.equal({ status: "error", ...answer });
      expect(headers["retry-after"] ?? "none").to.match(status === 503 ? /^[1-9]\d*$/ : /^none$/);
      expect(appliance.log.errors).to.include(failure.message);
    });
  }

  for (const failure of [BROKEN, NO_WRITES, QUEUE_FULL]) {
    it(`that says "${failure.message}" is told by every operation that asks it`, async () => {
      const account = { token: appliance.firstRun.issue(), name: "Eva", email: "eva@example.org" };
      const bodies: Readonly<Record<string, object>> = {
        ...BODIES,
        "post /api/login": { email: user.email, password: PASSWORD },
        "post /api/first-run": { ...account, password: PASSWORD },
      };
      appliance.breaker.failure = failure;
      appliance.lines.refusal = failure;
      for (const { method, path } of operationsOf(await appliance.description())) {
        if (NO_LEDGER.includes(path)) continue;
        const query = { ...KEYS, ...(QUERIES[path] ?? { line: "SIM0", period: "anual" }) };
        const { status } = await user[method](path, bodies[`${method} ${path}`]).query(query);
        expect(status, `${method} ${path}`).to.equal(statusInTrouble(failure, method, path));
      }
    });
  }

  it("stores nothing of what failed, and takes the next post once it is well again", async () => {
    appliance.breaker.failure = QUEUE_FULL;
    await user.post("/api/data", aRecord()).expect(503);
    appliance.breaker.failure = undefined;
    await user.post("/api/data", aRecord()).expect(201);
    expect(appliance.recordsOf(user.id)).to.have.lengthOf(1);
  });

  it("is told to the log once a minute for each kind, with how often; what is only busy shows no stack", async () => {
    await using own = await Appliance.open();
    const owner = await own.addUser();
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      own.breaker.failure = QUEUE_FULL;
      const post = () => owner.post("/api/data", aRecord()).expect(503);
      for (let count = 0; count < 10; count += 1) await post();
      const { message } = QUEUE_FULL;
      expect(own.log.errors).to.deep.equal([message]);
      expect(own.log.fields.at(-1)).to.have.all.keys("method", "path", "code", "cause");
      mock.timers.tick(60_000);
      expect(own.log.fields.at(-1)).to.deep.equal({ kind: message, count: 9 });
      mock.timers.tick(60_000);
      await post();
      expect(own.log.errors.filter((text) => text === message)).to.have.lengthOf(2);
    } finally {
      mock.timers.reset();
    }
  });
});
