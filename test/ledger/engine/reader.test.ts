import { expect } from "chai";
import { forEachTest } from "../../rig/standing.ts";
import { newDevice, TestLedger } from "../test-ledger.ts";

const WRITES = 400;

describe("reading the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());

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
