import type { OverviewFilter } from "../api/overview.ts";
import type { Overview } from "../api/shapes.ts";
import { useFormat } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { panelAddress } from "./panel-filters.tsx";

interface PlacesProps {
  readonly overview: Overview;
  readonly filter: OverviewFilter;
}

const WHOLE_PERCENT = 100;

/** What each location took in the period, as bars on one scale, beside the period before; each leads to its own figures. */
export function Places({ overview: { places, otherPlaces, period }, filter }: PlacesProps) {
  const texts = useTexts(panelTexts);
  const { money, count } = useFormat();
  if (places.length < 2) return null;
  const all = [
    ...places.map((place) => ({ ...place, key: `place ${place.name}`, isOthers: false })),
    ...(otherPlaces === null
      ? []
      : [{ ...otherPlaces, key: "others", name: texts.otherPlaces, isOthers: true }]),
  ];
  const most = Math.max(...all.flatMap(({ revenue, before }) => [revenue, before]));
  const width = (value: number) =>
    `${most > 0 ? Math.max(0, Math.round((value / most) * WHOLE_PERCENT)) : 0}%`;
  return (
    <section class="panel places" aria-labelledby="places-title">
      <div class="panel-head">
        <h2 id="places-title">{texts.places}</h2>
      </div>
      <ol>
        {all.map((place) => (
          <li key={place.key} class="place">
            {place.isOthers ? (
              <span>{place.name}</span>
            ) : (
              <Link to={panelAddress({ ...filter, location: place.name, device: undefined })}>
                {place.name}
              </Link>
            )}
            <b>{money(place.revenue)}</b>
            <span class="place-bars" aria-hidden="true">
              <span class="place-bar" style={{ width: width(place.revenue) }} />
              <span class="place-bar place-before" style={{ width: width(place.before) }} />
            </span>
            <span class="fine">
              {texts.salesCount(place.sales, count(place.sales))} ·{" "}
              {texts.wasThen(texts.periodBefore[period], money(place.before))}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
