import { Fragment } from "preact";
import { choicesOf } from "../api/locations.ts";
import { loadRecords, type RecordPage } from "../api/records.ts";
import type { Device, Overview } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { Moment } from "../element/moment.tsx";
import { Nothing, NothingPanel, NotReady, NotReadyPanel, Panel, Waiting } from "../element/notice.tsx";
import { FaultList } from "../frame/faults.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { type LoadedPart, useDataOfToday, useDevices, useLoaded } from "../live/use-loaded.ts";
import { deviceText, isAt, type LocationFilter, roomsQuery } from "../locations/location-fields.tsx";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { roomKey } from "../rooms/rooms.ts";
import { maySee } from "../route.ts";
import { ChartPanel, useDaysText, useIsRunning } from "./chart-panel.tsx";
import {
  type OverviewFilter,
  PanelFilters,
  PeriodChoice,
  panelFilterOf,
  panelQuery,
} from "./panel-filters.tsx";
import { comparisonOf, comparisonText } from "./period.ts";

/** The view of the state shows the rest. */
const FAULTS_SHOWN = 2;

/** The figures of a week, a month or a year, the rooms that are on, and the last sales. */
export function PanelView() {
  const texts = useTexts(panelTexts);
  const { status, self, format } = useGateway();
  const isOfGateway = self.serves === "gateway";
  const { replace } = useNavigation();
  const filter = panelFilterOf(useQuery());
  const setFilter = (next: OverviewFilter) => replace("panel", panelQuery(next));
  const loaded = useDataOfToday("/api/overview", ["record", "void", "time", "locations"], filter);
  const { location, device } = filter;
  const latest = useLoaded(
    (api) => loadRecords(api, { location, device }, LATEST_SHOWN, MAX_REQUESTS),
    JSON.stringify([location, device]),
    ["record", "void", "time"],
  );
  const known = useDevices();
  const overview = loaded.value;
  const devices = known.value ?? [];
  const here = devices.filter((one) => isAt(filter, one));
  // It appears in one piece: nothing moves when the last part of it comes.
  const isComplete = [loaded, latest, known].every(({ kind }) => kind !== "waiting");
  const there = { locations: devices.map(({ locationName }) => locationName), devices };
  const choices = overview && choicesOf(overview.choices, there, format.compare, device);
  const chosen = known.value && choices?.devices.find(({ id }) => id === device);
  // Where what names it could not be read, the bare id stands.
  const chosenText = chosen === undefined ? device : deviceText(chosen, texts);
  const scope = [location, isComplete ? chosenText : ""].filter(Boolean);
  const faults = status.value?.faults ?? [];

  return (
    <ViewFrame
      title={scope.length === 0 ? texts.title : `${texts.title}: ${scope.join(" · ")}`}
      actions={
        <PeriodChoice
          period={filter.period}
          onPeriod={(period) => setFilter({ ...filter, period, at: "" })}
        />
      }
    >
      {!isComplete && <Waiting />}
      {isComplete && (
        <>
          <FaultList faults={faults} most={FAULTS_SHOWN} />
          {isOfGateway && known.value?.length === 0 && (
            <NothingPanel title={texts.start.title} detail={texts.start.detail}>
              <Link to="guide" class="button button-main">
                {texts.start.go}
              </Link>
            </NothingPanel>
          )}
          {choices !== undefined && <PanelFilters choices={choices} filter={filter} onFilter={setFilter} />}
          <NotReadyPanel of={loaded} />
          {overview !== undefined && (
            <div
              class={loaded.isStale ? "panel-figures column is-stale" : "panel-figures column"}
              aria-busy={loaded.isStale}
            >
              <dl class="figures">
                {overview.spans.map((span) => (
                  <Figure key={span.name} span={span} />
                ))}
              </dl>
              <ChartPanel overview={overview} filter={filter} onFilter={setFilter} />
              <LocationPanel overview={overview} filter={filter} />
            </div>
          )}
          <div class="panel-below fields">
            {isOfGateway && maySee(self, "rooms") && known.value?.length !== 0 && (
              <NowPanel known={known} devices={here} filter={filter} />
            )}
            <LatestPanel latest={latest} filter={{ location, device }} />
          </div>
        </>
      )}
    </ViewFrame>
  );
}

/** Where there are more, those that are on are shown alone: the rest would put the sales below out of sight. */
const MOST_ROOMS = 100;

interface NowPanelProps {
  readonly known: LoadedPart<readonly Device[]>;
  /** Those of them that the filter leaves. */
  readonly devices: readonly Device[];
  readonly filter: LocationFilter;
}

function NowPanel({ known, devices, filter }: NowPanelProps) {
  const texts = useTexts(panelTexts);
  const { status, format } = useGateway();
  const { count } = format;
  const edges = status.value?.lastEdges;
  const wired = edges && new Set(edges.map(({ deviceId, room }) => roomKey(deviceId, room)));
  const rooms = devices.flatMap((device) =>
    device.actuators.map((room) => {
      const isUnwired = wired?.has(roomKey(device._id, room.id)) === false;
      return { ...room, device, isUnwired, value: room.value && !isUnwired };
    }),
  );
  const on = rooms.filter((room) => room.value);
  const shown = rooms.length > MOST_ROOMS ? on : rooms;
  // Where a number alone does not tell which room it is.
  const isNamed = new Set(shown.map(({ id }) => id)).size < shown.length;
  const groups = isNamed ? [...Map.groupBy(shown, ({ device }) => device)] : [[null, shown] as const];
  const toRooms = (
    <Link to="rooms" query={roomsQuery(filter)}>
      {texts.now.all}
    </Link>
  );
  return (
    <Panel class="now" title={texts.now.title} beside={toRooms}>
      <NotReady of={known} />
      {rooms.length > 0 && (
        <>
          <p class="now-count words">
            <b>{count(on.length)}</b>
            <span>{texts.now.on(on.length, count(rooms.length))}</span>
          </p>
          {groups.map(([device, ofIt]) => (
            <Fragment key={device?._id ?? ""}>
              {device !== null && (
                <h3 class="now-location fine">{`${device.name} · ${device.locationName}`}</h3>
              )}
              <ul class="now-rooms fields">
                {ofIt.map((room) => (
                  <li
                    key={`${room.device._id}/${room.id}`}
                    class={`now-room${room.value ? " now-room-on" : ""}${room.isUnwired ? " now-room-unwired" : ""}`}
                  >
                    <Link
                      to="rooms"
                      query={{ ...roomsQuery(filter), device: room.device._id, room: room.id }}
                      label={texts.now.room(
                        room.id,
                        room.device.name,
                        room.isUnwired ? "unwired" : room.value ? "on" : "off",
                      )}
                    >
                      {room.id}
                    </Link>
                  </li>
                ))}
              </ul>
            </Fragment>
          ))}
        </>
      )}
    </Panel>
  );
}

const LATEST_SHOWN = 6;

/** The server looks at a bounded number of records per request: a place that sells seldom lies behind many. */
const MAX_REQUESTS = 10;

interface LatestPanelProps {
  readonly latest: LoadedPart<RecordPage>;
  readonly filter: LocationFilter;
}

function LatestPanel({ latest, filter }: LatestPanelProps) {
  const texts = useTexts(panelTexts);
  const { money } = useFormat();
  const sales = latest.value?.records ?? [];
  const toRecords = (
    <Link to="records" query={{ ...filter }}>
      {texts.latest.all}
    </Link>
  );
  return (
    <Panel class="latest" title={texts.latest.title} beside={toRecords}>
      <NotReady of={latest} />
      {latest.kind === "ready" && sales.length === 0 && (
        <Nothing title={texts.latest.none} detail={texts.latest.noneDetail} />
      )}
      {sales.length > 0 && (
        <ol class="ruled">
          {sales.map(({ number, habitacion, valor, deviceName, locationName, voided, ...sale }) => (
            <li
              key={`${locationName} ${deviceName} ${number}`}
              class={voided === null ? "latest-sale" : "latest-sale is-void"}
            >
              <span class="latest-line words">
                <span class="latest-room strong">{texts.latest.room(habitacion)}</span>
                <span class="latest-money number strong">{money(valor)}</span>
              </span>
              <span class="latest-line words fine">
                <span class="latest-location">
                  {deviceName} · {locationName}
                  {voided !== null && ` · ${texts.latest.voided}`}
                </span>
                <span class="latest-time">
                  <Moment timeMs={sale.createdTime} isProvisional={sale.provisional} />
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

type Span = Overview["spans"][number];

/** Today, the week, the month or the year so far, beside the same span before. */
function Figure({ span }: { readonly span: Span }) {
  const texts = useTexts(panelTexts);
  const { money, count } = useFormat();
  const { name, revenue, sales, before, isComparable } = span;
  const then = useDaysText(before, true);
  const sum = money(revenue);
  return (
    <div class={name === "day" ? "panel figure figure-main" : "panel figure"}>
      <dt class="soft label">{texts.span[name]}</dt>
      <dd class="lines">
        <span class="figure-value" style={{ "--characters": sum.length }}>
          {sum}
        </span>
        <span class="fine">{texts.salesCount(count(sales))}</span>
        {isComparable ? (
          <>
            <Trend revenue={revenue} before={before.revenue} />
            <span class="fine">
              {texts.wasThen(name === "day" ? texts.yesterdaySoFar : then, money(before.revenue))}
            </span>
          </>
        ) : (
          <span class="fine">{texts.notComparable}</span>
        )}
      </dd>
    </div>
  );
}

interface TrendProps {
  readonly revenue: number;
  readonly before: number;
}

/** How a sum compares with the one before; nothing where there was none. */
function Trend({ revenue, before }: TrendProps) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const comparison = comparisonOf(revenue, before);
  const { kind } = comparison;
  if (kind === "none") return null;
  const isMore = kind === "more" || kind === "times";
  return (
    <span class="beside label">
      {kind !== "same" && (
        <span class={isMore ? "disc up" : "disc"}>
          <Icon name={isMore ? "up" : "down"} />
        </span>
      )}
      <b>{comparisonText(comparison, texts.compare, format)}</b>
    </span>
  );
}

interface LocationPanelProps {
  readonly overview: Overview;
  readonly filter: OverviewFilter;
}

const WHOLE_PERCENT = 100;

/** What each location took in the period, as bars on one scale, beside the period before; each leads to its own figures. */
function LocationPanel({ overview: { locations, otherLocations, to, before }, filter }: LocationPanelProps) {
  const texts = useTexts(panelTexts);
  const { money, count } = useFormat();
  const then = useDaysText(before, useIsRunning(to));
  if (locations.length < 2) return null;
  const all = [
    ...locations.map((one) => ({ ...one, key: `location ${one.name}`, isOthers: false })),
    ...(otherLocations === null
      ? []
      : [{ ...otherLocations, key: "others", name: texts.otherLocations, isOthers: true }]),
  ];
  const most = Math.max(...all.flatMap(({ revenue, before }) => [revenue, before]));
  const width = (value: number) =>
    `${most > 0 ? Math.max(0, Math.round((value / most) * WHOLE_PERCENT)) : 0}%`;
  return (
    <Panel class="location-sums" title={texts.locations}>
      <ol class="ruled">
        {all.map((one) => (
          <li key={one.key} class="location-sum row spread">
            {one.isOthers ? (
              <span>{one.name}</span>
            ) : (
              <Link to="panel" query={panelQuery({ ...filter, location: one.name, device: "" })}>
                {one.name}
              </Link>
            )}
            <b>{money(one.revenue)}</b>
            <span class="location-bars stack" aria-hidden="true">
              <span class="location-bar" style={{ width: width(one.revenue) }} />
              <span class="location-bar location-before" style={{ width: width(one.before) }} />
            </span>
            <span class="fine">
              {texts.salesCount(count(one.sales))} · {texts.wasThen(then, money(one.before))}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
