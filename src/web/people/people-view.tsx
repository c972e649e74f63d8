import { COMPANY_ROLES, ROLES } from "../../domain/member.ts";
import { CONFLICT, NOT_FOUND } from "../api/api.ts";
import type { Location, Member } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, Dialog, DialogButton, useDialogs, useFinish } from "../element/dialog.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { peopleTexts } from "../messages/people.ts";
import { signInTexts } from "../messages/sign-in.ts";
import { useTexts } from "../messages/use-language.ts";
import { LocationChoice } from "./location-choice.tsx";
import { WayInDialog } from "./secret-dialog.tsx";

interface ActionsProps {
  readonly member: Member;
  readonly locations: readonly Location[];
  readonly onChanged: () => void;
}

/** Who signs in to the account, for its owners. */
export function PeopleView() {
  const texts = useTexts(peopleTexts);
  const { self, format, now } = useGateway();
  const dayText = (timeMs: number) => format.dayNameBy(format.day(now()), format.day(timeMs), "short");
  const members = useData("/api/member");
  // A company's members see all clinics.
  const known = useData("/api/location", ["locations"]).value ?? [];
  const locations = self.serves === "company" ? [] : known;
  const seen = (locationIds: readonly string[]) =>
    locations.filter(({ _id }) => locationIds.includes(_id)).map(({ name }) => name);
  const invite = (
    <Dialog title={texts.inviteTitle}>
      <MemberForm member={null} locations={locations} onChanged={members.reload} />
    </Dialog>
  );
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <DialogButton kind="main" icon="plus" dialog={invite}>
          {texts.invite}
        </DialogButton>
      }
    >
      <NotReadyPanel of={members} />
      {members.kind === "ready" && (
        <section class="panel">
          <DataTable
            caption={texts.title}
            rows={members.value}
            keyOf={(member) => member._id}
            columns={[
              {
                title: texts.person,
                isName: true,
                cell: ({ _id, name, email }) => (
                  <span class="words lines">
                    <span>{_id === self._id ? texts.you(name) : name}</span>
                    <span class="soft">{email}</span>
                  </span>
                ),
              },
              {
                title: texts.role,
                class: "whole",
                cell: ({ role, locationIds }) => (
                  <span class="lines">
                    <span>{texts.roles[role].name}</span>
                    {locationIds !== null && (
                      <span class="soft">{texts.seesOnly(seen(locationIds).join(", "))}</span>
                    )}
                  </span>
                ),
              },
              {
                title: texts.state,
                class: "whole",
                cell: ({ role, hasPassword, sessions, usedTime }) => {
                  if (role !== "program")
                    return hasPassword ? texts.sessions(format.count(sessions)) : texts.invited;
                  if (!hasPassword) return texts.noKey;
                  return usedTime === null ? texts.unused : texts.used(dayText(usedTime));
                },
              },
            ]}
            actions={(member) => <Actions member={member} locations={locations} onChanged={members.reload} />}
          />
        </section>
      )}
    </ViewFrame>
  );
}

/** What an owner does to a member. */
function Actions({ member, locations, onChanged }: ActionsProps) {
  const texts = useTexts(peopleTexts);
  const { api } = useGateway();
  const { open } = useDialogs();
  const { _id: memberId, name, sessions } = member;
  const isProgram = member.role === "program";
  const onDone = useFinish(onChanged);
  const change = (
    <Dialog title={texts.changeOf(name)}>
      <MemberForm member={member} locations={locations} onChanged={onChanged} />
    </Dialog>
  );
  const [renewed, ended] = isProgram ? [texts.newKey, texts.revokeKey] : [texts.newLink, texts.endSessions];
  const renew = (
    <Confirm
      title={renewed.of(name)}
      action={renewed.action}
      meaning={[renewed.means]}
      kind={isProgram ? "bad" : "main"}
      onConfirm={() => api.send("post", "/api/member/link", { memberId })}
      onDone={({ data }) => {
        open(<WayInDialog member={member} made={data} />);
        onChanged();
      }}
    />
  );
  const end = (
    <Confirm
      title={ended.of(name)}
      action={ended.action}
      meaning={[ended.means]}
      onConfirm={() => api.send("post", "/api/member/sign-out", { memberId })}
      onDone={() => onDone(ended.done(name))}
    />
  );
  const remove = (
    <Confirm
      title={texts.removeOf(name)}
      action={texts.remove}
      meaning={[texts.removeMeans, texts.removeKeeps]}
      failures={{ [CONFLICT]: texts.lastOwner }}
      onConfirm={() => api.remove("/api/member", { memberId })}
      onDone={() => onDone(texts.removed(name))}
    />
  );
  return (
    <>
      <DialogButton kind="quiet" icon="edit" label={texts.changeOf(name)} dialog={change} />
      <DialogButton kind="quiet" icon={isProgram ? "key" : "link"} label={renewed.of(name)} dialog={renew} />
      <DialogButton
        kind="quiet"
        icon={isProgram ? "revoke" : "leave"}
        label={ended.of(name)}
        isDisabled={isProgram ? !member.hasPassword : sessions === 0}
        dialog={end}
      />
      <DialogButton kind="quiet" icon="remove" label={texts.removeOf(name)} dialog={remove} />
    </>
  );
}

interface MemberFormProps {
  /** Null for one that is invited. */
  readonly member: Member | null;
  readonly locations: readonly Location[];
  readonly onChanged: () => void;
}

type MemberDraft = Pick<Member, "name" | "email" | "role" | "locationIds">;

/** The e-mail with which a program signs in, by its name. No mail leads to `.invalid` (RFC 2606). */
function programEmail(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase().replaceAll(/\p{M}/gu, "");
  const words = plain.match(/[a-z0-9]+/g) ?? ["programa"];
  return `${words.join("-").slice(0, MAX_LOCAL)}@programa.invalid`;
}

/** Letters before the sign of an e-mail (RFC 5321). */
const MAX_LOCAL = 64;

/** Invites somebody, or changes a member's name and role. */
function MemberForm({ member, locations, onChanged }: MemberFormProps) {
  const texts = useTexts(peopleTexts);
  const { mistakes } = useTexts(signInTexts);
  const { api, self } = useGateway();
  const { open, finish } = useDialogs();
  const form = useForm<MemberDraft>({
    name: member?.name ?? "",
    email: member?.email ?? "",
    role: member?.role ?? "staff",
    locationIds: member?.locationIds ?? null,
  });
  const { name, email, role } = form.values;
  // An owner has the whole account.
  const locationIds = role === "owner" ? null : form.values.locationIds;
  const isLimitable = role !== "owner" && (locations.length > 1 || locationIds !== null);
  const isProgram = role === "program";
  const isNewProgram = isProgram && member === null;
  const nameField = form.required("name");
  const roles = (self.serves === "company" ? COMPANY_ROLES : ROLES).filter(
    // A program stays one, and no other member becomes one: it has no password.
    (choice) => member === null || choice !== "program",
  );

  const send = () => {
    const signIn = isNewProgram ? programEmail(name) : email.trim();
    const draft = { name: name.trim(), email: signIn, role, ...(isLimitable && { locationIds }) };
    return form.submit(draft.name !== "" && draft.email !== "", async () => {
      if (member === null) {
        const { data } = await api.send("post", "/api/member", { member: draft });
        open(<WayInDialog member={draft} made={data} />);
      } else {
        const limit = locationIds === member.locationIds ? {} : { locationIds };
        const changes = { name: draft.name, ...(!isProgram && { role }), ...limit };
        await api.send("patch", "/api/member", { member: changes }, { memberId: member._id });
        finish(texts.changed(draft.name));
      }
      onChanged();
    });
  };

  return (
    <Form
      form={form}
      onSubmit={send}
      failures={{ [CONFLICT]: member === null ? texts.full : texts.lastOwner, [NOT_FOUND]: texts.gone }}
      action={member === null ? (isProgram ? texts.add : texts.invite) : undefined}
    >
      <TextField
        label={texts.name}
        hint={isProgram ? texts.programHint : texts.nameHint}
        {...nameField}
        mistake={
          nameField.mistake ??
          (isNewProgram ? form.mistake("email", { unique: texts.programTaken }) : undefined)
        }
      />
      {member === null && !isProgram && (
        <TextField
          label={texts.email}
          type="email"
          {...form.required("email", {
            type: mistakes.email,
            length: mistakes.email,
            unique: mistakes.emailTaken,
          })}
        />
      )}
      {(member === null || !isProgram) && (
        <SelectField
          label={texts.role}
          value={role}
          choices={roles.map((value) => ({ value, text: texts.roles[value].name }))}
          onValue={(chosen) => form.set({ role: chosen })}
          hint={texts.roles[role].may}
          mistake={form.mistake("role")}
        />
      )}
      {member !== null && member.role !== role && <p class="fine">{texts.roleEnds}</p>}
      {isLimitable && (
        <LocationChoice
          locations={locations}
          chosen={locationIds}
          onChosen={(chosen) => form.set({ locationIds: chosen })}
          mistake={form.mistake("locationIds", { unique: texts.sameName })}
        />
      )}
    </Form>
  );
}
