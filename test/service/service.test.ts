import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { takeLock } from "../../src/ledger/engine/lock.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { defaultConfig } from "../../src/service/config-file.ts";
import { Service } from "../../src/service/service.ts";
import { KeptLog } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const FIRST = new FlancoError("unavailable", "The page cannot be read.");
const SECOND = new Error("the lines cannot be released");

class ServiceThatCannotClose extends Service {
  override async close(): Promise<void> {
    await super.close();
    throw SECOND;
  }
}

describe("A service that cannot be opened", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  /** What opening it fails with, where the page cannot be read: the ledger and the lines are open by then. */
  function failure(kind: typeof Service): Promise<unknown> {
    const settings = { data_dir: directory.path, gpio_driver: "simulated" } as const;
    const readPage = () => {
      throw FIRST;
    };
    const service = new kind({
      config: { ...defaultConfig(null), ...settings },
      clock: systemClock,
      log: new KeptLog(),
      installation: { version: "0.0.0", readPage, readDemoTrace: () => "" },
      onWork: () => {},
      onFatal: () => {},
    });
    return service.open().catch((error: unknown) => error);
  }

  it("says why, and closes what was open", async () => {
    expect(await failure(Service)).to.equal(FIRST);
    takeLock(dataDirectoryOf(directory.path).lock)();
  });

  it("keeps the reason where closing fails as well", async () => {
    const error = await failure(ServiceThatCannotClose);
    expect(error).to.be.instanceOf(SuppressedError).and.to.include({ suppressed: FIRST, error: SECOND });
  });
});
