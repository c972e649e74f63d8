import type { Overview } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { useFormat } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { comparisonOf, comparisonText } from "./comparison.ts";

type Span = Overview["spans"][number];

/** Today, the week, the month and the year so far, each beside the same span before. */
export function Figures({ spans }: Pick<Overview, "spans">) {
  return (
    <dl class="figures">
      {spans.map((span) => (
        <Figure key={span.name} span={span} />
      ))}
    </dl>
  );
}

function Figure({ span }: { readonly span: Span }) {
  const texts = useTexts(panelTexts);
  const { money, count } = useFormat();
  const { name, revenue, sales, before, isComparable } = span;
  return (
    <div class={name === "day" ? "panel figure figure-main" : "panel figure"}>
      <dt>{texts.span[name]}</dt>
      <dd>
        <span class="figure-value">{money(revenue)}</span>
        <span class="figure-note">{texts.salesCount(sales, count(sales))}</span>
        {isComparable ? (
          <>
            <Trend revenue={revenue} before={before.revenue} />
            <span class="figure-note">{texts.wasThen(texts.spanBefore[name], money(before.revenue))}</span>
          </>
        ) : (
          <span class="figure-note">{texts.notComparable}</span>
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
    <span class="figure-note figure-trend">
      {kind !== "same" && (
        <span class={isMore ? "trend trend-up" : "trend"}>
          <Icon name={isMore ? "up" : "down"} />
        </span>
      )}
      <b>{comparisonText(comparison, texts.compare, format)}</b>
    </span>
  );
}
