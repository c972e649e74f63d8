import { expect } from "chai";
import { HookReceiver, Secrets } from "../notify/receivers.ts";
import { onlyLine, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";

describe("flanco forward test", () => {
  const program = forEachTest(() => Program.make());
  const secrets = forEachTest(() => new Secrets().open());

  it("sends a test to a sink of the running service, and says what came of it", async () => {
    const receiver = new HookReceiver(secrets.good);
    const port = await receiver.open();
    try {
      await program.start({
        FLANCO_WEBHOOK_URL: `https://localhost:${port}/flanco`,
        FLANCO_WEBHOOK_KEY_FILE: secrets.keyFile,
        FLANCO_WEBHOOK_AUTHORITY_FILE: secrets.authorityFile,
      });
      const sent = await program.call(["forward", "test", "webhook"]);
      expect(sent).to.deep.equal({
        exitCode: 0,
        stderr: "",
        stdout: `The receiver localhost:${port} has taken a test message.\n`,
      });
      expect(JSON.parse(receiver.posted[0]?.body ?? "{}")).to.include({ kind: "test" });
      const { stdout } = await program.call(["forward", "test", "webhook", "--json"]);
      expect(JSON.parse(stdout)).to.include({ sink: "webhook" }).and.to.have.property("done");
      receiver.status = 403;
      const refused = await program.call(["forward", "test", "webhook"]);
      expect(refused).to.include({ exitCode: 1, stdout: "" });
      expect(onlyLine(refused)).to.contain(`The receiver localhost:${port} answers 403.`);
      expect(await program.refused(["forward", "test", "mqtt"])).to.contain(
        "The sink mqtt is not configured. An owner sets it up on the page",
      );
    } finally {
      await receiver.close();
    }
  });

  it("needs a running service, and a sink that there is", async () => {
    const { exitCode, stderr } = await program.call(["forward", "test", "email"]);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain("The flanco service is not running");
    expect((await program.call(["forward", "test", "fax"])).exitCode).to.equal(2);
  });
});
