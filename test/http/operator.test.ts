import { expect } from "chai";
import { commandActor } from "../../src/domain/audit.ts";
import { operatorTable } from "../../src/http/operator.ts";
import { Appliance } from "../rig/appliance.ts";
import { sharedHasher } from "../rig/shared-hasher.ts";
import { forEachTest } from "../rig/standing.ts";
import { aDevice } from "./bodies.ts";
import { Breaker } from "./fakes.ts";

describe("The operations of commands", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  it("wire many lines with one read of the account's devices: a file of a thousand held the service for seconds", async () => {
    const { reader, writer, clock, numbers } = appliance;
    await writer.addDevice(user.id, aDevice().newDevice);
    const breaker = new Breaker();
    let reads = 0;
    breaker.instead.set("devices", (userId: string) => {
      reads += 1;
      return reader.devices(userId);
    });
    const table = operatorTable({
      reader: breaker.guard(reader),
      writer,
      clock,
      numbers,
      passwords: sharedHasher().hasher,
      pageSinks: () => [],
      rotateSecret: async () => 0,
      running: null,
    });
    const same = {
      device: "7234",
      valor: 1,
      active_low: false,
      bias: "as-is",
      debounce_ms: 0,
      rearm_ms: 0,
    } as const;
    const rows = ["101", "102"].map((actuator) => ({ ...same, actuator, line: `SIM${actuator}` }));
    await table.importWiring({ rows }, commandActor("root"));
    expect(reader.wirings(user.id).map(({ line }) => line)).to.deep.equal(["SIM101", "SIM102"]);
    expect(reads).to.equal(1);
  });
});
