import { useState } from "preact/hooks";
import { COMPANY_ROLES, ROLES, type Role } from "../../domain/member.ts";
import { changeMember, invite } from "../api/members.ts";
import type { Member } from "../api/shapes.ts";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { useGateway } from "../live/gateway.ts";
import { doorTexts } from "../messages/door.ts";
import { peopleTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";

interface MemberFormProps {
  /** Null for one that is invited. */
  readonly member: Member | null;
  readonly onChanged: (name: string) => void;
  readonly onInvited: (member: Pick<Member, "name" | "email">, token: string) => void;
  readonly onCancel: () => void;
}

const CONFLICT = 409;
const NOT_FOUND = 404;

/** Invites somebody, or changes a member's name and role. */
export function MemberForm({ member, onChanged, onInvited, onCancel }: MemberFormProps) {
  const texts = useTexts(peopleTexts);
  const { mistakes } = useTexts(doorTexts);
  const { api, user } = useGateway();
  const { form, isBusy, failure, submit, requiredMistake } = useForm();
  const [name, setName] = useState(member?.name ?? "");
  const [email, setEmail] = useState(member?.email ?? "");
  const [role, setRole] = useState<Role>(member?.role ?? "staff");

  const send = () => {
    const draft = { name: name.trim(), email: email.trim(), role };
    return submit(draft.name !== "" && draft.email !== "", async () => {
      if (member === null) onInvited(draft, await invite(api, draft));
      else {
        await changeMember(api, member._id, { name: draft.name, role });
        onChanged(draft.name);
      }
    });
  };

  return (
    <Form form={form} onSubmit={send}>
      <TextField
        label={texts.name}
        value={name}
        onValue={setName}
        isRequired
        hint={texts.nameHint}
        mistake={requiredMistake("name", name)}
      />
      {member === null && (
        <TextField
          label={texts.email}
          type="email"
          value={email}
          onValue={setEmail}
          isRequired
          mistake={requiredMistake("email", email, {
            type: mistakes.email,
            length: mistakes.email,
            unique: mistakes.emailTaken,
          })}
        />
      )}
      <SelectField
        label={texts.role}
        value={role}
        choices={(user.serves === "company" ? COMPANY_ROLES : ROLES).map((value) => ({
          value,
          text: texts.roles[value].name,
        }))}
        onValue={(value) => setRole(ROLES.find((known) => known === value) ?? role)}
        hint={texts.roles[role].may}
      />
      {member !== null && member.role !== role && <p class="fine">{texts.roleEnds}</p>}
      <FormFailure
        failure={unplacedFailure(failure, ["name", "email"])}
        texts={{ [CONFLICT]: texts.lastOwner, [NOT_FOUND]: texts.gone }}
      />
      <FormActions isBusy={isBusy} text={member === null ? texts.invite : undefined} onCancel={onCancel} />
    </Form>
  );
}
