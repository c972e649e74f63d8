import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { askTimedated } from "../../src/service/clock-watch.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

describe("asking systemd-timedated whether the clock is set", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let program: string;
  let nowMs: number;

  beforeEach(() => {
    program = directory.file("timedatectl");
    nowMs = 0;
    answer("no");
  });

  /** A program in timedatectl's place, that keeps count of how often it was asked and for what. */
  function answer(text: string): void {
    writeFileSync(program, `#!/bin/sh\necho "$*" >>'${directory.path}/asked'\necho ${text}\n`);
    chmodSync(program, 0o700);
  }

  const asked = () => {
    try {
      return readFileSync(directory.file("asked"), "utf8").trimEnd().split("\n");
    } catch {
      return [];
    }
  };

  it("accepts a yes, and does not ask again", async () => {
    answer("yes");
    const isSynchronized = askTimedated(program, () => nowMs);
    await until("it has said so", () => isSynchronized());
    nowMs += MINUTE_MS;
    expect(isSynchronized()).to.equal(true);
    expect(asked()).to.deep.equal(["show --property=NTPSynchronized --value"]);
  });

  it("asks once a minute while the answer is no", async () => {
    const isSynchronized = askTimedated(program, () => nowMs);
    expect(isSynchronized()).to.equal(false);
    await until("it was asked", () => asked().length === 1);
    for (let time = 0; time < 100; time += 1) expect(isSynchronized()).to.equal(false);
    answer("yes");
    nowMs += MINUTE_MS;
    await until("it has said so", () => isSynchronized());
    expect(asked()).to.have.length(2);
  });

  it("treats a missing program as a no", async () => {
    const isSynchronized = askTimedated(directory.file("nothing"), () => nowMs);
    expect(isSynchronized()).to.equal(false);
    nowMs += MINUTE_MS;
    expect(isSynchronized()).to.equal(false);
  });
});
