import type { Config } from "../contract/config/schema.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { OtherGateways } from "../net/other-gateways.ts";
import { gatewayName, readGateway } from "./gateway.ts";
import type { OpenLedger } from "./ledger.ts";
import { NewerPackages } from "./newer-package.ts";
import { SinkSettings } from "./sink-settings.ts";
import { Sinks } from "./sinks.ts";
import { Upkeep } from "./upkeep.ts";

export interface WatchersOptions {
  readonly config: Config;
  readonly dataDirectory: DataDirectory;
  readonly ledger: OpenLedger;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** The program's version. */
  readonly version: string;
  /** As `Upkeep` calls it. */
  readonly onDamaged: (error: Error) => void;
}

/** What looks after the gateway beside the requests. */
export interface Watchers {
  readonly packages: NewerPackages;
  readonly upkeep: Upkeep;
  /** They send once the status is known: the caller opens them. */
  readonly sinks: Sinks;
  /** They are looked for once the ports are open: the caller opens them. */
  readonly others: OtherGateways;
  /** The name of this gateway at the moment of the call. */
  name(): string;
  /** Faults that last until they are over. */
  faults(): readonly Fault[];
}

/** Begins the upkeep. What must be closed is added to `closing`. */
export function openWatchers(
  options: WatchersOptions,
  closing: Pick<AsyncDisposableStack, "defer">,
): Watchers {
  const { config, dataDirectory, ledger, clock, trust, log, version, onDamaged } = options;
  const { reader, writer, heavy } = ledger;
  const packages = new NewerPackages({ version, clock, log });
  closing.defer(() => packages.close());
  const settings = new SinkSettings({ config, directory: dataDirectory.sinks, log });
  settings.open();
  const settingsReadMs = clock.nowMs();
  const upkeep = new Upkeep({
    config,
    dataDirectory,
    clock,
    trust,
    log,
    gateway: () => readGateway(config),
    writer,
    packages,
    onDamaged,
  });
  upkeep.open();
  closing.defer(() => upkeep.close());
  const name = () => gatewayName(config, reader);
  const sinks = new Sinks({
    settings,
    dataDirectory,
    clock,
    trust,
    log,
    reader,
    heavy,
    writer,
    version,
    gateway: name,
  });
  return {
    packages,
    upkeep,
    sinks,
    others: new OtherGateways({ log }),
    name,
    faults: () => [
      ...(writer.diskFullSinceMs === null ? [] : [fault("disk_full", writer.diskFullSinceMs)]),
      ...upkeep.faults(),
      ...(settings.isUnreadable ? [fault("sinks_unreadable", settingsReadMs)] : []),
    ],
  };
}
