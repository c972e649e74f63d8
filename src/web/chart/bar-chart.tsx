import { useRef } from "preact/hooks";
import { type Scale, scaleOf } from "./scale.ts";

export interface Bar {
  readonly key: string;
  /** Under the bar, in little room. */
  readonly name: string;
  /** In full, for screen readers: the name and the amount. */
  readonly text: string;
  readonly value: number;
  readonly valueText: string;
  /** What it was a period before: a pale bar behind. */
  readonly before: number;
  /** Stands out: today, this month. */
  readonly isNow: boolean;
  /** Has not come yet. */
  readonly isAhead: boolean;
}

interface BarChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Index of the bar whose values are shown in full. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly tickText: (value: number) => string;
}

/** How much of its place a bar takes. */
const FILL = 0.5;
const FILL_BEFORE = 0.78;
const WHOLE = 100;
/** More bars than these have no room for their amounts on a phone, and more than those nowhere. */
const MANY = 7;
const CROWD = 12;
/** Characters of an amount, `999 €` and a sign, that seven bars on a phone have room for. */
const LONG = 6;

/**
 * Bars over names. One of them is chosen by pointer, touch or arrow keys; the chart's owner shows its exact
 * values. The picture is hidden from screen readers: the buttons over it carry the same information.
 */
export function BarChart({ label, bars, chosen, onChoose, tickText }: BarChartProps) {
  const scale = scaleOf(bars.flatMap((bar) => [bar.value, bar.before]));
  const row = useRef<HTMLDivElement>(null);
  const styles = ["chart"];
  if (bars.length > MANY) styles.push("chart-many");
  if (bars.length > CROWD) styles.push("chart-crowd");
  if (bars.some(({ valueText }) => valueText.length > LONG)) styles.push("chart-long");
  const onKey = (event: KeyboardEvent) => {
    const last = bars.length - 1;
    const keys: Readonly<Record<string, number>> = {
      ArrowRight: Math.min(chosen + 1, last),
      ArrowLeft: Math.max(chosen - 1, 0),
      Home: 0,
      End: last,
    };
    const index = keys[event.key];
    if (index === undefined) return;
    event.preventDefault();
    onChoose(index);
    row.current?.querySelectorAll("button")[index]?.focus();
  };
  return (
    <div class={styles.join(" ")}>
      <Axis scale={scale} tickText={tickText} />
      <div class="chart-plot">
        <Picture bars={bars} scale={scale} shown={chosen} />
        {/* biome-ignore lint/a11y/useSemanticElements: a group of buttons is no form's fieldset. */}
        <div class="chart-bars" role="group" aria-label={label} ref={row} onKeyDown={onKey}>
          {bars.map((bar, index) => (
            <button
              key={bar.key}
              type="button"
              class={index === chosen ? "chart-bar chart-bar-chosen" : "chart-bar"}
              tabIndex={index === chosen ? 0 : -1}
              aria-label={bar.text}
              aria-pressed={index === chosen}
              onClick={() => onChoose(index)}
              onFocus={() => onChoose(index)}
              onPointerEnter={() => onChoose(index)}
            />
          ))}
        </div>
      </div>
      <div class="chart-names soft" aria-hidden="true">
        {bars.map((bar, index) => (
          <span key={bar.key} class={nameClass(bar, index === chosen)}>
            {bar.name}
          </span>
        ))}
      </div>
    </div>
  );
}

function Axis({ scale, tickText }: { readonly scale: Scale; readonly tickText: (value: number) => string }) {
  return (
    <div class="chart-axis soft" aria-hidden="true">
      {scale.ticks.map((tick) => (
        <span key={tick} style={{ bottom: percent(scale.place(tick)) }}>
          {tickText(tick)}
        </span>
      ))}
    </div>
  );
}

interface PictureProps {
  readonly bars: readonly Bar[];
  readonly scale: Scale;
  readonly shown: number;
}

function Picture({ bars, scale, shown }: PictureProps) {
  const width = 1 / bars.length;
  const zero = scale.place(0);
  return (
    <svg class="chart-picture" aria-hidden="true" focusable="false">
      {scale.ticks.map((tick) => (
        <line
          key={tick}
          class={tick === 0 ? "chart-zero" : "chart-line"}
          x1="0"
          x2="100%"
          y1={percent(1 - scale.place(tick))}
          y2={percent(1 - scale.place(tick))}
        />
      ))}
      {bars.map((bar, index) => {
        const rect = (value: number, fill: number) => {
          const [high, low] = [Math.max(scale.place(value), zero), Math.min(scale.place(value), zero)];
          return {
            x: percent(width * (index + (1 - fill) / 2)),
            width: percent(width * fill),
            y: percent(1 - high),
            height: percent(high - low),
          };
        };
        return (
          <g key={bar.key} class={barClass(bar, index === shown)}>
            {bar.before !== 0 && <rect class="chart-before" {...rect(bar.before, FILL_BEFORE)} rx="4" />}
            <rect {...rect(bar.value, FILL)} rx="4" />
          </g>
        );
      })}
      {/* After all bars: the next one would cover an amount that is wider than its own. */}
      {bars.map((bar, index) => (
        <g key={bar.key} class={barClass(bar, index === shown)}>
          <text
            x={percent(width * (index + 1 / 2))}
            y={percent(1 - Math.max(scale.place(bar.value), zero))}
            dy="-0.5em"
          >
            {!bar.isAhead && bar.valueText}
          </text>
        </g>
      ))}
    </svg>
  );
}

function barClass(bar: Bar, isShown: boolean): string {
  return `chart-fill${bar.isNow ? " chart-fill-now" : ""}${isShown ? " chart-fill-shown" : ""}`;
}

function nameClass(bar: Bar, isChosen: boolean): string {
  return `chart-name${bar.isNow ? " chart-name-now" : ""}${isChosen ? " chart-name-chosen" : ""}`;
}

function percent(share: number): string {
  return `${Math.round(share * WHOLE * WHOLE) / WHOLE}%`;
}
