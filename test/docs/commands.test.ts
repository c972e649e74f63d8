import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Appliance, CHECKOUT, PROCESS_TEST_MS, PROGRAM, until } from "../cli/program.ts";

const DOCUMENTS = [
  "README.md",
  ...readdirSync(join(CHECKOUT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** What one of a document's commands may take. */
const COMMAND_MS = 30_000;
const FLANCO = "npm run -s flanco --";
/** Scripts that take long, and have a short form. */
const SHORTENED = [
  "test:page",
  "test:guest",
  "test:systemd",
  "test:faults",
  "test:release",
  "test:security",
  "bench",
];
/** Those whose short form CI has the time for. */
const IN_CI = ["test:page", "test:guest", "test:systemd", "test:faults"];

/** Every command of a document: the lines of its `sh` blocks. */
function commandsOf(document: string): string[] {
  const text = readFileSync(join(CHECKOUT, document), "utf8");
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
  return blocks.flatMap((block) => block.split("\n")).filter((line) => line.trim() !== "");
}

const scripts = (
  JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { scripts: Record<string, string> }
).scripts;
const ci = readFileSync(join(CHECKOUT, ".ci", "run"), "utf8");

describe("the documents' commands", () => {
  let appliance: Appliance;

  beforeEach(async () => {
    appliance = await Appliance.make({ FLANCO_DEMO: "true" });
  });

  afterEach(() => appliance.close());

  /** Runs a line of a document as a shell would, in the appliance's own directory. One that hangs ends by SIGKILL. */
  async function run(line: string): Promise<{ exitCode: number | null; said: string }> {
    const command = line.replace(FLANCO, `'${process.execPath}' '${PROGRAM}'`);
    const child = appliance.adopt(
      spawn("bash", ["-c", command], {
        cwd: appliance.directory,
        env: appliance.environment as NodeJS.ProcessEnv,
        detached: true,
      }),
    );
    let said = "";
    child.stdout?.on("data", (chunk) => (said += chunk));
    child.stderr?.on("data", (chunk) => (said += chunk));
    const timer = setTimeout(() => {
      said += `\nIt was killed: it had not ended after ${COMMAND_MS} ms.`;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, COMMAND_MS);
    const [exitCode] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    return { exitCode, said };
  }

  for (const document of DOCUMENTS) {
    const commands = commandsOf(document).filter((line) => line.includes(FLANCO));
    if (commands.length === 0) continue;
    it(`of ${document} work beside a running service, in their order`, async function () {
      this.timeout(PROCESS_TEST_MS + commands.length * COMMAND_MS);
      await appliance.start();
      await appliance.succeed(
        ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"],
        "a long password\n",
      );
      const wired = async () => (await appliance.succeed(["wiring", "list"])).trim().split("\n").length === 8;
      await until("the demonstration is wired", wired);
      for (const line of commands) {
        const { exitCode, said } = await run(line);
        expect(exitCode, `${line}\n${said}`).to.equal(0);
      }
    });
  }

  it("that start the service do so from the checkout, with a page to open", async function () {
    const starts = DOCUMENTS.flatMap(commandsOf).filter((line) => line.endsWith("npm start"));
    this.timeout(starts.length * PROCESS_TEST_MS);
    expect(starts).to.have.length(2);
    for (const line of starts) {
      const settings = { ...appliance.environment };
      if (line.startsWith("npm")) {
        delete settings["FLANCO_GPIO_DRIVER"];
        delete settings["FLANCO_DEMO"];
      }
      const child = appliance.adopt(
        spawn("bash", ["-c", `exec ${line.replace("npm ci && ", "").replace(/^(FLANCO\S+ )+/, "env $&")}`], {
          cwd: CHECKOUT,
          env: settings as NodeJS.ProcessEnv,
          detached: true,
        }),
      );
      let said = "";
      child.stdout?.on("data", (chunk) => (said += chunk));
      child.stderr?.on("data", (chunk) => (said += chunk));
      await until(`${line} is ready`, () => said.includes("flanco is ready."), 30_000);
      const page = await fetch(`http://127.0.0.1:${appliance.httpPort}/`);
      expect(page.status, said).to.equal(200);
      expect(await page.text()).to.include("<html");
      expect((await fetch(`http://127.0.0.1:${appliance.httpPort}/healthz`)).status).to.equal(200);
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await once(child, "close");
    }
  });

  it("that build, test and measure are scripts of the project that CI runs", () => {
    const others = DOCUMENTS.flatMap(commandsOf).filter(
      (line) => !line.includes(FLANCO) && !line.endsWith("npm start"),
    );
    expect(new Set(others)).to.deep.equal(
      new Set([
        "npm ci && npm test",
        "npm test",
        "npm run test:tls",
        "npm run test:slow",
        "npm run test:image",
        ...SHORTENED.map((name) => `npm run ${name}`),
      ]),
    );
    expect(ci).to.match(/^npm ci$/m);
    const run = [...ci.matchAll(/^run ([\w: ]+)/gm)].flatMap(([, names = ""]) => names.trim().split(" "));
    expect(run).to.have.members(["test", ...IN_CI.map((name) => `${name}:short`)]);
    const slow = [
      "test:tls",
      "test:package",
      "test:image",
      ...SHORTENED.filter((name) => name.startsWith("test:")),
    ];
    for (const name of slow) expect(scripts["test:slow"]).to.include(`npm run -s ${name}`);
    for (const name of SHORTENED) expect(scripts[`${name}:short`]).to.include(scripts[name] ?? "?");
  });
});
