import { expect } from "chai";
import { passedDescriptors, watchdogMs } from "../../src/systemd/environment.ts";

const PID = 4711;

describe("What systemd says in the environment", () => {
  it("names the descriptors that it passes, several by one name among them", () => {
    const passed = passedDescriptors(
      { LISTEN_PID: "4711", LISTEN_FDS: "4", LISTEN_FDNAMES: "line/a:line/b:line/a:stored" },
      PID,
    );
    expect([...passed]).to.deep.equal([
      ["line/a", [3, 5]],
      ["line/b", [4]],
      ["stored", [6]],
    ]);
  });

  it("is not for this process when it names another one", () => {
    const passed = passedDescriptors({ LISTEN_PID: "4712", LISTEN_FDS: "1", LISTEN_FDNAMES: "a" }, PID);
    expect(passed.size).to.equal(0);
    expect(watchdogMs({ WATCHDOG_PID: "4712", WATCHDOG_USEC: "1000" }, PID)).to.equal(null);
  });

  it("may leave names out", () => {
    expect([...passedDescriptors({ LISTEN_PID: "4711", LISTEN_FDS: "1" }, PID)]).to.deep.equal([["", [3]]]);
  });

  it("is nothing on a machine without it", () => {
    expect(passedDescriptors({}, PID).size).to.equal(0);
    expect(watchdogMs({}, PID)).to.equal(null);
  });

  it("gives the watchdog's time in microseconds, for any process or for this one", () => {
    expect(watchdogMs({ WATCHDOG_USEC: "10000000" }, PID)).to.equal(10_000);
    expect(watchdogMs({ WATCHDOG_USEC: "500", WATCHDOG_PID: "4711" }, PID)).to.equal(0.5);
  });
});
