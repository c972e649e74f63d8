import { expect } from "chai";
import fc from "fast-check";
import { Appliance, type SignedInUser } from "./appliance.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";
import { exchange } from "./exchange.ts";
import { INSIDE } from "./inside.ts";
import { aWiring } from "./wired-line.ts";

const RUNS = 150;

/** The body of each endpoint that takes one, as it should be. */
const TARGETS = [
  { method: "POST", path: "/api/data", body: aRecord() },
  { method: "POST", path: "/api/device", body: aDevice() },
  { method: "POST", path: "/api/location", body: aLocation() },
  { method: "PUT", path: "/api/wiring", body: aWiring() },
  { method: "POST", path: "/api/login", body: { email: "nadie@example.org", password: "x" } },
  {
    method: "POST",
    path: "/api/first-run",
    body: { token: "x", name: "x", email: "x@example.org", password: "una clave larga" },
  },
] as const;

const QUERIES = ["/api/data", "/api/records", "/api/gaps", "/api/device", "/api/location", "/api/wiring"];

/** Values that programs stumble over, beside whatever JSON can say. */
const oddValue = fc.oneof(
  fc.jsonValue({ depthSize: "small" }),
  fc.constantFrom<unknown>(null, "", " ", "\u0000", "\ud800", -0, 1e308, 5e-324, 2 ** 53, [], {}, [[]], true),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.double(),
);

type Step = string | number;

/** Every place in a body, as the steps that lead to it. */
function places(body: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (body === null || typeof body !== "object") return [path];
  const inner = Object.entries(body).flatMap(([key, child]) =>
    places(child, [...path, Array.isArray(body) ? Number(key) : key]),
  );
  return [path, ...inner];
}

/** The body with another value at one place; undefined takes the place away. */
function replaced(body: unknown, path: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy = structuredClone(body) as Record<Step, unknown>;
  copy[step] = replaced(copy[step], rest, value);
  return copy;
}

describe("Any body, mutated at random", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open();
    user = await appliance.addUser();
  });
  after(() => appliance.close());

  async function expectSane(method: string, path: string, text?: string): Promise<void> {
    const headers = {
      Cookie: user.cookie,
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
    };
    const answer = await exchange(appliance, method, path, { headers, body: Buffer.from(text ?? "") });
    expect(answer.status).to.be.within(200, 499);
    const said: unknown = JSON.parse(answer.body);
    expect(said).to.have.property("status", answer.status < 300 ? "success" : "error");
    if (answer.status >= 300) expect(answer.body).not.to.match(INSIDE);
  }

  for (const { method, path, body } of TARGETS) {
    it(`is answered by ${method} ${path} without a failure of the service`, async () => {
      const mutation = fc.tuple(
        fc.constantFrom(...places(body)),
        fc.oneof({ weight: 6, arbitrary: oddValue }, { weight: 1, arbitrary: fc.constant(undefined) }),
      );
      const law = fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const mutated = mutations.reduce<unknown>(
          (current, [place, value]) => (reaches(current, place) ? replaced(current, place, value) : current),
          body,
        );
        await expectSane(method, path, JSON.stringify(mutated) ?? "");
      });
      await fc.assert(law, { numRuns: RUNS });
    });
  }

  it("is answered when it is no longer JSON either", async () => {
    const whole = JSON.stringify(aDevice());
    const law = fc.asyncProperty(
      fc.nat({ max: whole.length }),
      fc.nat({ max: 5 }),
      fc.string({ unit: "binary", maxLength: 5 }),
      async (at, cut, put) => {
        await expectSane("POST", "/api/device", whole.slice(0, at) + put + whole.slice(at + cut));
      },
    );
    await fc.assert(law, { numRuns: RUNS });
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
    const response = await appliance.api.get("/api/records").set("Cookie", user.cookie).expect(200);
    expect(response.body.data[0]).to.include({ deviceId: "7234", valor: 2.5 });
    expect(appliance.log.errors).to.deep.equal([]);
  });
});

/** Whether a place is still there after other mutations. */
function reaches(body: unknown, path: readonly Step[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  return body !== null && typeof body === "object" && Object.hasOwn(body, step)
    ? reaches((body as Record<Step, unknown>)[step], rest)
    : false;
}
