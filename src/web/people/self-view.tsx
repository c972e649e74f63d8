import { useState } from "preact/hooks";
import { useDialogs } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { peopleTexts, selfTexts } from "../messages/people.ts";
import { signInTexts } from "../messages/sign-in.ts";
import { useTexts } from "../messages/use-language.ts";
import { isGoodPassword, NewPasswordFields, NO_PASSWORD } from "../sign-in/new-password.tsx";
import { waitText } from "../sign-in/sign-in.tsx";

/** What each member changes of itself: the name and the password. */
export function SelfView() {
  const texts = useTexts(selfTexts);
  const { roles } = useTexts(peopleTexts);
  const { self } = useGateway();
  const { finish } = useDialogs();
  const [changes, setChanges] = useState(0);
  return (
    <ViewFrame title={texts.title} intro={texts.intro(self.email, roles[self.role].name)}>
      <section class="panel self">
        <h2>{texts.name}</h2>
        <NameForm onDone={() => finish(texts.nameSaved)} />
      </section>
      <section class="panel self">
        <h2>{texts.password}</h2>
        <PasswordForm
          key={changes}
          onDone={() => {
            setChanges(changes + 1);
            finish(texts.passwordSaved);
          }}
        />
      </section>
    </ViewFrame>
  );
}

function NameForm({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(selfTexts);
  const { api, self, onSelf } = useGateway();
  const form = useForm({ name: self.name });
  const name = form.values.name.trim();
  const send = () =>
    form.submit(name !== "", async () => {
      await api.send("patch", "/api/me", { me: { name } });
      onSelf({ ...self, name });
      onDone();
    });
  return (
    <Form form={form} onSubmit={send} action={texts.saveName}>
      <TextField label={texts.name} autocomplete="name" hint={texts.nameHint} {...form.required("name")} />
    </Form>
  );
}

function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(selfTexts);
  const { labels } = useTexts(signInTexts);
  const { api, self } = useGateway();
  const form = useForm({ current: "", ...NO_PASSWORD });
  const { current, password } = form.values;
  const send = () =>
    form.submit(isGoodPassword(form.values) && current !== "", async () => {
      await api.send("put", "/api/me/password", { current, password });
      onDone();
    });
  return (
    <Form
      form={form}
      onSubmit={send}
      failureText={waitText(form.failure, labels)}
      action={texts.savePassword}
    >
      <input type="text" autocomplete="username" value={self.email} hidden readOnly />
      <TextField
        label={texts.current}
        type="password"
        autocomplete="current-password"
        {...form.required("current", { type: texts.wrongCurrent })}
      />
      <NewPasswordFields label={texts.next} form={form} />
      <p class="fine">{texts.others}</p>
    </Form>
  );
}
