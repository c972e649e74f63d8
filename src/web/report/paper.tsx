import type { ComponentChildren } from "preact";
import type { Letterhead } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { SelectField } from "../element/field.tsx";
import { type Month, monthsUpTo } from "../format/day.ts";
import { ViewFrame, type ViewProps } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";

interface PaperViewProps extends Omit<ViewProps, "paper"> {
  /** What the paper is, where the view has another title. */
  readonly kind?: string;
  /** The month or the day that it is of; empty while that is not known. */
  readonly span: string;
  /** Whom it is about, where that is not everybody. */
  readonly whose: string | null | undefined;
  readonly letterhead: Letterhead | undefined;
  /** There is a sheet to print. */
  readonly isPrintable: boolean;
  readonly actions?: ComponentChildren;
}

/** A view of a sheet that is printed and kept: its file is named by what it is, of when, and about whom. */
export function PaperView({ kind, span, whose, letterhead, isPrintable, actions, ...view }: PaperViewProps) {
  const texts = useTexts(reportTexts);
  const { status, format } = useGateway();
  const sender = letterhead?.company || status.value?.gateway.name;
  return (
    <ViewFrame
      {...view}
      paper={{
        name: [kind ?? view.title, span, whose].filter(Boolean).join(" "),
        head: [sender, whose ?? texts.all, span && format.spanName(span)].filter(Boolean).join(" · "),
      }}
      actions={
        <>
          {actions}
          {isPrintable && (
            <Button kind="main" icon="print" onPress={() => print()}>
              {texts.print}
            </Button>
          )}
        </>
      }
    />
  );
}

interface MonthFieldProps {
  readonly value: Month;
  /** The last one to choose. */
  readonly newest: Month;
  readonly onValue: (month: Month) => void;
}

/** A month to choose. */
export function MonthField({ value, newest, onValue }: MonthFieldProps) {
  const { month } = useTexts(reportTexts);
  const { spanName } = useFormat();
  const choices = monthsUpTo(newest, value).map((of) => ({ value: of, text: spanName(of) }));
  return <SelectField label={month} value={value} choices={choices} onValue={onValue} />;
}
