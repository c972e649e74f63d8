import type { Context } from "koa";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { FAULTS } from "../domain/fault.ts";
import type { SinkStatus, Status } from "../domain/status.ts";
import { isSecret, readSecret } from "../platform/secret-file.ts";
import { senderOf } from "./middleware.ts";

export const METRICS_PATH = "/metrics";
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** One metric, read of an `R`. Names and units are by Prometheus' conventions. */
export interface Measure<R> {
  readonly name: string;
  readonly help: string;
  /** A counter's name ends in `_total`. It starts again with the process. */
  readonly kind: "gauge" | "counter";
  readonly labels?: readonly string[];
  /** Values, each with its labels; no values where it is not known. */
  readonly values: (reading: R) => readonly (readonly [labels: Record<string, string>, value: number])[];
}

/** Every metric beside those of the process. None tells money, people, locations or rooms. */
export const MEASURES: readonly Measure<Status>[] = [
  {
    name: "flanco_build_info",
    kind: "gauge",
    labels: ["version"],
    help: "The running version, always 1.",
    values: ({ version }) => [[{ version }, 1]],
  },
  gauge(
    "flanco_start_time_seconds",
    "When the service started, in Unix seconds.",
    ({ startedMs }) => startedMs / SECOND_MS,
  ),
  gauge("flanco_lines_wired", "Wired lines.", ({ linesWired }) => linesWired),
  gauge("flanco_lines_watched", "Wired lines that are watched.", ({ linesWatched }) => linesWatched),
  gauge("flanco_lines_under_test", "Lines whose edges are no sale for now.", ({ tests }) => tests.length),
  gauge("flanco_records_today", "Records of the current local day.", ({ today }) => today?.sales),
  gauge(
    "flanco_records_without_time",
    "Records that wait for a trusted clock.",
    ({ today, provisional }) => today && provisional.waiting,
  ),
  gauge("flanco_gaps", "Known gaps of all lines.", ({ today, gaps }) => today && gaps.all),
  gauge(
    "flanco_edges_swallowed",
    "Edges of the last 24 hours that hardware or kernel did not report.",
    ({ today, gaps }) => today && gaps.swallowedLastDay,
  ),
  gauge("flanco_edges_waiting", "Edges that wait for their commit.", ({ queues }) => queues.edges.waiting),
  gauge("flanco_writes_waiting", "Writes that wait for their commit.", ({ queues }) => queues.writes.waiting),
  gauge("flanco_clock_trusted", "1 once the network has set the clock.", ({ clock }) =>
    Number(clock.trusted),
  ),
  gauge("flanco_disk_free_bytes", "Bytes that the service may still write.", ({ disk }) => disk?.freeBytes),
  gauge("flanco_disk_size_bytes", "Size of the ledger's disk.", ({ disk }) => disk?.totalBytes),
  gauge(
    "flanco_disk_life_used_percent",
    "Used life that the ledger's disk reports; more than 100: beyond it.",
    ({ disk }) => disk?.card?.lifeUsedPercent,
  ),
  gauge("flanco_ledger_size_bytes", "Size of the ledger's file.", ({ disk }) => disk?.ledgerBytes),
  gauge("flanco_backup_age_seconds", "Age of the newest proved backup.", ({ lastBackup }) =>
    seconds(lastBackup?.ageMs),
  ),
  {
    name: "flanco_fault",
    kind: "gauge",
    labels: ["code", "severity"],
    help: "1 for each fault that a person must see to.",
    values: ({ faults }) =>
      [...new Set(faults.map(({ code }) => code))].map((code) => [
        { code, severity: FAULTS[code].severity },
        1,
      ]),
  },
  sink("flanco_sink_waiting", "What waits to be delivered to a sink.", ({ waiting }) => waiting),
  sink("flanco_sink_lag_seconds", "For how long a sink has been behind.", (one) => one.behindMs / SECOND_MS),
  gauge("flanco_remote_backup_age_seconds", "Age of the newest backup at the remote place.", ({ sinks }) =>
    seconds(sinks.find(({ name }) => name === "remote")?.backup?.ageMs),
  ),
  sink("flanco_sink_deliveries_total", "Batches that a sink has taken.", ({ delivered }) => delivered),
  sink("flanco_sink_failures_total", "Tries that a sink has failed.", ({ failed }) => failed),
];

/**
 * Answers in Prometheus' text format to programs of this machine, and to others that send the
 * token. Throws `unauthorized` for a request of another machine without it, `not_found` where there are none.
 * @param tokenFile holds the token, read at each request from afar, so that a
 *   new one needs no restart; empty: there is no token; null: there are no metrics
 */
export function metricsProbe<R>(
  measures: readonly Measure<R>[],
  read: () => Promise<R>,
  tokenFile: string | null,
) {
  let library: Promise<Library> | undefined;
  let underWay: Promise<string> | undefined;
  const exposed = async (): Promise<string> => {
    library ??= loadLibrary();
    return expose(await library, measures, await read());
  };
  return async (context: Context): Promise<void> => {
    // Otherwise the page would answer it with 200 and HTML.
    if (tokenFile === null) {
      throw new FlancoError("not_found", "There are no metrics.", {
        hint: "The setting metrics turns them on.",
      });
    }
    requireAccess(context, tokenFile);
    // Requests at the same time share one read of the ledger.
    underWay ??= exposed().finally(() => {
      underWay = undefined;
    });
    const text = await underWay;
    context.type = "text/plain; version=0.0.4; charset=utf-8";
    context.body = text;
  };
}

function requireAccess(context: Context, tokenFile: string): void {
  if (LOOPBACK.has(senderOf(context))) return;
  const given = /^Bearer (\S+)$/i.exec(context.get("Authorization"))?.[1];
  const isKnown = tokenFile !== "" && given !== undefined;
  if (isKnown && isSecret(given, readSecret(tokenFile))) return;
  context.set("WWW-Authenticate", "Bearer");
  throw new FlancoError("unauthorized", "The token is missing or wrong.", {
    hint: "Send the token of metrics_token_file: Authorization: Bearer TOKEN.",
  });
}

/**
 * Loads the library, with the process's own metrics, at the first
 * request: a service without an observer does not carry it.
 */
async function loadLibrary() {
  const library = await import("prom-client");
  const ofProcess = new library.Registry();
  library.collectDefaultMetrics({ register: ofProcess });
  // Gauges by a counter's name, which promtool check metrics refuses. The same numbers have other names too.
  for (const kind of ["handles", "requests", "resources"]) {
    ofProcess.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  return { library, ofProcess };
}

/** Makes a registry for each answer, because a value that is not known must be absent, not 0. */
async function expose<R>(
  { library, ofProcess }: Library,
  measures: readonly Measure<R>[],
  reading: R,
): Promise<string> {
  const registry = new library.Registry();
  for (const { name, help, kind, labels = [], values } of measures) {
    const known = values(reading);
    if (known.length === 0) continue;
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    const metric = kind === "gauge" ? new library.Gauge(options) : new library.Counter(options);
    for (const [named, value] of known) metric.inc(named, value);
  }
  return `${await ofProcess.metrics()}${await registry.metrics()}`;
}

function gauge(
  name: string,
  help: string,
  value: (status: Status) => number | null | undefined,
): Measure<Status> {
  const values = (status: Status) => {
    const known = value(status) ?? null;
    return known === null ? [] : [[{}, known] as const];
  };
  return { name, help, kind: "gauge", values };
}

function sink(name: string, help: string, value: (sink: SinkStatus) => number): Measure<Status> {
  return {
    name,
    help,
    kind: name.endsWith("_total") ? "counter" : "gauge",
    labels: ["sink"],
    values: ({ sinks }) => sinks.map((one) => [{ sink: one.name }, value(one)]),
  };
}

function seconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / SECOND_MS;
}
