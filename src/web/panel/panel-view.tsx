import { loadSummary } from "../api/summary.ts";
import { Unread } from "../element/nothing.tsx";
import { Segments } from "../element/segments.tsx";
import { FaultList } from "../frame/faults.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { ChartPanel } from "./chart-panel.tsx";
import { Figures } from "./figures.tsx";
import { LatestPanel, loadLatest } from "./latest-panel.tsx";
import { NowPanel } from "./now-panel.tsx";
import { periodOf, usePanelFilter } from "./panel-filter.ts";
import { PanelFilters } from "./panel-filters.tsx";
import { StartPanel } from "./start-panel.tsx";

/** Of more than these the rest is told by the view of the state. */
const FAULTS_SHOWN = 2;

/** Everything at a glance: what the week or the year brought, what is on, what was sold last. */
export function PanelView() {
  const texts = useTexts(panelTexts);
  const { status } = useVisit();
  const { filter, setFilter } = usePanelFilter();
  const { part, isStale, reload } = useLoaded((api) => loadSummary(api, filter), JSON.stringify(filter), [
    "record",
    "void",
    "time",
    "places",
  ]);
  const latest = useLoaded(loadLatest, "latest", ["record", "void", "time"]);
  const rooms = useRooms({ withSales: false });
  const summary = readyValue(part);
  const devices = readyValue(rooms.state.devices);
  const faults = readyValue(status)?.faults ?? [];
  // It appears in one piece: nothing moves when the last part of it comes.
  const isComplete = [part, latest.part, rooms.state.devices].every(({ kind }) => kind !== "waiting");

  return (
    <ViewFrame
      title={texts.title}
      actions={
        <Segments
          label={texts.period}
          value={filter.period}
          choices={[
            { value: "week", text: texts.week },
            { value: "year", text: texts.year },
          ]}
          onValue={(period) => setFilter({ ...filter, period: periodOf(period) })}
        />
      }
    >
      {isComplete && (
        <>
          <FaultList faults={faults} most={FAULTS_SHOWN} />
          {devices?.length === 0 && <StartPanel />}
          {summary !== undefined && (
            <PanelFilters summary={summary} devices={devices ?? []} filter={filter} onFilter={setFilter} />
          )}
          {part.kind === "failed" && (
            <section class="panel">
              <Unread text={texts.failed} onRetry={reload} />
            </section>
          )}
          {summary !== undefined && (
            <div class={isStale ? "panel-figures is-stale" : "panel-figures"} aria-busy={isStale}>
              <Figures summary={summary} />
              <ChartPanel
                key={summary.period}
                summary={summary}
                filter={filter}
                onClearFilter={() =>
                  setFilter({ period: filter.period, location: undefined, device: undefined })
                }
              />
            </div>
          )}
          <div class="panel-below">
            <NowPanel part={rooms.state.devices} />
            <LatestPanel part={latest.part} onRetry={latest.reload} />
          </div>
        </>
      )}
    </ViewFrame>
  );
}
