import { once } from "node:events";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { PASSWORD } from "../rig/appliance.ts";
import { BODIES, JSON_BODIES, KEYS, QUERIES } from "./bodies.ts";
import { Exchanges, isRefusal, operationsOf, statusInTrouble } from "./openapi-description.ts";

/** How long failures to sign in count. */
const FORGOTTEN_MS = 600_000;

describe("What the API refuses", () => {
  const exchanges = new Exchanges();
  const { appliance, user, description, conformance } = exchanges;
  const answers: Exchanges["answers"] = (...exchange) => exchanges.answers(...exchange);

  /** The address may fail to sign in again. */
  function forgetFailures(): void {
    appliance.clock.pass(FORGOTTEN_MS);
  }

  describe("is described:", () => {
    it("live events, and that only so many pages may be open", async () => {
      const responses = await Promise.all(Array.from({ length: 65 }, () => user.begin("/api/event")));
      for (const response of responses) {
        const status = response.statusCode ?? 0;
        const type = String(response.headers["content-type"]).split(";")[0] ?? "";
        const body = status === 200 ? undefined : JSON.parse(String(await once(response, "data")));
        conformance.observe({ method: "get", path: "/api/event", status, type, body });
      }
      for (const response of responses) response.destroy();
    });

    it("what is told without a session, whatever else is wrong", async () => {
      for (const { method, path, security } of operationsOf(description)) {
        if (path === "/api/logout") continue;
        const body = security.length === 0 ? BODIES[`${method} ${path}`] : undefined;
        const answer = await answers(401, method, path, { by: appliance.api, ...(body && { body }) });
        if (security.length === 0) continue;
        const field = path === "/api/data" ? "message" : "error";
        expect(answer.body).to.deep.equal({ status: "error", [field]: "Unauthorized" });
      }
    });

    it("what is told to other sites", async () => {
      const headers = { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
      for (const { method, path } of operationsOf(description)) {
        await answers(403, method, path, { headers });
      }
    });

    it("what is told of bodies and queries that do not fit", async () => {
      for (const { method, path } of JSON_BODIES) {
        forgetFailures();
        await answers(400, method, path, { query: KEYS, body: {} });
        await answers(415, method, path, { raw: { type: "text/plain", text: "{}" } });
        await answers(413, method, path, {
          raw: { type: "application/json", text: " ".repeat(65_537) },
        });
      }
      for (const [method, path, query] of [
        ["delete", "/api/device"],
        ["delete", "/api/location"],
        ["delete", "/api/wiring"],
        ["delete", "/api/wiring/price"],
        ["delete", "/api/member"],
        ["delete", "/api/sink"],
        ["delete", "/api/test", { line: "" }],
        ["get", "/api/wiring/price", { room: "" }],
        ["get", "/api/commission/report", { number: "x" }],
        ["get", "/api/data"],
        ["get", "/api/record", { limit: "0" }],
        ["get", "/api/gap", { limit: "0" }],
        ["get", "/api/audit", { limit: "0" }],
        ["get", "/api/record/sum", { from: "x" }],
        ["get", "/api/overview"],
        ["get", "/api/export"],
        ["get", "/api/report"],
      ] as const) {
        await answers(400, method, path, query && { query });
      }
    });

    for (const [what, failure] of [
      ["breaks", new Error("SQLITE_CORRUPT: SELECT")],
      ["takes no writes", new FlancoError("unavailable", "The ledger takes no writes.")],
      ["has too much to do", new FlancoError("overloaded", "Too many writes are waiting for the disk.")],
    ] as const) {
      it(`what is told when the ledger ${what}`, async () => {
        const token = appliance.firstRun.issue();
        const account = { name: "Eva", email: "eva@example.org", password: PASSWORD };
        const bodies: Readonly<Record<string, object>> = {
          ...BODIES,
          "post /api/login": { email: user.email, password: PASSWORD },
          "post /api/first-run": { token, ...account },
        };
        appliance.breaker.failure = failure;
        appliance.lines.refusal = failure;
        for (const { method, path } of operationsOf(description)) {
          // Signing out never fails, and live events ask nothing of the ledger.
          if (path === "/api/logout" || path === "/api/event") continue;
          const body = bodies[`${method} ${path}`];
          const query = {
            ...KEYS,
            from: "2030-01-01",
            valor: "5",
            ...(QUERIES[path] ?? { line: "SIM0", period: "anual" }),
          };
          const status = statusInTrouble(failure, path, method);
          if (path === "/api/login") forgetFailures();
          await answers(status, method, path, { query, ...(body === undefined ? {} : { body }) });
        }
      });
    }

    it("nothing that was not seen to happen", () => {
      expect(conformance.unseen().filter(isRefusal)).to.deep.equal([]);
    });
  });
});
