import { expect } from "chai";
import { Ahead } from "../../src/web/api/ahead.ts";
import type { Answer } from "../../src/web/api/send.ts";

const ANSWER: Answer = { headers: new Headers(), body: {} };

describe("What is asked for ahead", () => {
  let asked: Map<string, PromiseWithResolvers<Answer>>;
  let ahead: Ahead;

  beforeEach(() => {
    asked = new Map();
    ahead = new Ahead(({ path }) => {
      const answer = Promise.withResolvers<Answer>();
      asked.set(path, answer);
      return answer.promise;
    });
  });

  it("is asked for once, and answers the first who asks", async () => {
    ahead.ask(["/api/verify"]);
    const first = asked.get("/api/verify");
    first?.resolve(ANSWER);
    expect(await ahead.get("/api/verify")).to.equal(ANSWER);
    void ahead.get("/api/verify");
    expect(asked.get("/api/verify")).to.not.equal(first);
  });

  it("is settled once every answer that nobody took has come or failed", async () => {
    ahead.ask(["/api/verify", "/api/status", "/api/device"]);
    void ahead.get("/api/verify");
    let isSettled = false;
    const settled = ahead.settled().then(() => {
      isSettled = true;
    });
    asked.get("/api/status")?.resolve(ANSWER);
    await turn();
    expect(isSettled).to.equal(false);
    asked.get("/api/device")?.reject(new Error("gone"));
    await turn();
    expect(isSettled).to.equal(true);
    await settled;
  });

  it("is waited for only for a moment, and answers when it comes", async () => {
    ahead.ask(["/api/status"]);
    await ahead.settled();
    asked.get("/api/status")?.resolve(ANSWER);
    expect(await ahead.get("/api/status")).to.equal(ANSWER);
  });
});

/** All that is ready to happen happens. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
