/** What systemd told this process in its environment, or any part of it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Number of the first descriptor that systemd passes (SD_LISTEN_FDS_START of sd-daemon.h). */
const FIRST_DESCRIPTOR = 3;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/** The variables that are for this process alone; whoever has read them takes them out, so that no child believes them. */
export const OWN_VARIABLES = [
  "LISTEN_PID",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
] as const;

/** The descriptors that systemd passed to this process, by name (sd_listen_fds_with_names(3)). Empty without it. */
export function passedDescriptors(
  environment: Environment,
  pid: number,
): ReadonlyMap<string, readonly number[]> {
  const passed = new Map<string, number[]>();
  const count = Number(environment["LISTEN_FDS"] ?? 0);
  if (environment["LISTEN_PID"] !== String(pid) || !Number.isSafeInteger(count)) return passed;
  const names = (environment["LISTEN_FDNAMES"] ?? "").split(":");
  for (let index = 0; index < count; index += 1) {
    const name = names[index] ?? "unknown";
    passed.set(name, [...(passed.get(name) ?? []), FIRST_DESCRIPTOR + index]);
  }
  return passed;
}

/** How long this process may be silent before systemd restarts it (sd_watchdog_enabled(3)); null: for ever. */
export function watchdogMs(environment: Environment, pid: number): number | null {
  const watched = environment["WATCHDOG_PID"];
  const microseconds = Number(environment["WATCHDOG_USEC"] ?? 0);
  if (watched !== undefined && watched !== String(pid)) return null;
  return microseconds > 0 ? microseconds / MICROSECONDS_PER_MILLISECOND : null;
}
