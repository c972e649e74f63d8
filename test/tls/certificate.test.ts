import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ensureCertificate } from "../../src/tls/certificate.ts";
import { SetClock } from "../http/fakes.ts";

const MADE_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

describe("The certificate", () => {
  let directory: string;
  let clock: SetClock;
  let made: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "flanco-tls-"));
    clock = new SetClock(MADE_MS);
    made = (await ensureCertificate(directory, clock, true)).cert;
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function isKept(wallMs: number, clockTrusted: boolean): Promise<boolean> {
    clock.setWall(wallMs);
    return (await ensureCertificate(directory, clock, clockTrusted)).cert === made;
  }

  it("is kept until a month before its end", async () => {
    expect(await isKept(MADE_MS + 365 * DAY_MS, true)).to.equal(true);
    expect(await isKept(MADE_MS + 367 * DAY_MS, true)).to.equal(false);
  });

  it("is made anew where it is not valid yet, for a clock that is a day behind it is", async () => {
    expect(await isKept(MADE_MS - DAY_MS, true)).to.equal(true);
    expect(await isKept(MADE_MS - DAY_MS - 1_000, true)).to.equal(false);
  });

  it("is kept whatever a clock says that nobody trusts", async () => {
    expect(await isKept(0, false)).to.equal(true);
    expect(await isKept(Date.UTC(2038, 0, 19), false)).to.equal(true);
  });
});
