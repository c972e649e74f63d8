import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { bundleProgram } from "../../scripts/bundle.mjs";
import { CHECKOUT, PROCESS_TEST_MS, Program } from "../rig/program.ts";

const PASSWORD = "correct horse battery";

describe("the bundled program", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;
  let program: string;

  before(async () => {
    appliance = await Program.make();
    const folder = join(appliance.directory, "program");
    await bundleProgram(folder);
    program = join(folder, "flanco.mjs");
  });

  after(() => appliance.close());

  it("knows its version", async () => {
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    const { exitCode, stdout } = await appliance.run(["--version"], { program });
    expect({ exitCode, stdout: stdout.trim() }).to.deep.equal({ exitCode: 0, stdout: version });
  });

  it("takes itself for an installed one", async () => {
    const options = { program, environment: { FLANCO_DATA_DIR: undefined } };
    const { stdout } = await appliance.run(["config", "show"], options);
    expect(stdout).to.contain('data_dir = "/var/lib/flanco"');
  });

  it("serves far from the checkout: its threads and its addons are beside it", async () => {
    const user = ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"];
    const added = await appliance.run(user, { program, input: `${PASSWORD}\n` });
    expect(added.exitCode, added.stderr).to.equal(0);
    const service = await appliance.start({}, { program });
    expect(await service.signIn("ana@example.org", PASSWORD)).to.be.a("string");
    for (const command of [["backup"], ["verify"], ["gpio", "detect", "--gpio-driver", "chardev"]]) {
      const { exitCode, stderr } = await appliance.run(command, { program });
      expect(exitCode, `${command.join(" ")}: ${stderr}`).to.equal(0);
    }
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
  });
});
