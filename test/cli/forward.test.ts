import { expect } from "chai";
import { HookReceiver, Secrets } from "../notify/receivers.ts";
import { onlyLine, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";

describe("flanco forward", () => {
  const program = forEachTest(() => Program.make());
  const secrets = forEachTest(() => new Secrets().open());

  it("tests a sink, which the first start took over, turns it off, and sets it up of a file", async () => {
    const receiver = new HookReceiver(secrets.good);
    const port = await receiver.open();
    try {
      const url = `https://localhost:${port}/flanco`;
      const service = await program.start({
        FLANCO_WEBHOOK_URL: url,
        FLANCO_WEBHOOK_KEY_FILE: secrets.keyFile,
        FLANCO_WEBHOOK_AUTHORITY_FILE: secrets.authorityFile,
      });
      await service.makeFirstUser();
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
      expect(await program.succeed(["forward", "off", "webhook"])).to.equal("Turned off: webhook.\n");
      expect(await program.refused(["forward", "test", "webhook"])).to.contain(
        "The sink webhook is not set up. An owner sets it up on the page, or flanco forward import does.",
      );
      const files = `webhook_key_file = "${secrets.keyFile}"\nwebhook_authority_file = "${secrets.authorityFile}"`;
      const file = secrets.write("sinks.toml", `http_port = 8080\nwebhook_url = "${url}"\n${files}\n`);
      expect(await program.succeed(["forward", "import", file])).to.equal("Set up: webhook.\n");
      receiver.status = 200;
      expect((await program.call(["forward", "test", "webhook"])).exitCode).to.equal(0);
    } finally {
      await receiver.close();
    }
  });

  it("needs a running service, and a sink that there is", async () => {
    const { exitCode, stderr } = await program.call(["forward", "test", "email"]);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain("The flanco service is not running");
    expect((await program.call(["forward", "test", "fax"])).exitCode).to.equal(2);
    const refusals = [
      ["webhook_ulr = 1", "webhook_ulr: there is no such setting"],
      ["http_port = 8080", "there is no sink in it."],
      ['webhook_url = "https://hooks.example.org/"', "webhook_key_file is required."],
      [
        `webhook_url = "http://x/"\nwebhook_key_file = "${secrets.keyFile}"`,
        "webhook_url must be an https://",
      ],
      ['email_server = "smtp://x"\nemail_password_file = "/none"', "/none cannot be read."],
    ] as const;
    for (const [text, said] of refusals) {
      const ended = await program.call(["forward", "import", secrets.write("sinks.toml", text)]);
      expect(onlyLine(ended)).to.contain(said);
    }
  });
});
