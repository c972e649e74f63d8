import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { openPatiently } from "../../src/service/serving.ts";
import { KeptLog } from "../http/fakes.ts";
import { rejection } from "../rig/rejection.ts";

const WAIT_MS = 50;
/** What a timer may be early. */
const EARLY_MS = 2;

describe("A start that fails", () => {
  const failure = new FlancoError("unavailable", "The port is in use.");

  /** How long it takes until it ends, in milliseconds. */
  async function failedStart(restarts: boolean, log: KeptLog): Promise<number> {
    const began = performance.now();
    const service = { open: () => Promise.reject(failure) };
    const opened = openPatiently(service, restarts, log, new Promise(() => {}), WAIT_MS);
    expect(await rejection(opened)).to.equal(failure);
    return performance.now() - began;
  }

  it("waits before it ends under systemd, which would start it again at once", async () => {
    const log = new KeptLog();
    expect(await failedStart(true, log)).to.be.at.least(WAIT_MS - EARLY_MS);
    expect(log.errors).to.have.length(1);
  });

  it("ends at once where no systemd starts it again", async () => {
    const log = new KeptLog();
    await failedStart(false, log);
    expect(log.errors).to.deep.equal([]);
  });
});
