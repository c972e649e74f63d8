import { LIMIT_SECONDS, run } from "../../guest/inside/host.ts";
import type { Unit } from "../../guest/inside/unit.ts";
import type { ProgramOutput } from "../../guest/told.ts";
import type { ServiceState, StateAfterStep } from "../report.ts";

const PACKAGES = "/opt/guest/files";

/** A package's file, by its name. */
export function packageFile(name: string): string {
  return `${PACKAGES}/${name}.deb`;
}

/** Installs a package. */
export function install(name: string): Promise<ProgramOutput> {
  return run("dpkg", "--install", packageFile(name));
}

/** How the service is; waits until it is well. */
export async function after(unit: Unit): Promise<StateAfterStep> {
  const health = (await run("flanco", "health", "--wait", String(LIMIT_SECONDS))).exitCode;
  return { health, ...(await seen(unit)) };
}

/** How the service is, without asking it. */
export async function seen(unit: Unit): Promise<ServiceState> {
  return { pid: await unit.mainPid(), state: await packageState() };
}

/** dpkg's word for the package: `installed`, `half-configured`. */
export async function packageState(): Promise<string> {
  return (await run("dpkg-query", "--show", `--showformat=\${db:Status-Status}`, "flanco")).said.trim();
}
