import { expect } from "chai";
import fc from "fast-check";
import { Appliance } from "../rig/appliance.ts";
import { exchange } from "../rig/exchange.ts";
import { forSuite } from "../rig/standing.ts";
import { mutatedBody, TARGETS } from "../security/mutation.ts";
import { aRecord, INSIDE } from "./bodies.ts";
import { WRONG_PASSWORDS } from "./fakes.ts";

const RUNS = 150;

const QUERIES = ["/api/data", "/api/record", "/api/gap", "/api/device", "/api/location", "/api/wiring"];

describe("Any body, mutated at random", () => {
  const appliance = forSuite(() => Appliance.open({ passwords: WRONG_PASSWORDS }));
  const user = forSuite(() => appliance.addUser());

  async function expectSane(method: string, path: string, text?: string): Promise<void> {
    const headers = {
      Cookie: user.cookie,
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
    };
    const answer = await exchange(appliance, method, path, { headers, body: text ?? "" });
    expect(answer.status).to.be.within(200, 499);
    const said: unknown = JSON.parse(answer.body);
    expect(said).to.have.property("status", answer.status < 300 ? "success" : "error");
    if (answer.status >= 300) expect(answer.body).not.to.match(INSIDE);
  }

  it("is answered by every operation that takes one without a failure of the service", async () => {
    const target = fc.oneof(
      ...TARGETS.map(({ method, path, body }) =>
        mutatedBody(body).map((text) => [method, path, text] as const),
      ),
    );
    const law = fc.asyncProperty(target, (request) => expectSane(...request));
    await fc.assert(law, { numRuns: 10 * RUNS });
  });

  it("is answered when the query is at random", async () => {
    const pair = fc.tuple(
      fc.constantFrom("period", "dId", "locationId", "line", "before", "limit", "__proto__"),
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("semanal", "-1", "1e3", "999999999999999", "%"),
      ),
    );
    const law = fc.asyncProperty(
      fc.constantFrom("GET", "DELETE"),
      fc.constantFrom(...QUERIES),
      fc.array(pair, { maxLength: 3 }),
      async (method, path, pairs) => {
        const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        await expectSane(method, `${path}?${query}`);
      },
    );
    await fc.assert(law, { numRuns: RUNS });
  });

  it("left the service as it was: it takes a record and tells what it holds", async () => {
    await expectSane("POST", "/api/data", JSON.stringify(aRecord()));
    const numbers = (await user.data("/api/record")).map(({ number }: { number: number }) => number);
    const [newest] = await user.data(`/api/record?number=${Math.max(...numbers)}`);
    // A mutated post may have any time, so the newest by number need not be the newest by time.
    expect(newest).to.include({ deviceId: "7234", valor: 2.5 });
    expect(appliance.log.errors).to.deep.equal([]);
  });
});
