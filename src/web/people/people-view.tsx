import { useState } from "preact/hooks";
import { COMPANY_ROLES, LINK_PATH, ROLES } from "../../domain/member.ts";
import { CONFLICT, NOT_FOUND } from "../api/api.ts";
import type { Answer, Member } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, Dialog, useDialogs } from "../element/dialog.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { NotReadyPanel } from "../element/notice.tsx";
import { Qr } from "../element/qr.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { elementTexts } from "../messages/element.ts";
import { peopleTexts } from "../messages/people.ts";
import { signInTexts } from "../messages/sign-in.ts";
import { useTexts } from "../messages/use-language.ts";
import { reachOf } from "./reach.ts";

interface ActionsProps {
  readonly member: Member;
  readonly onChanged: () => void;
}

/** Who signs in to the account, for its owners. */
export function PeopleView() {
  const texts = useTexts(peopleTexts);
  const { self, format } = useGateway();
  const { open } = useDialogs();
  const members = useData("/api/member");
  const invite = () =>
    open(
      <Dialog title={texts.inviteTitle}>
        <MemberForm member={null} onChanged={members.reload} />
      </Dialog>,
    );
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <Button kind="main" icon="plus" onPress={invite}>
          {texts.invite}
        </Button>
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
              { title: texts.role, class: "whole", cell: ({ role }) => texts.roles[role].name },
              {
                title: texts.state,
                class: "whole",
                cell: ({ hasPassword, sessions }) =>
                  hasPassword ? texts.sessions(format.count(sessions)) : texts.invited,
              },
            ]}
            actions={(member) => <Actions member={member} onChanged={members.reload} />}
          />
        </section>
      )}
    </ViewFrame>
  );
}

/** What an owner does to a member. */
function Actions({ member, onChanged }: ActionsProps) {
  const texts = useTexts(peopleTexts);
  const { api } = useGateway();
  const { open, finish } = useDialogs();
  const { _id: memberId, name, sessions } = member;
  const onDone = (text: string) => {
    finish(text);
    onChanged();
  };
  const change = (
    <Dialog title={texts.changeOf(name)}>
      <MemberForm member={member} onChanged={onChanged} />
    </Dialog>
  );
  // An earlier link ends.
  const renew = (
    <Confirm
      title={texts.linkOf(name)}
      action={texts.makeLink}
      meaning={[texts.linkMeans]}
      kind="main"
      onConfirm={() => api.send("post", "/api/member/link", { memberId })}
      onDone={({ data }) => open(<LinkDialog member={member} link={data} />)}
    />
  );
  const signOut = (
    <Confirm
      title={texts.signOutOf(name)}
      action={texts.signOut}
      meaning={[texts.signOutMeans]}
      onConfirm={() => api.send("post", "/api/member/sign-out", { memberId })}
      onDone={() => onDone(texts.signedOut(name))}
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
      <Button kind="quiet" icon="edit" label={texts.changeOf(name)} onPress={() => open(change)} />
      <Button kind="quiet" icon="link" label={texts.linkOf(name)} onPress={() => open(renew)} />
      <Button
        kind="quiet"
        icon="leave"
        label={texts.signOutOf(name)}
        isDisabled={sessions === 0}
        onPress={() => open(signOut)}
      />
      <Button kind="quiet" icon="remove" label={texts.removeOf(name)} onPress={() => open(remove)} />
    </>
  );
}

interface MemberFormProps {
  /** Null for one that is invited. */
  readonly member: Member | null;
  readonly onChanged: () => void;
}

type MemberDraft = Pick<Member, "name" | "email" | "role">;

/** Invites somebody, or changes a member's name and role. */
function MemberForm({ member, onChanged }: MemberFormProps) {
  const texts = useTexts(peopleTexts);
  const { mistakes } = useTexts(signInTexts);
  const { api, self } = useGateway();
  const { open, finish } = useDialogs();
  const form = useForm<MemberDraft>({
    name: member?.name ?? "",
    email: member?.email ?? "",
    role: member?.role ?? "staff",
  });
  const { name, email, role } = form.values;

  const send = () => {
    const draft = { name: name.trim(), email: email.trim(), role };
    return form.submit(draft.name !== "" && draft.email !== "", async () => {
      if (member === null) {
        const { data } = await api.send("post", "/api/member", { member: draft });
        open(<LinkDialog member={draft} link={data} />);
      } else {
        const changes = { name: draft.name, role };
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
      action={member === null ? texts.invite : undefined}
    >
      <TextField label={texts.name} hint={texts.nameHint} {...form.required("name")} />
      {member === null && (
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
      <SelectField
        label={texts.role}
        value={role}
        choices={(self.serves === "company" ? COMPANY_ROLES : ROLES).map((value) => ({
          value,
          text: texts.roles[value].name,
        }))}
        onValue={(chosen) => form.set({ role: chosen })}
        hint={texts.roles[role].may}
        mistake={form.mistake("role")}
      />
      {member !== null && member.role !== role && <p class="fine">{texts.roleEnds}</p>}
    </Form>
  );
}

interface LinkDialogProps {
  readonly member: Pick<Member, "name" | "email">;
  readonly link: Answer<"post", "/api/member">["data"];
}

/**
 * The link to hand over: as a QR code and as a text. It is not shown again. Before it stands the way to trust the gateway,
 * without which a new device stops at a warning. The two are apart: that page comes unencrypted, and must not hold the token.
 */
function LinkDialog({ member, link: { token, reach } }: LinkDialogProps) {
  const texts = useTexts(peopleTexts);
  const { close } = useTexts(elementTexts);
  const { open } = useDialogs();
  const [isCopied, setCopied] = useState(false);
  const { page, trust } = reachOf(location, reach);
  const link = `${page ?? location.origin}${LINK_PATH}#${token}/${member.email}`;
  const copy = async () => {
    // A browser may refuse it; the link stands there to be copied by hand.
    await navigator.clipboard.writeText(link).then(() => setCopied(true), console.warn);
  };
  return (
    <Dialog title={texts.linkTitle(member.name)}>
      {trust !== null && (
        <>
          <h3>{texts.trustFirst}</h3>
          <p>{texts.trustWhy}</p>
          <Qr text={trust} label={texts.trustQr} />
          <p>
            <code>{trust}</code>
          </p>
          <h3>{texts.thenLink}</h3>
        </>
      )}
      <p>{texts.linkHand(member.name)}</p>
      {page === null ? <p>{texts.onlyHere}</p> : <Qr text={link} label={texts.qr} />}
      <p>
        <code>{link}</code>
      </p>
      <p class="fine">{texts.linkOnce}</p>
      <p class="aloud" role="status">
        {isCopied && texts.copied}
      </p>
      <div class="actions row">
        <Button kind="main" onPress={() => void copy()}>
          {isCopied ? texts.copied : texts.copy}
        </Button>
        <Button onPress={() => open(null)}>{close}</Button>
      </div>
    </Dialog>
  );
}
