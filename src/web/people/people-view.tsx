import { useState } from "preact/hooks";
import { LINK_PATH } from "../../domain/member.ts";
import { endSessions, loadMembers, newLink, removeMember } from "../api/members.ts";
import type { Member } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { FailedPanel } from "../element/notice.tsx";
import { Qr } from "../element/qr.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { peopleTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";
import { MemberForm } from "./member-form.tsx";

/** What is being done: one dialog at a time. */
type PeopleWork =
  | { readonly kind: "invite" }
  | { readonly kind: "link"; readonly member: Pick<Member, "name" | "email">; readonly token: string }
  | { readonly kind: "change" | "renew" | "sign_out" | "remove"; readonly member: Member };

/** Who signs in to the account, for its owners. */
export function PeopleView() {
  const texts = useTexts(peopleTexts);
  const { part, reload } = useLoaded(loadMembers, "");
  const [work, setWork] = useState<PeopleWork | null>(null);
  const [done, setDone] = useState("");
  const members = readyValue(part);
  const begin = (next: PeopleWork | null) => {
    setDone("");
    setWork(next);
  };
  const finish = (text: string, next: PeopleWork | null = null) => {
    setWork(next);
    setDone(text);
    reload();
  };
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
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      <FailedPanel part={part} onRetry={reload} />
      {members !== undefined && <MemberTable members={members} onWork={begin} />}
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
  return (
    <section class="panel">
      <DataTable
        caption={texts.title}
        rows={members}
        keyOf={(member) => member._id}
        columns={[
          {
            key: "name",
            title: texts.person,
            isName: true,
            cell: ({ _id, name, email }) => (
              <span class="person words">
                <span>{_id === user._id ? texts.you(name) : name}</span>
                <span class="soft">{email}</span>
              </span>
            ),
          },
          {
            key: "role",
            title: texts.role,
            class: "person-short",
            cell: ({ role }) => texts.roles[role].name,
          },
          {
            key: "sessions",
            title: texts.state,
            class: "person-short",
            cell: ({ hasPassword, sessions }) =>
              hasPassword ? texts.sessions(count(sessions), sessions) : texts.invited,
          },
          {
            key: "do",
            title: texts.actions,
            cell: (member) => (
              <span class="person-do">
                <Button
                  kind="quiet"
                  icon="edit"
                  label={texts.changeOf(member.name)}
                  onPress={() => onWork({ kind: "change", member })}
                />
                <Button
                  kind="quiet"
                  icon="link"
                  label={texts.linkOf(member.name)}
                  onPress={() => onWork({ kind: "renew", member })}
                />
                <Button
                  kind="quiet"
                  icon="leave"
                  label={texts.signOutOf(member.name)}
                  isDisabled={member.sessions === 0}
                  onPress={() => onWork({ kind: "sign_out", member })}
                />
                <Button
                  kind="quiet"
                  icon="remove"
                  label={texts.removeOf(member.name)}
                  onPress={() => onWork({ kind: "remove", member })}
                />
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
            onCancel={onClose}
          />
        </Dialog>
      );
    case "link":
      return <LinkDialog member={work.member} token={work.token} onClose={onClose} />;
    case "renew":
      return <Renew member={work.member} onDone={onDone} onClose={onClose} />;
    case "sign_out":
      return (
        <Confirm
          title={texts.signOutOf(work.member.name)}
          action={texts.signOut}
          busyText={texts.signingOut}
          meaning={[texts.signOutMeans]}
          onConfirm={() => endSessions(api, work.member._id)}
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
          failures={{ 409: texts.lastOwner }}
          onConfirm={() => removeMember(api, work.member._id)}
          onDone={() => onDone(texts.removed(work.member.name))}
          onClose={onClose}
        />
      );
  }
}

interface RenewProps extends Omit<WorkProps, "work"> {
  readonly member: Member;
}

/** Asks before a link is made, for an earlier one ends. */
function Renew({ member, onDone, onClose }: RenewProps) {
  const texts = useTexts(peopleTexts);
  const { api } = useGateway();
  const { isBusy, failure, send } = useSending();
  const make = () =>
    send(async () => onDone("", { kind: "link", member, token: await newLink(api, member._id) }));
  return (
    <Dialog title={texts.linkOf(member.name)} onClose={onClose}>
      <p>{texts.linkMeans}</p>
      <FormFailure failure={failure} />
      <div class="actions">
        <Button kind="main" isBusy={isBusy} onPress={() => void make()}>
          {texts.makeLink}
        </Button>
        <Button onPress={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
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
      <div class="actions">
        <Button kind="main" onPress={() => void copy()}>
          {isCopied ? texts.copied : texts.copy}
        </Button>
        <Button onPress={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  );
}
