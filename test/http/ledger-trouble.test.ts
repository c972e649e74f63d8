import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance, type SignedInUser } from "../rig/appliance.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";

const HIDDEN = "Something went wrong inside the service. Try again; its log says more.";
const RETRY_AFTER = /^[1-9]\d*$/;

/** As the writer says it of a full disk. */
function noWrites(): FlancoError {
  return new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).", {
    hint: "Check that the disk is not full and not damaged.",
  });
}

function queueFull(): FlancoError {
  return new FlancoError("overloaded", "Too many writes are waiting for the disk.", {
    hint: "Try again in a second.",
  });
}

const READS = [
  ["get", "/api/device", undefined],
  ["get", "/api/location", undefined],
] as const;
const WRITES = [
  ["post", "/api/device", aDevice()],
  ["delete", "/api/device?dId=7234", undefined],
  ["post", "/api/location", aLocation()],
  ["delete", "/api/location?locationId=0123456789abcdef01234567", undefined],
] as const;

describe("A ledger in trouble", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open();
    user = await appliance.addUser();
  });
  afterEach(() => {
    appliance.breaker.failure = undefined;
  });
  after(() => appliance.close());

  function send(method: "get" | "post" | "delete", path: string, body: object | undefined) {
    const request = appliance.api[method](path).set("Cookie", user.cookie);
    return body === undefined ? request : request.send(body);
  }

  for (const [method, path, body] of [...READS, ...WRITES]) {
    it(`gives ${method.toUpperCase()} ${path} 500 when it cannot be used, and shows nothing of why`, async () => {
      appliance.breaker.failure = noWrites();
      const response = await send(method, path, body).expect(500);
      expect(response.body).to.deep.equal({ status: "error", error: HIDDEN });
      expect(response.headers).not.to.have.property("retry-after");
      expect(appliance.log.errors.at(-1)).to.contain("SQLITE_FULL");
    });
  }

  for (const [method, path, body] of WRITES) {
    it(`tells ${method.toUpperCase()} ${path} to come back when its queue is full`, async () => {
      appliance.breaker.failure = queueFull();
      const response = await send(method, path, body).expect(503);
      expect(response.body).to.deep.equal({
        status: "error",
        error: "Too many writes are waiting for the disk. Try again in a second.",
      });
      expect(response.headers["retry-after"]).to.match(RETRY_AFTER);
    });
  }

  for (const [what, failure] of [
    ["takes no writes", noWrites()],
    ["has a full queue", queueFull()],
  ] as const) {
    it(`tells POST /api/data to come back, in the contract's words, when it ${what}`, async () => {
      appliance.breaker.failure = failure;
      const response = await send("post", "/api/data", aRecord()).expect(503);
      expect(response.body).to.deep.equal({ status: "error", message: "Failed to save data" });
      expect(response.headers["retry-after"]).to.match(RETRY_AFTER);
    });
  }
});
