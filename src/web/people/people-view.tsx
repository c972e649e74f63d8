import { useState } from "preact/hooks";
import { COMPANY_ROLES, LINK_PATH, ROLES } from "../../domain/member.ts";
import { CONFLICT, NOT_FOUND } from "../api/api.ts";
import type { Member } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, Dialog, useWork } from "../element/dialog.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { DoneNote, FailedPanel } from "../element/notice.tsx";
import { Qr } from "../element/qr.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { doorTexts } from "../messages/door.ts";
import { elementTexts } from "../messages/element.ts";
import { peopleTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";

type PeopleWork =
  | { readonly kind: "invite" }
  | { readonly kind: "link"; readonly member: Pick<Member, "name" | "email">; readonly token: string }
  | { readonly kind: "change" | "renew" | "sign_out" | "remove"; readonly member: Member };

/** Who signs in to the account, for its owners. */
export function PeopleView() {
  const texts = useTexts(peopleTexts);
  const members = useData("/api/member");
  const { work, done, begin, finish } = useWork<PeopleWork>(members.reload);
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <Button kind="main" icon="plus" onPress={() => begin({ kind: "invite" })}>
          {texts.invite}
        </Button>
      }
    >
      <DoneNote text={done} />
      <FailedPanel of={members} />
      {members.kind === "ready" && <MemberTable members={members.value} onWork={begin} />}
      {work !== null && <Work work={work} onDone={finish} onClose={() => begin(null)} />}
    </ViewFrame>
  );
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly onWork: (work: PeopleWork) => void;
}

function MemberTable({ members, onWork }: MemberTableProps) {
  const texts = useTexts(peopleTexts);
  const { user } = useGateway();
  const { count } = useFormat();
  const actions = [
    { kind: "change", icon: "edit", label: texts.changeOf },
    { kind: "renew", icon: "link", label: texts.linkOf },
    { kind: "sign_out", icon: "leave", label: texts.signOutOf },
    { kind: "remove", icon: "remove", label: texts.removeOf },
  ] as const;
  return (
    <section class="panel">
      <DataTable
        caption={texts.title}
        rows={members}
        keyOf={(member) => member._id}
        columns={[
          {
            title: texts.person,
            isName: true,
            cell: ({ _id, name, email }) => (
              <span class="person words lines">
                <span>{_id === user._id ? texts.you(name) : name}</span>
                <span class="soft">{email}</span>
              </span>
            ),
          },
          { title: texts.role, class: "person-short", cell: ({ role }) => texts.roles[role].name },
          {
            title: texts.state,
            class: "person-short",
            cell: ({ hasPassword, sessions }) =>
              hasPassword ? texts.sessions(count(sessions), sessions) : texts.invited,
          },
          {
            title: texts.actions,
            cell: (member) => (
              <span class="person-do">
                {actions.map(({ kind, icon, label }) => (
                  <Button
                    key={kind}
                    kind="quiet"
                    icon={icon}
                    label={label(member.name)}
                    isDisabled={kind === "sign_out" && member.sessions === 0}
                    onPress={() => onWork({ kind, member })}
                  />
                ))}
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

interface WorkProps {
  readonly work: PeopleWork;
  readonly onDone: (text: string, next?: PeopleWork) => void;
  readonly onClose: () => void;
}

function Work({ work, onDone, onClose }: WorkProps) {
  const texts = useTexts(peopleTexts);
  const { api } = useGateway();
  switch (work.kind) {
    case "invite":
    case "change":
      return (
        <Dialog
          title={work.kind === "invite" ? texts.inviteTitle : texts.changeOf(work.member.name)}
          onClose={onClose}
        >
          <MemberForm
            member={work.kind === "invite" ? null : work.member}
            onChanged={(name) => onDone(texts.changed(name))}
            onInvited={(member, token) => onDone("", { kind: "link", member, token })}
          />
        </Dialog>
      );
    case "link":
      return <LinkDialog member={work.member} token={work.token} onClose={onClose} />;
    case "renew":
      return (
        // An earlier link ends.
        <Confirm
          title={texts.linkOf(work.member.name)}
          action={texts.makeLink}
          busyText={texts.makeLink}
          meaning={[texts.linkMeans]}
          kind="main"
          onConfirm={() => api.send("post", "/api/member/link", { memberId: work.member._id })}
          onDone={({ data }) => onDone("", { kind: "link", member: work.member, token: data.token })}
          onClose={onClose}
        />
      );
    case "sign_out":
      return (
        <Confirm
          title={texts.signOutOf(work.member.name)}
          action={texts.signOut}
          busyText={texts.signingOut}
          meaning={[texts.signOutMeans]}
          onConfirm={() => api.send("post", "/api/member/sign-out", { memberId: work.member._id })}
          onDone={() => onDone(texts.signedOut(work.member.name))}
          onClose={onClose}
        />
      );
    case "remove":
      return (
        <Confirm
          title={texts.removeOf(work.member.name)}
          action={texts.remove}
          busyText={texts.removing}
          meaning={[texts.removeMeans, texts.removeKeeps]}
          failures={{ [CONFLICT]: texts.lastOwner }}
          onConfirm={() => api.remove("/api/member", { memberId: work.member._id })}
          onDone={() => onDone(texts.removed(work.member.name))}
          onClose={onClose}
        />
      );
  }
}

interface MemberFormProps {
  /** Null for one that is invited. */
  readonly member: Member | null;
  readonly onChanged: (name: string) => void;
  readonly onInvited: (member: Pick<Member, "name" | "email">, token: string) => void;
}

type MemberDraft = Pick<Member, "name" | "email" | "role">;

/** Invites somebody, or changes a member's name and role. */
function MemberForm({ member, onChanged, onInvited }: MemberFormProps) {
  const texts = useTexts(peopleTexts);
  const { mistakes } = useTexts(doorTexts);
  const { api, user } = useGateway();
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
        onInvited(draft, data.token);
      } else {
        await api.send(
          "patch",
          "/api/member",
          { member: { name: draft.name, role } },
          { memberId: member._id },
        );
        onChanged(draft.name);
      }
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
        choices={(user.serves === "company" ? COMPANY_ROLES : ROLES).map((value) => ({
          value,
          text: texts.roles[value].name,
        }))}
        onValue={(value) => form.set({ role: ROLES.find((known) => known === value) ?? role })}
        hint={texts.roles[role].may}
        mistake={form.mistake("role")}
      />
      {member !== null && member.role !== role && <p class="fine">{texts.roleEnds}</p>}
    </Form>
  );
}

interface LinkDialogProps {
  readonly member: Pick<Member, "name" | "email">;
  readonly token: string;
  readonly onClose: () => void;
}

/** The link to hand over: as a QR code and as a text. It is not shown again. */
function LinkDialog({ member, token, onClose }: LinkDialogProps) {
  const texts = useTexts(peopleTexts);
  const { close } = useTexts(elementTexts);
  const [isCopied, setCopied] = useState(false);
  const link = `${location.origin}${LINK_PATH}#${token}/${member.email}`;
  const copy = async () => {
    // A browser may refuse it; the link stands there to be copied by hand.
    await navigator.clipboard.writeText(link).then(() => setCopied(true), console.warn);
  };
  return (
    <Dialog title={texts.linkTitle(member.name)} onClose={onClose}>
      <p>{texts.linkHand(member.name)}</p>
      <Qr text={link} label={texts.qr} />
      <p class="link-text">
        <code>{link}</code>
      </p>
      <p class="fine">{texts.linkOnce}</p>
      <p class="aloud" role="status">
        {isCopied && texts.copied}
      </p>
      <div class="actions">
        <Button kind="main" onPress={() => void copy()}>
          {isCopied ? texts.copied : texts.copy}
        </Button>
        <Button onPress={onClose}>{close}</Button>
      </div>
    </Dialog>
  );
}
