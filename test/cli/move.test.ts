import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { formatCode } from "../../src/domain/move.ts";
import { onlyLine, PASSWORD, PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { EMAIL, seedLedger } from "./ledger.ts";

const SALES = Array.from({ length: 5 }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
const authorityOf = ({ dataDir }: Program) => readFileSync(join(dataDir, "tls", "authority.pem"), "utf8");

interface Moved {
  readonly records: number;
  readonly certificates: string;
  readonly toDo: readonly string[];
}

describe("flanco move, and flanco restore from the old gateway", function () {
  this.timeout(PROCESS_TEST_MS);
  const old = forEachTest(() => Program.make());
  const fresh = forEachTest(() => Program.make());
  let service: RunningService;

  beforeEach(async () => {
    await seedLedger(old.ledgerFile, SALES);
    service = await old.start();
  });

  const code = async () =>
    (JSON.parse(await old.succeed(["move", "--json"])) as { readonly code: string }).code;
  const restore = (typed: string) =>
    fresh.call(["restore", `https://127.0.0.1:${old.httpsPort}`, "--code-stdin", "--json"], `${typed}\n`);

  it("bring the clinic whole to a new gateway, which browsers trust, and the old one says so", async () => {
    const first = await fresh.start();
    await first.end("SIGTERM");
    const typed = await code();
    const { exitCode, stdout, stderr } = await restore(typed);
    expect(exitCode, stderr).to.equal(0);
    expect(stderr).to.include("Fetching the backup 100 %");
    const moved = JSON.parse(stdout) as Moved;
    expect(moved).to.deep.include({ records: 5, certificates: "restored" });
    expect(moved.toDo.join(" ")).to.include("switch the old one off for good");
    expect(authorityOf(fresh)).to.equal(authorityOf(old));
    const status = await old.call(["status", "--json"]);
    expect(status.stdout).to.include('"clinic_moved"');
    const used = await restore(typed);
    expect(onlyLine(used)).to.include("This code has been used or has expired");
    const next = await fresh.start();
    await next.signIn(EMAIL, PASSWORD);
    expect(authorityOf(fresh)).to.equal(authorityOf(old));
    expect(existsSync(`${fresh.ledgerFile}.incoming`)).to.equal(false);
    expect((await fresh.call(["status", "--json"])).stdout).not.to.include('"clinic_moved"');
  });

  it("send nothing to another machine, and change nothing", async () => {
    const foreign = formatCode("0".repeat(15), "ab".repeat(32));
    expect(onlyLine(await restore(foreign))).to.include("is not the one that the code tells of");
    expect(onlyLine(await restore("1234"))).to.include("That is no code of a move");
    expect(existsSync(fresh.ledgerFile)).to.equal(false);
    await service.end("SIGTERM");
    expect(await old.refused(["move"])).to.include("The flanco service is not running");
  });
});
