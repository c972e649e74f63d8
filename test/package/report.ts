import type { Absence } from "../guest-systemd/report.ts";

/** How a program in the guest ended, and what it wrote. */
export interface Said {
  readonly exitCode: number | null;
  readonly said: string;
}

/** One step of the package's proof. */
export type PackageReport = Said &
  (
    | { readonly step: "installed" }
    | { readonly step: "verified" }
    | { readonly step: "upgraded"; readonly absence: Absence; readonly version: string }
    | {
        readonly step: "broken";
        readonly version: string;
        readonly health: number | null;
        readonly left: readonly string[];
      }
    | { readonly step: "removed"; readonly left: readonly string[] }
    | { readonly step: "purged"; readonly left: readonly string[] }
  );
