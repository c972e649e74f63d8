import { isHidden, SETUP_FIELDS, type SetupField, type SetupValue, usualOf } from "../../domain/sink.ts";
import type { Setup } from "../api/shapes.ts";
import { CheckField, type Choice, LongTextField, SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { elementTexts } from "../messages/element.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";

/** Servers that take a login with a password, by the provider's name. */
const MAIL_PROVIDERS: readonly Choice[] = [
  { text: "Gmail, Google Workspace", value: "smtps://smtp.gmail.com:465" },
  { text: "Microsoft 365", value: "smtp://smtp.office365.com:587" },
  { text: "IONOS", value: "smtps://smtp.ionos.es:465" },
  { text: "Arsys", value: "smtps://smtp.serviciodecorreo.es:465" },
  { text: "OVHcloud", value: "smtps://ssl0.ovh.net:465" },
  { text: "Hostinger", value: "smtps://smtp.hostinger.com:465" },
  { text: "Yahoo", value: "smtps://smtp.mail.yahoo.com:465" },
  { text: "iCloud", value: "smtp://smtp.mail.me.com:587" },
];

interface SetupFormProps {
  readonly setup: Setup;
  readonly onDone: () => void;
}

/** Sets up one sink, or the notices: the form is drawn from its fields. */
export function SetupForm({ setup, onDone }: SetupFormProps) {
  const texts = useTexts(sinkTexts);
  const { mistakes } = useTexts(elementTexts);
  const { api } = useGateway();
  const { language } = useLanguage();
  const { name } = setup;
  const fields = SETUP_FIELDS[name].filter(({ isMade }) => isMade !== true);
  const form = useForm<Drafts>(draftsOf(fields, setup, language));
  const { values, wasSent, mistake } = form;

  const isMissing = ({ key, kind, isRequired }: SetupField) =>
    isRequired === true && values[key] === "" && !(kind === "secret" && setup.stored.includes(key));
  const send = () =>
    form.submit(!fields.some(isMissing), async () => {
      await api.send("put", "/api/sink", { name, values: valuesOf(fields, values) });
      onDone();
    });
  const mistakeIn = (field: SetupField) => {
    const { key } = field;
    if (wasSent && isMissing(field)) return mistake(key) ?? mistakes.required;
    // How long a value may be is its field's own: the hint says it.
    const own = { length: mistakes.type, ...(setup.stored.includes(key) && { required: texts.again }) };
    return mistake(key, own);
  };

  return (
    <Form form={form} onSubmit={send}>
      <p class="soft">{texts.means[name]}</p>
      {name === "email" && (
        <SelectField
          label={texts.provider}
          hint={texts.providerHint}
          value={
            MAIL_PROVIDERS.some(({ value }) => value === values["email_server"])
              ? String(values["email_server"])
              : ""
          }
          choices={[{ value: "", text: texts.providerOther }, ...MAIL_PROVIDERS]}
          onValue={(server) => form.set({ email_server: server })}
        />
      )}
      {fields.map((field) => (
        <DrawnField
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          isStored={setup.stored.includes(field.key)}
          mistake={mistakeIn(field)}
          onValue={(value) => form.set({ [field.key]: value })}
        />
      ))}
    </Form>
  );
}

interface DrawnFieldProps {
  readonly field: SetupField;
  readonly value: Draft;
  readonly isStored: boolean;
  readonly mistake: string | undefined;
  readonly onValue: (value: Draft) => void;
}

function DrawnField({ field, value, isStored, mistake, onValue }: DrawnFieldProps) {
  const texts = useTexts(sinkTexts);
  const { key, kind, isRequired = false, choices = [] } = field;
  const isCertificate = kind === "certificate";
  const label = isCertificate ? texts.certificate : (texts.labels[key] ?? key);
  const hint = isStored ? texts.storedHint : isCertificate ? texts.certificateHint : texts.hints[key];
  const shared = { label, hint, mistake };
  const options = choices.map((choice) => ({ value: choice, text: texts.choices[choice] ?? choice }));
  if (kind === "choices") {
    const chosen = typeof value === "object" ? value : [];
    return (
      <fieldset class="stack">
        <legend class="strong">{label}</legend>
        <p class="fine">{hint}</p>
        {options.map((option) => (
          <CheckField
            key={option.value}
            label={option.text}
            isChecked={chosen.includes(option.value)}
            onCheck={(isChecked) =>
              onValue([...chosen.filter((one) => one !== option.value), ...(isChecked ? [option.value] : [])])
            }
          />
        ))}
      </fieldset>
    );
  }
  const text = typeof value === "object" ? value.join(", ") : String(value);
  if (kind === "switch") {
    return (
      <>
        <CheckField label={label} isChecked={value === true} onCheck={onValue} />
        <p class="fine">{hint}</p>
      </>
    );
  }
  if (kind === "choice") return <SelectField {...shared} value={text} choices={options} onValue={onValue} />;
  if (isCertificate) return <LongTextField {...shared} value={text} onValue={onValue} />;
  return (
    <TextField
      {...shared}
      type={kind === "secret" ? "password" : "text"}
      {...(kind === "secret" ? { autocomplete: "new-password" as const } : {})}
      inputMode={kind === "number" ? "numeric" : "text"}
      isRequired={isRequired}
      value={text}
      onValue={onValue}
    />
  );
}

/** A value as it stands in the form: a list of addresses is one text there. */
type Draft = string | boolean | readonly string[];
type Drafts = Readonly<Record<string, Draft>>;

function draftsOf(fields: readonly SetupField[], setup: Setup, language: string): Drafts {
  return Object.fromEntries(
    fields.map((field) => [field.key, draftOf(field, setup.values[field.key], language)]),
  );
}

function draftOf(field: SetupField, stored: SetupValue | undefined, language: string): Draft {
  const { kind } = field;
  const value = stored ?? (kind === "choice" ? language : usualOf(field));
  if (typeof value === "boolean") return value;
  if (typeof value === "object") return kind === "choices" ? value : value.join(", ");
  return String(value);
}

function valuesOf(fields: readonly SetupField[], drafts: Drafts): Readonly<Record<string, SetupValue>> {
  return Object.fromEntries(
    fields.flatMap((field): readonly (readonly [string, SetupValue])[] => {
      const draft = drafts[field.key] ?? "";
      if (typeof draft !== "string") return [[field.key, draft]];
      const text = draft.trim();
      // What is not typed anew stays as it is stored.
      if (isHidden(field) && text === "") return [];
      if (field.kind === "number") return [[field.key, Number(text)]];
      if (field.kind === "list") return [[field.key, text.split(/[\s,;]+/).filter(Boolean)]];
      return [[field.key, text]];
    }),
  );
}
