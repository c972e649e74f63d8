import { useState } from "preact/hooks";
import { parseMonth } from "../../domain/day.ts";
import type { Api } from "../api/api.ts";
import { CONFLICT } from "../api/api.ts";
import { whoseOf } from "../api/locations.ts";
import type { Settlement, SettlementHead } from "../api/shapes.ts";
import { DialogButton, DialogForm, Sentences, useDialogs } from "../element/dialog.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { useForm } from "../element/form.tsx";
import { NotReadyPanel } from "../element/notice.tsx";
import { monthAfter, monthOf, monthsUpTo } from "../format/day.ts";
import { amountOf } from "../lines/price.ts";
import { useGateway } from "../live/gateway.ts";
import { useData, useLoaded, useToday } from "../live/use-loaded.ts";
import { LocationField } from "../locations/location-fields.tsx";
import { reportTexts } from "../messages/report.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { PaperView } from "../report/paper.tsx";
import { CheckDialog } from "./check.tsx";
import { namesOf, SettlementSheet } from "./settlement-sheet.tsx";

/** The closed months and the next one, each with its settlement. */
export function SettlementView() {
  const texts = useTexts(settlementTexts);
  const { all, month: monthLabel } = useTexts(reportTexts);
  const { self, format } = useGateway();
  const { spanName } = format;
  const { replace } = useNavigation();
  const query = useQuery();
  const running = monthOf(useToday());
  const ended = monthAfter(running, -1);
  const list = useData("/api/settlements", ["settlement"]);
  const letterhead = useData("/api/letterhead");
  const { closed = [], next = ended } = list.value ?? {};
  const asked = query.get("month") ?? "";
  const isMonth = parseMonth(asked) !== undefined && asked <= running;
  const month = isMonth ? asked : next <= ended ? next : (closed[0]?.month ?? next);
  const isClosed = closed.some((one) => one.month === month);
  const location = query.get("location") || null;
  const shown = useLoaded(
    (api) => (list.value === undefined ? Promise.resolve(null) : loadSettlement(api, month, isClosed)),
    JSON.stringify([month, isClosed, list.kind]),
    isClosed ? ["settlement"] : ["settlement", "record", "void", "time"],
  );
  const content = shown.value?.content;
  // Before the first closing any month that has ended may be it.
  const months = closed.length === 0 ? monthsUpTo(ended, month) : [next, ...closed.map((one) => one.month)];
  const mayClose = self.serves === "gateway" && self.role === "owner" && !isClosed && month <= ended;
  return (
    <PaperView
      title={texts.title}
      intro={texts.intro}
      span={month}
      whose={whoseOf(location, self, namesOf(content))}
      letterhead={letterhead.value}
      isPrintable={content !== undefined && isClosed}
      actions={
        <>
          {self.locationIds === null && (
            <DialogButton icon="done" dialog={<CheckDialog />}>
              {texts.check.open}
            </DialogButton>
          )}
          {content !== undefined && mayClose && content.month === month && (
            <DialogButton kind="main" icon="done" dialog={<CloseDialog content={content} />}>
              {texts.close(spanName(month))}
            </DialogButton>
          )}
        </>
      }
    >
      <section class="panel filters row unprinted" aria-label={texts.title}>
        <SelectField
          label={monthLabel}
          value={month}
          choices={[...new Set([...months, month])].map((value) => ({
            value,
            text: closed.some((one) => one.month === value)
              ? spanName(value)
              : texts.notClosed(spanName(value)),
          }))}
          onValue={(value) => replace("settlement", { month: value, location: location ?? undefined })}
        />
        <LocationField
          all={all}
          names={namesOf(content)}
          value={location ?? ""}
          onValue={(value) => replace("settlement", { month, location: value })}
        />
      </section>
      <NotReadyPanel of={list.kind === "failed" ? list : letterhead.kind === "failed" ? letterhead : shown} />
      {shown.value != null && letterhead.value !== undefined && (
        <SettlementSheet
          {...shown.value}
          letterhead={letterhead.value}
          location={location}
          isStale={shown.isStale}
        />
      )}
    </PaperView>
  );
}

interface ShownSettlement {
  readonly content: Settlement;
  /** Null for a month that is not closed. */
  readonly head: SettlementHead | null;
}

async function loadSettlement(api: Api, month: string, isClosed: boolean): Promise<ShownSettlement> {
  if (!isClosed) return { content: await api.data("/api/settlement/draft", { month }), head: null };
  const { content, ...head } = await api.data("/api/settlement", { month });
  return { content, head };
}

/** Closes a month, with the money that was counted. */
function CloseDialog({ content }: { readonly content: Settlement }) {
  const { closing, others, ...texts } = useTexts(settlementTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const { replace } = useNavigation();
  const form = useForm({});
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { month, locations, totals } = content;
  const monthName = format.spanName(month);
  const noTerms = locations.filter(({ terms }) => terms === null).map(({ name }) => name || others);
  const given = Object.entries(typed)
    .filter(([, text]) => text.trim() !== "")
    .map(([location, text]) => ({ location, valor: amountOf(text, format) }));
  const counted = given.flatMap(({ location, valor }) => (valor === undefined ? [] : [{ location, valor }]));
  const send = () =>
    form.submit(counted.length === given.length, async () => {
      await api.send("post", "/api/settlement", { settlement: { month, counted } });
      finish(closing.done(monthName));
      replace("settlement", { month });
    });
  return (
    <DialogForm
      title={texts.closeTitle(monthName)}
      form={form}
      onSubmit={send}
      action={texts.closeTitle(monthName)}
      failures={{ [CONFLICT]: closing.conflict }}
    >
      <p class="big">{format.money(totals.due.net)}</p>
      <Sentences
        of={[
          closing.meaning,
          ...(totals.provisional > 0 ? [closing.provisional(format.count(totals.provisional))] : []),
          ...(noTerms.length > 0 ? [closing.noTerms(noTerms.join(", "))] : []),
        ]}
      />
      <p>{closing.counted}</p>
      {locations.map(({ name, due }) => (
        <TextField
          key={name}
          label={name || others}
          inputMode="decimal"
          hint={format.money(due.net)}
          value={typed[name] ?? ""}
          onValue={(text) => setTyped((before) => ({ ...before, [name]: text }))}
          mistake={
            form.wasSent && given.some((one) => one.location === name && one.valor === undefined)
              ? texts.amountMistake
              : undefined
          }
        />
      ))}
    </DialogForm>
  );
}
