import { useState } from "preact/hooks";
import { waitOf } from "../api/api.ts";
import { changeOwnName, changeOwnPassword } from "../api/members.ts";
import { NewPasswordFields, useNewPassword } from "../door/new-password.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { doorTexts } from "../messages/door.ts";
import { peopleTexts, selfTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";

/** What each member changes of itself: the name and the password. */
export function SelfView() {
  const texts = useTexts(selfTexts);
  const { roles } = useTexts(peopleTexts);
  const { user } = useGateway();
  const [done, setDone] = useState("");
  const [changes, setChanges] = useState(0);
  return (
    <ViewFrame title={texts.title} intro={texts.intro(user.email, roles[user.role].name)}>
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      <section class="panel self">
        <h2>{texts.name}</h2>
        <NameForm onDone={() => setDone(texts.nameSaved)} />
      </section>
      <section class="panel self">
        <h2>{texts.password}</h2>
        <PasswordForm
          key={changes}
          onDone={() => {
            setChanges(changes + 1);
            setDone(texts.passwordSaved);
          }}
        />
      </section>
    </ViewFrame>
  );
}

function NameForm({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(selfTexts);
  const { api, user, onUser } = useGateway();
  const { form, isBusy, failure, submit, requiredMistake } = useForm();
  const [name, setName] = useState(user.name);
  const send = () =>
    submit(name.trim() !== "", async () => {
      await changeOwnName(api, name.trim());
      onUser({ ...user, name: name.trim() });
      onDone();
    });
  return (
    <Form form={form} onSubmit={send}>
      <TextField
        label={texts.name}
        autocomplete="name"
        value={name}
        onValue={setName}
        isRequired
        hint={texts.nameHint}
        mistake={requiredMistake("name", name)}
      />
      <FormFailure failure={failure} />
      <FormActions isBusy={isBusy} text={texts.saveName} />
    </Form>
  );
}

function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(selfTexts);
  const { door, mistakes } = useTexts(doorTexts);
  const { api, user } = useGateway();
  const { form, isBusy, failure, wasSent, submit, mistake, requiredMistake } = useForm();
  const [current, setCurrent] = useState("");
  const chosen = useNewPassword();
  const waitSeconds = waitOf(failure);
  const send = () =>
    submit(chosen.isGood && current !== "", async () => {
      await changeOwnPassword(api, current, chosen.password);
      onDone();
    });
  return (
    <Form form={form} onSubmit={send}>
      <input type="text" autocomplete="username" value={user.email} hidden readOnly />
      <TextField
        label={texts.current}
        type="password"
        autocomplete="current-password"
        value={current}
        onValue={setCurrent}
        isRequired
        mistake={requiredMistake("current", current, { type: texts.wrongCurrent })}
      />
      <NewPasswordFields
        label={texts.next}
        chosen={chosen}
        wasSent={wasSent}
        mistake={mistake("password", { type: mistakes.password, length: mistakes.password })}
      />
      <p class="fine">{texts.others}</p>
      <FormFailure failure={failure} text={waitSeconds === null ? undefined : door.tooMany(waitSeconds)} />
      <FormActions isBusy={isBusy} text={texts.savePassword} />
    </Form>
  );
}
