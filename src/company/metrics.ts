import { SECOND_MS } from "../domain/clock.ts";
import type { Measure } from "../http/metrics.ts";
import type { WatchedClinic } from "./clinic.ts";

/** Every gateway of a company, and the database's time in Unix milliseconds. */
interface ClinicList {
  readonly clinics: readonly WatchedClinic[];
  readonly nowMs: number;
}

/** The metrics of a company: some five lines for each gateway. None tells money. */
export const CLINIC_MEASURES: readonly Measure<ClinicList>[] = [
  {
    name: "flanco_clinic_seen_seconds",
    help: "For how long a clinic's gateway has not called; it calls every five minutes.",
    kind: "gauge",
    labels: ["clinic"],
    values: ({ clinics, nowMs }) =>
      clinics.flatMap(({ name: clinic, seenMs }) =>
        seenMs === null ? [] : [[{ clinic }, Math.max(0, nowMs - seenMs) / SECOND_MS] as const],
      ),
  },
  {
    name: "flanco_clinic_waiting",
    help: "Entries that a clinic's gateway has and the company's database lacks, when it called last.",
    kind: "gauge",
    labels: ["clinic"],
    values: ({ clinics }) =>
      clinics.map(({ name: clinic, newest, position }) => [{ clinic }, Math.max(0, newest - position)]),
  },
  {
    name: "flanco_clinic_state",
    help: "1 for each state of a clinic's gateway: good, behind, or one that a person must see to.",
    kind: "gauge",
    labels: ["clinic", "state"],
    values: ({ clinics }) =>
      clinics.flatMap(({ name: clinic, states }) => states.map((state) => [{ clinic, state }, 1] as const)),
  },
];
