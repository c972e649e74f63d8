import { chmodSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { assert } from "chai";
import { boot, KernelLockup, replacingLockups } from "../../scripts/guest/machine.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const RUN = { command: [], timeoutMs: 60_000 };
const LOCKUP = "watchdog: BUG: soft lockup - CPU#0 stuck for 63s! [migration/0:16]";

describe("A guest machine", () => {
  const path = process.env["PATH"];
  const directory = forEachTest(() => new TemporaryDirectory());
  let consoleLog: string;
  let started: number;

  beforeEach(() => {
    consoleLog = directory.file("console.log");
    process.env["PATH"] = [directory.path, path].join(delimiter);
    started = 0;
  });

  afterEach(() => {
    process.env["PATH"] = path;
  });

  /** One machine for each of the scripts that stand for QEMU; the last one for all further ones. */
  function machines(...scripts: string[]) {
    const qemu = directory.file("qemu-system-x86_64");
    return async () => {
      writeFileSync(consoleLog, "");
      writeFileSync(qemu, `#!/bin/sh\n${scripts[Math.min(started++, scripts.length - 1)]}\n`);
      chmodSync(qemu, 0o755);
      return await boot([], RUN, consoleLog);
    };
  }

  const lockedUp = () => `echo '${LOCKUP}' >'${consoleLog}'`;
  const ending = (code: number) => `echo 'exit ${code}' >&5`;

  it("is replaced where its kernel locked up", async () => {
    const { exitCode } = await replacingLockups(machines(lockedUp(), ending(7)));
    assert.equal(exitCode, 7, "the command's own end counts, whatever it is");
    assert.equal(started, 2);
  });

  it("is replaced twice at most", async () => {
    const error: unknown = await replacingLockups(machines(lockedUp())).catch((caught: unknown) => caught);
    assert.instanceOf(error, KernelLockup);
    assert.equal(started, 3);
  });

  it("is not replaced where it failed in any other way", async () => {
    const panic = `echo 'Kernel panic - not syncing: Attempted to kill init!' >'${consoleLog}'`;
    const error: unknown = await replacingLockups(machines(panic, ending(0))).catch(
      (caught: unknown) => caught,
    );
    assert.instanceOf(error, Error);
    assert.notInstanceOf(error, KernelLockup);
    assert.equal(started, 1);
  });
});
