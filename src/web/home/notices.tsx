import type { LostEdges } from "../api/live-event.ts";
import type { Status } from "../api/status.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";

interface NoticesProps {
  readonly status: Status;
  readonly lastLost: LostEdges | null;
  readonly format: Format;
}

/** What is not as it should be, in plain words. Nothing at all while everything is. */
export function Notices({ status, lastLost, format }: NoticesProps) {
  const { notices } = useMessages();
  const isWatchingAll = status.linesWatched >= status.linesWired && status.lineFailures.length === 0;
  return (
    <>
      {status.driver === "none" && <p class="notice">{notices.noLines}</p>}
      {status.driver !== "none" && !isWatchingAll && (
        <section class="notice notice-bad">
          <p>{notices.notWatched(status.linesWatched, status.linesWired)}</p>
          {status.lineFailures.length > 0 && (
            <>
              <p>{notices.tellTechnician}</p>
              <ul lang="en">
                {status.lineFailures.map((failure) => (
                  <li key={failure.line}>
                    <b>{failure.line}</b>: {failure.message}
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
      {status.faults.length > 0 && (
        <section class="notice notice-bad">
          <p>{notices.tellTechnician}</p>
          <ul lang="en">
            {status.faults.map((fault) => (
              <li key={fault.message}>
                {fault.message} {fault.hint}
              </li>
            ))}
          </ul>
        </section>
      )}
      {status.gaps > 0 && (
        <section class="notice">
          <p>
            {notices.gaps(status.gaps)}
            {lastLost !== null && ` ${lostText(lastLost, format, notices.lost)}`}
          </p>
        </section>
      )}
    </>
  );
}

function lostText(
  lost: LostEdges,
  format: Format,
  text: (line: string, from: string, to: string, sales: number) => string,
): string {
  const nowMs = Date.now();
  const from = format.moment(lost.fromTimeMs, nowMs);
  return text(lost.line, from, format.moment(lost.toTimeMs, nowMs), lost.lostSales);
}
