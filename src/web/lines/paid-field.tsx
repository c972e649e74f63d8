import { DAY_MS, MINUTE_MS } from "../../domain/clock.ts";
import type { Price } from "../api/shapes.ts";
import { SelectField } from "../element/field.tsx";
import type { Format } from "../format/format.ts";
import { useFormat } from "../live/gateway.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";

/** What the trade sells: by the switching-on, the hour, the day, three and seven days. In minutes. */
const OFFERED = [0, 60, 1_440, 4_320, 10_080];

interface PaidFieldProps {
  /** In minutes; empty keeps what each room has. */
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What is set already, which may be none of those that are offered. */
  readonly known?: number | undefined;
  readonly canKeep?: boolean;
}

/** For how long a sale pays its room. */
export function PaidField({ value, onValue, known = 0, canKeep = false }: PaidFieldProps) {
  const texts = useTexts(linesTexts).paid;
  const format = useFormat();
  const minutes = [...new Set([...OFFERED, known])].sort((one, other) => one - other);
  return (
    <SelectField
      label={texts.field}
      hint={texts.hint}
      value={value}
      onValue={onValue}
      choices={[
        ...(canKeep ? [{ value: "", text: texts.keep }] : []),
        ...minutes.map((each) => ({ value: String(each), text: paidText(each, texts, format) })),
      ]}
    />
  );
}

/** `24 h`, `3 días`, or that each switching-on is a sale. */
export function paidText(
  paidMinutes: number,
  texts: (typeof linesTexts.es)["paid"],
  { count, duration }: Pick<Format, "count" | "duration">,
): string {
  if (paidMinutes === 0) return texts.none;
  const days = (paidMinutes * MINUTE_MS) / DAY_MS;
  return days >= 2 && Number.isInteger(days) ? texts.days(count(days)) : duration(paidMinutes * MINUTE_MS);
}

/** Gives a price with the time that it pays, where it pays any: `4,00 € · 24 h`. */
export function usePriceText(): (price: Pick<Price, "valor" | "paidMinutes">) => string {
  const texts = useTexts(linesTexts).paid;
  const format = useFormat();
  return ({ valor, paidMinutes }) =>
    [format.money(valor), ...(paidMinutes ? [paidText(paidMinutes, texts, format)] : [])].join(" · ");
}
