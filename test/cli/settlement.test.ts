import { expect } from "chai";
import { readLedger } from "../../src/ledger/engine/identity.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { settlementReader } from "../../src/ledger/nouns/settlement.ts";
import { query } from "../rig/ledger-file.ts";
import { forSuite } from "../rig/standing.ts";
import { inLedger } from "../rig/writer.ts";
import { seededProgram } from "./ledger.ts";

describe("flanco verify --settlement", () => {
  const program = forSuite(() => seededProgram([Date.UTC(2026, 2, 11, 18), Date.UTC(2026, 2, 12, 9)]));

  it("holds a paper's fingerprint or number and its amount to the ledger", async () => {
    const { ledgerFile } = program;
    const [user] = query<{ userId: string }>(ledgerFile, "SELECT user_id AS userId FROM record");
    const userId = user?.userId ?? "";
    const calendar = new LocalCalendar("UTC");
    const onFile = <T>(run: (reader: ReturnType<typeof settlementReader>) => T): T =>
      readLedger(ledgerFile, (db) =>
        run(settlementReader(db, calendar, { spendRows() {}, spendRecords() {} })),
      );
    const made = { time: 0, currency: { code: "EUR", decimals: 2 }, counted: new Map<string, number>() };
    const draft = onFile((reader) => reader.draftSettlement(userId, 2026_03, made));
    await inLedger(ledgerFile, (writer) => writer.closeMonth(userId, draft));
    const { hash, number } = onFile((reader) => reader.settlement(userId, 2026_03));
    const check = (paper: string, net: string) =>
      program.call(["verify", "--settlement", paper, "--net", net]);
    for (const paper of [hash.slice(0, 16), String(number)]) {
      const { exitCode, stdout } = await check(paper, "8,00");
      expect(exitCode).to.equal(0);
      expect(stdout).to.include(`It is the settlement of 2026-03, entry ${number}: 8`);
    }
    const other = await check(hash, "9");
    expect(other.exitCode).to.equal(3);
    expect(other.stderr).to.include("The paper's amount is another one.");
    expect((await check(hash, "1.008,00")).stderr).to.include("like 1234.50, with no sign between thousands");
    const unknown = await check("0".repeat(16), "8");
    expect(unknown.exitCode).to.equal(3);
    expect(unknown.stderr).to.include("The ledger has no such settlement.");
  });
});
