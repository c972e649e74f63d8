import { LAST_SALE_DAYS } from "../../domain/device.ts";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, NotReady, Panel } from "../element/notice.tsx";
import { monthAfter } from "../format/day.ts";
import { useFormat } from "../live/gateway.ts";
import { useDevices, useLoaded, useToday } from "../live/use-loaded.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";

const MONTHS_OF_YEAR = 12;

/** What each location took in a month, in the whole one before, and in the same one a year before. */
export function LocationComparison({ month }: { readonly month: string }) {
  const texts = useTexts(reportTexts);
  const { dayName, money } = useFormat();
  const today = useToday();
  const months = [month, monthAfter(month, -1), monthAfter(month, -MONTHS_OF_YEAR)];
  const loaded = useLoaded(
    (api) =>
      Promise.all(
        months.map((of) => {
          // Of the running month the days so far.
          const at = today.startsWith(of) ? today : `${of}-28`;
          return api.data("/api/overview", { period: "month", at });
        }),
      ),
    JSON.stringify([months, today]),
    ["record", "void", "time"],
  );
  const overviews = loaded.value ?? [];
  const names = new Set(overviews.flatMap(({ locations }) => locations.map(({ name }) => name)));
  const revenueOf = (index: number, of: string) =>
    money(overviews[index]?.locations.find(({ name }) => name === of)?.revenue ?? 0);
  return (
    <Panel title={texts.comparison} class="unprinted" isStale={loaded.isStale}>
      <NotReady of={loaded} />
      {names.size > 0 && (
        <DataTable
          caption={texts.comparison}
          rows={[...names]}
          keyOf={(name) => name}
          columns={[
            { title: texts.location, isName: true, cell: (name) => name },
            ...months.map((of, index) => ({
              title: dayName(`${of}-01`, "longMonth"),
              isNumber: true,
              cell: (name: string) => revenueOf(index, name),
            })),
          ]}
          foot={[texts.total, ...overviews.map(({ revenue }) => money(revenue))]}
        />
      )}
    </Panel>
  );
}

/** From so many days without a sale on a room is listed, and at most so many rooms. */
const QUIET_DAYS = 3;
const MOST_ROOMS = 50;

/** The rooms that do not sell, the longest silence first. */
export function QuietRooms() {
  const texts = useTexts(reportTexts);
  const { count, compare } = useFormat();
  const loaded = useLoaded((api) => api.data("/api/room/last-sale"), useToday(), ["locations"]);
  const devices = useDevices().value ?? [];
  const quiet = (loaded.value ?? [])
    .map((room) => ({ ...room, device: devices.find(({ _id }) => _id === room.deviceId) }))
    .filter(({ daysAgo }) => (daysAgo ?? LAST_SALE_DAYS) >= QUIET_DAYS)
    .sort(
      (one, other) =>
        (other.daysAgo ?? LAST_SALE_DAYS) - (one.daysAgo ?? LAST_SALE_DAYS) || compare(one.room, other.room),
    );
  const placeOf = (device: (typeof quiet)[number]["device"]) =>
    device === undefined ? "" : `${device.name} · ${device.locationName}`;
  return (
    <Panel title={texts.quiet} class="unprinted">
      <NotReady of={loaded} />
      {loaded.kind === "ready" && quiet.length === 0 && <Nothing title={texts.quietNone} />}
      {quiet.length > 0 && (
        <DataTable
          caption={texts.quiet}
          rows={quiet.slice(0, MOST_ROOMS)}
          keyOf={({ deviceId, room }) => `${deviceId} ${room}`}
          columns={[
            {
              title: texts.room,
              isName: true,
              cell: ({ deviceId, room, device }) => (
                <>
                  <Link to="records" query={{ device: deviceId, room }}>
                    {room}
                  </Link>{" "}
                  <span class="fine">{placeOf(device)}</span>
                </>
              ),
            },
            {
              title: texts.lastSale,
              cell: ({ daysAgo }) =>
                daysAgo === null ? texts.noSaleIn(count(LAST_SALE_DAYS)) : texts.daysAgo(count(daysAgo)),
            },
          ]}
        />
      )}
      {quiet.length > MOST_ROOMS && <p class="fine">{texts.moreRooms(count(quiet.length - MOST_ROOMS))}</p>}
    </Panel>
  );
}
