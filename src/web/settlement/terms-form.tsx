import { parseMonth } from "../../domain/day.ts";
import { TERMS_KINDS } from "../../domain/terms.ts";
import { CONFLICT } from "../api/api.ts";
import type { Location, LocationTerms } from "../api/shapes.ts";
import { Dialog, DialogButton, useDialogs } from "../element/dialog.tsx";
import { CheckField, SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { NotReadyPanel } from "../element/notice.tsx";
import { monthOf } from "../format/day.ts";
import { amountOf, priceOf } from "../lines/price.ts";
import { useGateway } from "../live/gateway.ts";
import { useData, useToday } from "../live/use-loaded.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";

/** The way to what is agreed with a location's clinic. */
export function TermsButton({ location }: { readonly location: Location }) {
  const texts = useTexts(settlementTexts).termsOf;
  const title = texts.open(location.name);
  return (
    <DialogButton
      icon="report"
      label={title}
      dialog={
        <Dialog title={title}>
          <KnownTerms location={location} />
        </Dialog>
      }
    >
      {texts.button}
    </DialogButton>
  );
}

function KnownTerms({ location }: { readonly location: Location }) {
  const known = useData("/api/terms");
  if (known.kind !== "ready") return <NotReadyPanel of={known} />;
  return <TermsForm location={location} latest={known.value.find((one) => one.location === location.name)} />;
}

interface TermsFormProps {
  readonly location: Location;
  readonly latest: LocationTerms | undefined;
}

function TermsForm({ location, latest }: TermsFormProps) {
  const { termsOf: texts, amountMistake } = useTexts(settlementTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const typed = (value: number) => (value === 0 ? "" : format.typedMoney(value).replace(/[.,]00$/, ""));
  const form = useForm({
    from: monthOf(useToday()),
    kind: latest?.kind ?? "share",
    share: typed(latest?.share ?? 0),
    amount: typed(latest?.amount ?? 0),
    vat: typed(latest?.vat ?? 21) || "0",
    companySigner: latest?.companySigner ?? "",
    clinicSigner: latest?.clinicSigner ?? "",
    closesItself: latest?.closesItself ?? false,
  });
  const { kind, from, closesItself, companySigner, clinicSigner } = form.values;
  const [share, vat] = [form.values.share, form.values.vat].map(priceOf);
  const amount = amountOf(form.values.amount, format);
  const isPercent = (value: number | undefined) => value !== undefined && value <= 100;
  const isRight = {
    from: parseMonth(from) !== undefined,
    share: kind === "canon" || (isPercent(share) && share !== 0),
    amount: kind === "share" || amount !== undefined,
    vat: isPercent(vat),
  };
  const field = (name: keyof typeof isRight, mistake: string) => form.checked(name, isRight[name], mistake);
  const send = () =>
    form.submit(Object.values(isRight).every(Boolean), async () => {
      const terms = {
        ...{ locationId: location._id, from, kind, companySigner, clinicSigner, closesItself },
        share: kind === "canon" ? 0 : (share ?? 0),
        amount: kind === "share" ? 0 : (amount ?? 0),
        vat: vat ?? 0,
      };
      await api.send("put", "/api/terms", { terms });
      finish(texts.saved(location.name));
    });
  return (
    <Form form={form} onSubmit={send} failures={{ [CONFLICT]: texts.closed }}>
      <p class="soft">{texts.intro}</p>
      <TextField label={texts.from} type="month" {...field("from", texts.fromMistake)} />
      <SelectField
        label={texts.kind}
        value={kind}
        choices={TERMS_KINDS.map((value) => ({ value, text: texts.kinds[value] }))}
        onValue={(value) => form.set({ kind: value })}
      />
      {kind !== "canon" && (
        <TextField label={texts.share} inputMode="decimal" {...field("share", texts.shareMistake)} />
      )}
      {kind !== "share" && (
        <TextField label={texts.amount} inputMode="decimal" {...field("amount", amountMistake)} />
      )}
      <TextField label={texts.vat} inputMode="decimal" {...field("vat", texts.percentMistake)} />
      <TextField label={texts.companySigner} autocomplete="name" {...form.field("companySigner")} />
      <TextField label={texts.clinicSigner} autocomplete="name" {...form.field("clinicSigner")} />
      <CheckField
        label={texts.closesItself}
        isChecked={closesItself}
        onCheck={(isChecked) => form.set({ closesItself: isChecked })}
      />
    </Form>
  );
}
