import { boxBroker } from "../contract/config/schema.ts";
import type { LineDriver } from "../domain/line.ts";
import { createDriver } from "../gpio/driver.ts";
import { Recorder } from "../gpio/recorder.ts";
import { SimulatedDriver } from "../gpio/simulated.ts";
import { TracePlayer } from "../gpio/trace.ts";
import { identityOf } from "../ledger/engine/identity.ts";
import { lastSign, SignOfLife } from "../ledger/safety/sign-of-life.ts";
import { systemTimers } from "../platform/machine.ts";
import { ClockWatch, synchronizedBySystem } from "./clock-watch.ts";
import { configuredTrace, Demonstration } from "./demonstration.ts";
import type { OpenLedger } from "./ledger.ts";
import type { Start } from "./service.ts";

/** The lines that are watched, and the clock that times what they do. */
export type OpenLines = Awaited<ReturnType<typeof openLines>>;

/**
 * Watches the clock, then the wired lines. What must be closed is added to `closing`.
 * `onBoots` is as `ClockWatch` calls it; `closed` is aborted when the service ends.
 */
export async function openLines(
  start: Start,
  { reader, writer }: Pick<OpenLedger, "reader" | "writer">,
  { onBoots, closed }: { readonly onBoots: () => void; readonly closed: AbortSignal },
  closing: Pick<AsyncDisposableStack, "defer">,
) {
  const { config, dataDirectory, bootId, clock, log } = start;
  const driver = makeDriver(start);
  const drivable = driver instanceof SimulatedDriver ? driver : null;
  const demonstration = new Demonstration({
    // Any other driver would not find its lines.
    isOn: config.demo && drivable !== null,
    mark: dataDirectory.demonstrated,
    reader,
    writer,
    clock,
    signal: closed,
  });
  await demonstration.wire();
  // A demonstration shows its sales also without a network that sets the clock.
  const isTrusted = config.clock_trust === "always" || (config.demo && drivable !== null);
  const signs = new SignOfLife(dataDirectory.alive);
  const trust = new ClockWatch({
    clock,
    bootId,
    writer,
    reader,
    log,
    synchronized: isTrusted ? "always" : synchronizedBySystem(),
    committedMs: () => recorder.committedMs(),
    sign: (monotonicMs) => signs.write({ bootId, monotonicMs, commits: reader.commits() }),
    onBoots,
  });
  closing.defer(() => signs.close());
  closing.defer(() => trust.close());
  const timers = systemTimers;
  const recorder = new Recorder({ driver, writer, reader, clock, timers, trust, log, bootId });
  recorder.begin(lastSign(dataDirectory.alive, reader));
  await trust.open();
  closing.defer(() => recorder.close());
  await recorder.open();
  if (drivable !== null) await openTrace(start, drivable, closing);
  return {
    recorder,
    trust,
    /** The lines that can be set by hand; null where lines are real. */
    drivable,
    demonstration,
  };
}

function makeDriver({ config, dataDirectory, bootId, clock, log, keeper }: Start): LineDriver {
  const driver = createDriver(config.gpio_driver, {
    clock,
    timers: systemTimers,
    warn: (text) => log.warn({ driver: config.gpio_driver }, text),
    simulatedLineCount: config.simulated_lines,
    keeper,
    boxes: boxBroker(config, `flanco-${identityOf(dataDirectory.ledger) ?? bootId}`),
  });
  if (driver.name === "simulated")
    log.warn({ driver: driver.name }, "SIMULATED lines: nothing here is a real relay");
  return driver;
}

async function openTrace(
  { config, clock, installation }: Start,
  lines: SimulatedDriver,
  closing: Pick<AsyncDisposableStack, "defer">,
): Promise<void> {
  const trace = configuredTrace(config, installation, await lines.detect());
  if (trace === undefined) return;
  const player = new TracePlayer(trace, { lines, clock, timers: systemTimers });
  await player.open();
  closing.defer(() => player.close());
}
