import type { Summary } from "../api/summary.ts";
import { Icon } from "../element/icon.tsx";
import { useFormat } from "../frame/visit.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { type Comparison, comparisonOf } from "./comparison.ts";
import { comparisonText, shortComparisonText } from "./comparison-text.ts";

/** The period's figures, beside those of the period before. */
export function Figures({ summary }: { readonly summary: Summary }) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const { money, count } = format;
  const { totals, before, today, period } = summary;
  const range = period === "week" ? texts.weekRange : texts.yearRange(summary.to.slice(0, 4));
  const revenue = comparisonOf(totals.revenue, before.revenue);
  const sales = comparisonOf(totals.sales, before.sales);
  return (
    <dl class="figures">
      <div class="figure figure-main">
        <dt>
          {texts.revenue} <span class="figure-range">{range}</span>
        </dt>
        <dd>
          <span class="figure-value">{money(totals.revenue)}</span>
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
      <div class="figure">
        <dt>{texts.today}</dt>
        <dd>
          <span class="figure-value">{money(today.revenue)}</span>
          <span class="figure-note">{texts.salesCount(today.sales, count(today.sales))}</span>
        </dd>
      </div>
      <div class="figure">
        <dt>{texts.sales}</dt>
        <dd>
          <span class="figure-value">{count(totals.sales)}</span>
          <Compared
            comparison={sales}
            text={shortComparisonText(sales, texts.compare, count(before.sales), format)}
          />
        </dd>
      </div>
      <div class="figure">
        <dt>{texts.places}</dt>
        <dd>
          <span class="figure-value">{count(totals.locations)}</span>
        </dd>
      </div>
      <div class="figure">
        <dt>{texts.devices}</dt>
        <dd>
          <span class="figure-value">{count(totals.devices)}</span>
        </dd>
      </div>
    </dl>
  );
}

/** How a figure stands to the period before, in words. */
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
