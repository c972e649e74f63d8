import { closeSync } from "node:fs";
import type { Logger } from "pino";
import { CONFIG_KEYS, type Config, type ConfigKey } from "../contract/config/schema.ts";
import type { LinesStatus } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import { FIRST_RUN_PATH } from "../domain/member.ts";
import { FIRST_RUN_MS } from "../http/session.ts";
import { describeWork } from "../http/waiting.ts";
import { networkAddresses, pageAddresses } from "../net/host-names.ts";
import type { Installation } from "../platform/installation.ts";
import { systemClock } from "../platform/machine.ts";
import { connectSystemd, feedWatchdog, OWN_VARIABLES, type Systemd } from "../platform/systemd.ts";
import { beginServing, endHanging, keepHeapsSmall } from "./process.ts";
import { LIVE_KEYS, Service } from "./service.ts";

const FAILED_START_MS = 5_000;

/**
 * The terminal that the service was started on, which shows how
 * to reach it. Some of that is secret, so it is never logged.
 */
export interface Console {
  out(line: string): void;
}

/**
 * Runs the service until a signal ends it. Throws the error that ends it otherwise.
 * @param read gives the configuration as it is at that moment, or throws `config`
 */
export async function serve(
  terminal: Console,
  installation: Installation,
  read: () => Config,
): Promise<void> {
  const config = read();
  const log = await beginServing(config);
  const systemd = await connectSystemd(process.env, process.pid, log);
  for (const name of OWN_VARIABLES) delete process.env[name];
  if (config.gpio_driver !== "chardev") releaseKept(systemd);
  const stop = Promise.withResolvers<"signal" | Error>();
  const service = new Service({
    config,
    clock: systemClock,
    log,
    installation,
    keeper: systemd,
    onWork: (work, moves) => {
      // Tells systemd to wait longer while a slow start makes progress.
      if (moves) systemd?.starting(describeWork(work));
      else systemd?.status(describeWork(work));
    },
    onFatal: (error) => stop.resolve(error),
  });
  const stopped = () => {
    stop.resolve("signal");
    service.cancel();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stopped);
  void stop.promise.then(() => endHanging(log));
  // On a terminal SIGHUP means that the terminal was closed;
  // elsewhere it means to read the configuration again.
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY) stopped();
    else void reload(service, config, read, log);
  });
  if (!(await openPatiently(service, systemd !== undefined, log, stop.promise))) return;
  const endWatchdog = systemd && reportReady(systemd, service, log);
  keepHeapsSmall();
  announce(terminal, config, service);
  // Prints a fresh link when the last one expires.
  const renewal = setInterval(() => {
    const lines = firstRunLines(config, service);
    if (lines.length > 0) terminal.out(lines.join("\n"));
  }, FIRST_RUN_MS);
  const reason = await stop.promise;
  clearInterval(renewal);
  endWatchdog?.();
  systemd?.stopping();
  log.info({}, "stopping");
  await service.close().catch((error: unknown) => {
    throw reason instanceof Error ? new SuppressedError(error, reason) : error;
  });
  log.info({}, "stopped");
  if (reason instanceof Error) throw reason;
}

/**
 * Opens the service; gives false where it was stopped meanwhile. A start that failed waits
 * before it throws if systemd restarts the process at once (`restarts`): that is right after
 * a crash, and would be a storm over a disk that is read-only or a port that is taken.
 */
export async function openPatiently(
  service: Pick<Service, "open">,
  restarts: boolean,
  log: Pick<Log, "error">,
  stopped: Promise<unknown>,
  waitMs = FAILED_START_MS,
): Promise<boolean> {
  try {
    await service.open();
    return true;
  } catch (error) {
    if ((await Promise.race([stopped, "failed"])) === "signal") return false;
    if (restarts) {
      log.error({ err: error, seconds: waitMs / 1_000 }, "the service could not start: it waits, then ends");
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, waitMs))]);
    }
    throw error;
  }
}

/**
 * Takes over settings that may change while the service
 * runs, then certificates, because a host name may be new.
 */
async function reload(service: Service, started: Config, read: () => Config, log: Logger): Promise<void> {
  service.settings = reread(started, service.settings, read, log);
  log.level = service.settings.log_level;
  await service.reloadCertificates();
}

/**
 * Reads the configuration again, and logs which settings take effect and which wait
 * for a restart. Never throws: when the configuration has mistakes, the settings in
 * force stay. `live` are the settings in force; `started` those of the start.
 */
function reread(
  started: Config,
  live: Service["settings"],
  read: () => Config,
  log: Log,
): Service["settings"] {
  let found: Config;
  try {
    found = read();
  } catch (error) {
    log.error({ err: error }, "the configuration has mistakes: the settings in force stay");
    return live;
  }
  const isLive = (key: ConfigKey) => LIVE_KEYS.some((one) => one === key);
  const waiting = CONFIG_KEYS.filter((key) => !isLive(key) && differ(found[key], started[key]));
  if (waiting.length > 0) {
    log.warn({ settings: waiting }, "changed settings wait for a restart (systemctl restart flanco)");
  }
  const taken = LIVE_KEYS.filter((key) => differ(found[key], live[key]));
  log.info({ settings: taken }, "the configuration was read again");
  return found;
}

/** Settings are texts, numbers, switches and lists of texts. */
function differ(one: Config[ConfigKey], other: Config[ConfigKey]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** Shows everything in one write, so that a reader of its first line has all of it. */
function announce(terminal: Console, config: Config, service: Service): void {
  const simulated = config.gpio_driver === "simulated";
  terminal.out(
    [
      "flanco is ready.",
      `  On this machine:  http://localhost:${config.http_port}/`,
      ...networkAddresses(config.host).map(
        (address) => `  On the network:   https://${address}:${config.https_port}/`,
      ),
      ...trustLines(config, service),
      ...(simulated ? ["  Lines are SIMULATED: nothing here is a real relay."] : []),
      ...firstRunLines(config, service),
    ].join("\n"),
  );
}

/**
 * Says how to make browsers trust this appliance, with the
 * fingerprint to compare. No lines where browsers trust it already.
 */
function trustLines(config: Config, service: Service): string[] {
  const authority = service.trustedAuthority();
  if (authority === null) return [];
  const pages = config.trust_page ? networkAddresses(config.host) : [];
  return [
    ...(pages.length === 0 ? [] : ["To trust it, open this once on each computer, tablet and phone:"]),
    ...pages.map((address) => `  http://${address}:${config.http_port}/`),
    "SHA-256 fingerprint of its authority, for people to compare (flanco tls show prints it again):",
    ...authority.fingerprint.map((line) => `  ${line}`),
  ];
}

/** For the console alone, never for the log: the link lets its holder in. */
function firstRunLines(config: Config, service: Service): string[] {
  const token = service.firstRunToken();
  if (token === undefined) return [];
  const email = config.first_user_email;
  const page = `${FIRST_RUN_PATH}#${token}${email === "" ? "" : `/${email}`}`;
  return [
    "There is no user yet. Make the first one with this link, valid once and for 30 minutes:",
    ...pageAddresses(config, page).map((address) => `  ${address}`),
  ];
}

/** Releases all lines that an earlier process kept: for a driver that cannot continue them. */
function releaseKept(systemd: Systemd | undefined): void {
  for (const [name, descriptors] of systemd?.take() ?? []) {
    systemd?.forget(name);
    for (const fd of descriptors) closeSync(fd);
  }
}

/**
 * Tells systemd that the service has started. Where systemd watches
 * the process, also feeds the watchdog while the service works.
 */
function reportReady(systemd: Systemd, service: Service, log: Log): (() => void) | undefined {
  systemd.ready(describe(service.lines()));
  if (systemd.watchdogMs === null) return undefined;
  return feedWatchdog({
    systemd,
    limitMs: systemd.watchdogMs,
    probe: async () => {
      await service.proveWorking();
      systemd.status(describe(service.lines()));
    },
    onSilence: (error) => log.error({ err: error }, "the service does not work: no ping to the watchdog"),
  });
}

function describe({ simulated, wired, watched, failures }: LinesStatus): string {
  const kind = simulated ? "SIMULATED lines" : "lines";
  const [failure] = failures;
  const trouble = failure === undefined ? "" : ` ${failure.message}`;
  return `Watching ${watched.length} of ${wired.length} wired ${kind}.${trouble}`;
}
