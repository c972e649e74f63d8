import { expect } from "chai";
import type { AcceptanceReport, Commission } from "../../src/contract/commission.ts";
import { PASSWORD, type RunningService } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { EMAIL, recordRows, seededProgram } from "./ledger.ts";

describe("flanco commission, beside the service", () => {
  const program = forSuite(() => seededProgram());
  let service: RunningService;
  let cookie: string;

  before(async () => {
    service = await program.start();
    cookie = await service.signIn(EMAIL, PASSWORD);
  });

  /** A commissioning is walked through on the page: these are the page's requests. */
  async function ask(method: string, path: string, body: object): Promise<void> {
    const answer = await service.send(method, path, body, cookie);
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  }

  const set = (line: string, level: string) => program.succeed(["gpio", "set", line, level]);

  it("shows in words and as JSON what is known of each room, and exits with 3 while one is not good", async () => {
    await ask("PUT", "/api/commission", { commission: {} });
    await ask("PUT", "/api/commission/room", { room: { dId: "7234", room: "102" } });
    await set("SIM2", "high");
    const named = "102 of Pasillo A, SIM1: SWAPPED: another line moved; proposed: line SIM2";
    await until("it shows the line that moved", async () =>
      (await program.call(["commission", "show"])).stdout.includes(named),
    );
    const words = await program.call(["commission", "show"]);
    expect(words.stdout).to.match(/^Under test until \d{4}-\S+Z, so what they do is no sale: all lines\.\n/);
    expect(words).to.include({
      exitCode: 3,
      stderr: "flanco: 8 of 8 rooms are not good, or were not switched.\n",
    });
    expect(words.stdout).to.contain("101 of Pasillo A, SIM0: not switched yet\n");
    const json = await program.call(["commission", "show", "--json"]);
    expect(json.exitCode).to.equal(3);
    const { rooms } = JSON.parse(json.stdout) as Commission;
    expect(rooms.map(({ room, judgement }) => [room, judgement.verdict]).slice(0, 2)).to.deep.equal([
      ["101", null],
      ["102", "swapped"],
    ]);
  });

  it("is open by the status too, which says how it is ended", async () => {
    for (const form of [[], ["--short"]]) {
      const { stdout } = await program.call(["status", ...form]);
      expect(stdout).to.match(
        /\nLines under test: 8, until 20\d\d-.{14}\. What they do is no sale: flanco commission end/,
      );
    }
  });

  it("shows the report with which it was ended, and lists the reports", async () => {
    const report = { technician: "Luis Pérez", clinic: "Ana Gil" };
    await ask("POST", "/api/commission/report", { report });
    const { stdout: shown } = await program.call(["commission", "report"]);
    expect(shown).to.contain("rooms        0 of 8 good, 0 need attention, 8 not switched");
    const { exitCode, stdout } = await program.call(["commission", "report", "--json"]);
    expect(exitCode).to.equal(3);
    const made = JSON.parse(stdout) as AcceptanceReport;
    expect(made).to.deep.include(report);
    expect(made.hash).to.match(/^[0-9a-f]{64}$/);
    const list = await program.succeed(["commission", "report", "--list"]);
    expect(list).to.match(new RegExp(`^${made.number}\t.+\tLuis Pérez, Ana Gil\t0 of 8 rooms good\n$`));
  });

  it("is begun by the command too, shows what moved, and makes no sale; once it is ended, the rooms sell", async () => {
    const begun = await program.succeed(["commission", "begin", "simchip0:0", "--minutes", "15"]);
    expect(begun).to.match(/^Under test until \d{4}-\S+Z, so what they do is no sale: SIM0\.\n$/);
    await set("SIM0", "high");
    await until("the move is shown", async () =>
      (await program.call(["commission", "show"])).stdout.includes("\tSIM0\thigh\t101 of Pasillo A\n"),
    );
    expect(await program.refused(["commission", "begin", "GPIO99"])).to.contain(
      "The line GPIO99 is not wired. Name a wired line, or wire it first.",
    );
    await program.succeed(["commission", "end"]);
    expect(recordRows(program.ledgerFile)).to.deep.equal([]);
    await set("SIM0", "low");
    await until("it is off, beyond its debounce", async () =>
      (await program.succeed(["status"])).includes("SIM0: room 101 of Pasillo A, off since"),
    );
    await set("SIM0", "high");
    await until("a sale is in", () => recordRows(program.ledgerFile).length === 1);
  });
});
