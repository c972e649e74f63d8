import { existsSync, symlinkSync } from "node:fs";
import { expect } from "chai";
import { DAY_MS, SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { dataDirectoryOf, prepareForLedger } from "../../src/ledger/engine/data-directory.ts";
import type { PrepareRequest } from "../../src/ledger/safety/prepare.ts";
import { openRecovering } from "../../src/service/ledger.ts";
import { KeptLog } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("a removable disk that is mounted only after the service has started", () => {
  /** On the root's file system, where no disk is mounted. */
  const directory = forEachTest(() => new TemporaryDirectory("/var/tmp/flanco-late-disk-"));
  /** Another file system than that of the root, as a mounted disk is. */
  const stick = forEachTest(() => new TemporaryDirectory("/dev/shm/flanco-stick-"));
  const disk = () => directory.file("disk");
  const data = () => directory.file("data");

  beforeEach(() => prepareForLedger(dataDirectoryOf(data())));

  /**
   * Opens a ledger `upMs` after the boot; opening it fails once with `failure`. The disk
   * is mounted a second later: than the start, or than the failure where there is one.
   */
  async function start(upMs: number, failure: FlancoError | null) {
    const clock = new VirtualTime();
    clock.advance(upMs);
    const mount = () => setTimeout(() => symlinkSync(stick.path, disk()), SECOND_MS);
    let mounting = failure === null ? mount() : undefined;
    const seen: { atOpen?: boolean; directories?: readonly string[] } = {};
    const options = {
      config: { data_dir: data(), backup_dir: "", backup_disk_dir: disk(), time_zone: "UTC" },
      dataDirectory: dataDirectoryOf(data()),
      clock,
      log: new KeptLog(),
      run: async ({ directories }: PrepareRequest) => {
        seen.directories = directories;
        return null;
      },
    };
    await openRecovering(options, async () => {
      seen.atOpen = existsSync(disk());
      if (failure === null || mounting !== undefined) return;
      mounting = mount();
      throw failure;
    });
    clearTimeout(mounting);
    return seen;
  }

  it("is waited for after a boot: its tail shows whether the card has lost the newest commits", async () => {
    expect(await start(SECOND_MS, null)).to.deep.equal({ atOpen: true });
  });

  it("is not waited for once the machine has run for long", async () => {
    expect(await start(DAY_MS, null)).to.deep.equal({ atOpen: false });
  });

  it("is waited for by a rebuild, whatever the time: its tail may have sales that nothing else has", async () => {
    const { directories } = await start(DAY_MS, new FlancoError("damaged", "Made up."));
    expect(directories).to.include(disk());
  });

  it("is not waited for by an upgrade", async () => {
    const { directories } = await start(DAY_MS, new FlancoError("outdated", "Made up."));
    expect(directories).to.not.include(disk());
  });
});
