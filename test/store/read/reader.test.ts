import { expect } from "chai";
import { query } from "../../rig/ledger-file.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newDevice, newRecord, TestLedger } from "../ledger.ts";
import { recordsOf } from "../records-of.ts";

const WRITES = 400;

describe("reading the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());

  it("finds records by time where they stand, without sorting", async () => {
    const { id } = await ledger.addUser();
    await ledger.writer.addRecord(id, newRecord(), null);
    expect(recordsOf(ledger.reader, id)).to.have.length(1);
    const plan = query<{ detail: string }>(
      ledger.file,
      `EXPLAIN QUERY PLAN SELECT record_id FROM record INDEXED BY record_by_time
        WHERE user_id = 'u' AND effective_ms < 9 ORDER BY effective_ms DESC, record_id DESC LIMIT 50`,
    );
    expect(plan.map(({ detail }) => detail)).to.deep.equal([
      "SEARCH record USING COVERING INDEX record_by_time (user_id=? AND effective_ms<?)",
    ]);
  });

  it("sees one commit, whatever is written between its statements", async () => {
    const { id } = await ledger.addUser();
    let writing = true;
    const writes = (async () => {
      for (let index = 0; index < WRITES; index += 1) {
        await ledger.writer.addDevice(id, newDevice({ dId: `d${index}` }));
        await ledger.writer.removeDevice(id, `d${index}`);
      }
      writing = false;
    })();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (; writing; await turn()) {
      const bare = ledger.reader.devices(id).filter(({ actuators }) => actuators.length === 0);
      expect(bare).to.deep.equal([]);
    }
    await writes;
  });
});
