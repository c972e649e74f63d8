import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { EMAIL } from "./ledger.ts";
import { Appliance, onlyLine, PASSWORD, PROCESS_TEST_MS, type RunningService } from "./program.ts";

const ROTATE = ["secret", "rotate"];

describe("What ends a session", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Appliance;
  let service: RunningService;

  beforeEach(async () => {
    appliance = await Appliance.make();
    const account = ["--email", EMAIL, "--name", "Ana"];
    await appliance.succeed(["user", "add", ...account, "--password-stdin"], PASSWORD);
    service = await appliance.start();
  });

  afterEach(() => appliance.close());

  function secretFile(): string {
    return join(appliance.dataDir, "session.key");
  }

  async function statusOf(cookie: string): Promise<number> {
    return (await service.get("/api/verify", cookie)).status;
  }

  /** Ends the process in the middle of whatever it does, and starts another. */
  async function crash(): Promise<void> {
    await service.end("SIGKILL");
    service = await appliance.start();
  }

  for (const [what, act] of [
    ["signing out", (cookie: string) => service.post("/api/logout", {}, cookie)],
    [
      "a changed password",
      () => appliance.call(["user", "passwd", "--email", EMAIL, "--password-stdin"], "another good one"),
    ],
    ["the removal of its user", () => appliance.call(["user", "remove", "--email", EMAIL, "--with-devices"])],
    ["another secret", () => appliance.call(ROTATE)],
  ] as const) {
    it(`is ${what}: at once, and for good, though the process is killed the moment after`, async () => {
      const cookie = await service.signIn(EMAIL, PASSWORD);
      expect(await statusOf(cookie)).to.equal(200);
      await act(cookie);
      expect(await statusOf(cookie)).to.equal(401);
      await crash();
      expect(await statusOf(cookie)).to.equal(401);
    });
  }

  it("is no crash: a session that nobody ended stands after it", async () => {
    const cookie = await service.signIn(EMAIL, PASSWORD);
    await crash();
    expect(await statusOf(cookie)).to.equal(200);
  });

  describe("with flanco secret rotate", () => {
    it("is told with how many ended, and who signs in anew stays", async () => {
      for (let count = 0; count < 3; count += 1) await service.signIn(EMAIL, PASSWORD);
      const before = readFileSync(secretFile());
      const rotated = await appliance.call(ROTATE);
      expect(rotated).to.deep.equal({
        exitCode: 0,
        stdout:
          "Sessions are signed with another secret. All 3 sessions have ended: everybody signs in anew.\n",
        stderr: "",
      });
      expect(readFileSync(secretFile()).equals(before)).to.equal(false);
      expect(statSync(secretFile()).mode & 0o777).to.equal(0o600);
      const cookie = await service.signIn(EMAIL, PASSWORD);
      expect(await statusOf(cookie)).to.equal(200);
      await crash();
      expect(await statusOf(cookie)).to.equal(200);
    });

    it("cuts off the live pages of who was signed in", async () => {
      const cookie = await service.signIn(EMAIL, PASSWORD);
      const page = await service.get("/api/events", cookie);
      const reading = page.text().catch(() => "cut off");
      await appliance.call(ROTATE);
      expect(await reading).to.equal("cut off");
    });

    it("is done on the file while no service runs, and nothing of the old secret is left beside it", async () => {
      const cookie = await service.signIn(EMAIL, PASSWORD);
      await service.end("SIGTERM");
      const rotated = await appliance.run([...ROTATE, "--json"]);
      expect(JSON.parse(rotated.stdout)).to.deep.equal({ ended: 1 });
      service = await appliance.start();
      expect(await statusOf(cookie)).to.equal(401);
      expect(await service.signIn(EMAIL, PASSWORD)).to.match(/^auth_token=/);
    });

    it("mends a secret that is damaged, which the service refuses to start with", async () => {
      await service.end("SIGTERM");
      writeFileSync(secretFile(), "half");
      const refused = await appliance.run(["serve"]);
      expect(refused.exitCode).to.equal(1);
      expect(onlyLine(refused)).to.match(/flanco secret rotate/);
      await appliance.succeed(ROTATE);
      service = await appliance.start();
      expect(await service.signIn(EMAIL, PASSWORD)).to.match(/^auth_token=/);
    });
  });
});
