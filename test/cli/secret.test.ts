import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PASSWORD, type RunningService } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { EMAIL, seededProgram } from "./ledger.ts";

const ROTATE = ["secret", "rotate"];

describe("A session", () => {
  const program = forEachTest(() => seededProgram());
  let service: RunningService;

  beforeEach(async () => {
    service = await program.start();
  });

  function secretFile(): string {
    return join(program.dataDir, "session.key");
  }

  async function statusOf(cookie: string): Promise<number> {
    return (await service.get("/api/verify", cookie)).status;
  }

  it("ends with every other one and its live page by another secret, of which a running service takes the next", async () => {
    const cookies = [];
    for (let count = 0; count < 3; count += 1) cookies.push(await service.signIn(EMAIL, PASSWORD));
    const page = await service.get("/api/event", cookies[0]);
    const reading = page.text().catch(() => "cut off");
    const before = readFileSync(secretFile());
    expect(await program.call(ROTATE)).to.deep.equal({
      exitCode: 0,
      stdout:
        "Sessions are signed with another secret. All 3 sessions have ended: all users must sign in again.\n",
      stderr: "",
    });
    expect(await reading).to.equal("cut off");
    for (const cookie of cookies) expect(await statusOf(cookie)).to.equal(401);
    expect(readFileSync(secretFile()).equals(before)).to.equal(false);
    expect(statSync(secretFile()).mode & 0o777).to.equal(0o600);
    const cookie = await service.signIn(EMAIL, PASSWORD);
    expect(await statusOf(cookie)).to.equal(200);
    await service.end("SIGKILL");
    service = await program.start();
    expect(await statusOf(cookie)).to.equal(200);
    for (const old of cookies) expect(await statusOf(old)).to.equal(401);
  });

  it("ends by another secret also while no service runs, and by a damaged one, with which the service starts", async () => {
    const cookies = [await service.signIn(EMAIL, PASSWORD)];
    await service.end("SIGTERM");
    expect(JSON.parse(await program.succeed([...ROTATE, "--json"]))).to.deep.equal({ ended: 1 });
    service = await program.start();
    cookies.push(await service.signIn(EMAIL, PASSWORD));
    await service.end("SIGTERM");
    writeFileSync(secretFile(), "half");
    service = await program.start();
    for (const cookie of cookies) expect(await statusOf(cookie)).to.equal(401);
    expect(await statusOf(await service.signIn(EMAIL, PASSWORD))).to.equal(200);
  });
});
