import { cpSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import { CHECKOUT, PASSWORD, PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { testedProgram } from "../rig/tested-program.ts";

describe("the bundled program", function () {
  this.timeout(PROCESS_TEST_MS);
  const appliance = forSuite(() => Program.make());
  let program: string;

  before(async () => {
    const tested = await testedProgram();
    const folder = join(appliance.directory, "program");
    cpSync(dirname(tested), folder, { recursive: true });
    program = join(folder, basename(tested));
  });

  it("knows its version, and takes itself for an installed one", async () => {
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    expect((await appliance.run(["--version"], { program })).stdout.trim()).to.equal(version);
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
    for (const command of [["backup"], ["gpio", "detect", "--gpio-driver", "chardev"]]) {
      const { exitCode, stderr } = await appliance.run(command, { program });
      expect(exitCode, `${command.join(" ")}: ${stderr}`).to.equal(0);
    }
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
  });
});
