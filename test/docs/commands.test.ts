import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { systemCode } from "../../src/domain/error.ts";
import { CHECKOUT, listen, PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { DOCUMENTS, readDocument } from "./documents.ts";

/** What one of a document's commands may take. */
const COMMAND_MS = 30_000;
const FLANCO = "npm run -s flanco --";
/** The exit code of `flanco status` where something needs attention: the disk of a busy machine is slow. */
const ATTENTION = 3;

/** Every command of a document: the lines of its `sh` blocks. */
function commandsOf(document: string): string[] {
  const blocks = [...readDocument(document).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    (match) => match[1] ?? "",
  );
  return blocks.flatMap((block) => block.split("\n")).filter((line) => line.trim() !== "");
}

describe("the documents' commands", () => {
  let program: Program;

  before(async () => {
    program = await Program.make({ FLANCO_DEMO: "true" });
    await program.start();
    const ana = ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"];
    await program.succeed(ana, "a long password\n");
    const wired = async () => (await program.succeed(["wiring", "list"])).trim().split("\n").length === 20;
    await until("the demonstration is wired", wired);
  });

  after(() => program.close());

  /** Runs a line of a document in the program's own directory. */
  async function run(line: string): Promise<{ readonly exitCode: number | null; readonly said: string }> {
    const words = line.replace(`${FLANCO} `, "").split(" ");
    const namesFile = words.some((word) => existsSync(join(program.directory, word)));
    if (line.startsWith(FLANCO) && !namesFile && !/['"|<>$]/.test(line)) {
      const { exitCode, stdout, stderr } = await program.call(words);
      return { exitCode, said: stdout + stderr };
    }
    const script = line.replace(FLANCO, `'${program.command.join("' '")}'`);
    const child = program.adopt(
      spawn("bash", ["-c", script], {
        cwd: program.directory,
        env: program.environment as NodeJS.ProcessEnv,
        timeout: COMMAND_MS,
        killSignal: "SIGKILL",
      }),
    );
    const said = listen(child);
    const [exitCode] = (await once(child, "close")) as [number | null];
    return { exitCode, said: said.stdout + said.stderr };
  }

  for (const document of DOCUMENTS) {
    const commands = commandsOf(document).filter((line) => line.includes(FLANCO));
    if (commands.length === 0) continue;
    it(`of ${document} work beside a running service, in their order`, async function () {
      this.timeout(commands.length * COMMAND_MS);
      for (const line of commands) {
        const { exitCode, said } = await run(line);
        const accepted = line === `${FLANCO} status` ? [0, ATTENTION] : [0];
        expect(exitCode, `${line}\n${said}`).to.be.oneOf(accepted);
      }
    });
  }

  it("that start the service do so from the checkout, with a page to open", async function () {
    const starts = DOCUMENTS.flatMap(commandsOf).filter((line) => /npm (start|run dev)$/.test(line));
    this.timeout(starts.length * PROCESS_TEST_MS);
    expect(starts).to.have.length(3);
    await Promise.all(starts.map(startAndStop));
  });

  async function startAndStop(line: string): Promise<void> {
    const own = await Program.make({ FLANCO_DEMO: undefined, FLANCO_GPIO_DRIVER: undefined });
    try {
      const child = own.adopt(
        spawn("bash", ["-c", `exec ${line.replace("npm ci && ", "").replace(/^(FLANCO\S+ )+/, "env $&")}`], {
          cwd: CHECKOUT,
          env: own.environment as NodeJS.ProcessEnv,
          detached: true,
        }),
      );
      const said = listen(child);
      await until(`${line} is ready`, () => said.stdout.includes("flanco is ready."));
      const page = await fetch(`http://127.0.0.1:${own.httpPort}/`);
      expect(page.status, said.stderr).to.equal(200);
      expect(await page.text()).to.include("<html");
      expect((await fetch(`http://127.0.0.1:${own.httpPort}/healthz`)).status).to.equal(200);
      // As `npm start & kill $!` does: npm alone is told, and none of its group stays behind.
      child.kill("SIGTERM");
      await once(child, "exit");
      // One that it killed is there until the system has taken it in.
      await until("none of its group is left", () => isGone(-(child.pid ?? 0)));
    } finally {
      await own.close();
    }
  }

  it("that npm runs are scripts of the project", () => {
    const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as {
      scripts: Readonly<Record<string, string>>;
    };
    const named = DOCUMENTS.flatMap((document) =>
      [...readDocument(document).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => name),
    );
    expect(named).to.include.members(["flanco", "test:slow", "bench"]);
    for (const name of named) expect(scripts).to.have.property(name);
  });
});

/** Whether nothing has this id, or nothing is in the group of which this is the negative. */
function isGone(id: number): boolean {
  try {
    return !process.kill(id, 0);
  } catch (error) {
    return systemCode(error) === "ESRCH";
  }
}
