import type { Overview } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { useFormat } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { type Comparison, comparisonOf, comparisonText, shortComparisonText } from "./comparison.ts";

export function Figures({ overview }: { readonly overview: Overview }) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const { money, count } = format;
  const { before, today, period } = overview;
  const range = period === "week" ? texts.weekRange : texts.yearRange(overview.to.slice(0, 4));
  const revenue = comparisonOf(overview.revenue, before.revenue);
  const sales = comparisonOf(overview.sales, before.sales);
  return (
    <dl class="figures">
      <div class="panel figure figure-main">
        <dt>
          {texts.revenue} <span class="figure-range">{range}</span>
        </dt>
        <dd>
          <span class="figure-value">{money(overview.revenue)}</span>
          <Compared
            comparison={revenue}
            text={comparisonText(
              revenue,
              texts.compare,
              texts.compare[period],
              money(before.revenue),
              format,
            )}
          />
        </dd>
      </div>
      <div class="panel figure">
        <dt>{texts.today}</dt>
        <dd>
          <span class="figure-value">{money(today.revenue)}</span>
          <span class="figure-note">{texts.salesCount(today.sales, count(today.sales))}</span>
        </dd>
      </div>
      <div class="panel figure">
        <dt>{texts.sales}</dt>
        <dd>
          <span class="figure-value">{count(overview.sales)}</span>
          <Compared
            comparison={sales}
            text={shortComparisonText(sales, texts.compare, count(before.sales), format)}
          />
        </dd>
      </div>
      <div class="panel figure">
        <dt>{texts.locations}</dt>
        <dd>
          <span class="figure-value">{count(overview.locations)}</span>
        </dd>
      </div>
      <div class="panel figure">
        <dt>{texts.devices}</dt>
        <dd>
          <span class="figure-value">{count(overview.devices)}</span>
        </dd>
      </div>
    </dl>
  );
}

function Compared({ comparison, text }: { readonly comparison: Comparison; readonly text: string }) {
  const { kind } = comparison;
  const isMore = kind === "more" || kind === "times";
  return (
    <span class="figure-note">
      {(isMore || kind === "less") && (
        <span class={isMore ? "trend trend-up" : "trend"}>
          <Icon name={isMore ? "up" : "down"} />
        </span>
      )}
      <span>{text}</span>
    </span>
  );
}
