import type { ComponentChildren } from "preact";
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
      <Figure
        isMain
        title={
          <>
            {texts.revenue} <span class="figure-range">{range}</span>
          </>
        }
        value={money(overview.revenue)}
      >
        <Compared
          comparison={revenue}
          text={comparisonText(revenue, texts.compare, texts.compare[period], money(before.revenue), format)}
        />
      </Figure>
      <Figure title={texts.today} value={money(today.revenue)}>
        <span class="figure-note">{texts.salesCount(today.sales, count(today.sales))}</span>
      </Figure>
      <Figure title={texts.sales} value={count(overview.sales)}>
        <Compared
          comparison={sales}
          text={shortComparisonText(sales, texts.compare, count(before.sales), format)}
        />
      </Figure>
      <Figure title={texts.locations} value={count(overview.locations)} />
      <Figure title={texts.devices} value={count(overview.devices)} />
    </dl>
  );
}

interface FigureProps {
  readonly title: ComponentChildren;
  readonly value: string;
  readonly isMain?: boolean;
  /** What stands under the value. */
  readonly children?: ComponentChildren;
}

function Figure({ title, value, isMain = false, children }: FigureProps) {
  return (
    <div class={isMain ? "panel figure figure-main" : "panel figure"}>
      <dt>{title}</dt>
      <dd>
        <span class="figure-value">{value}</span>
        {children}
      </dd>
    </div>
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
