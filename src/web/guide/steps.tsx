import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RoomsAnswer } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Form, FormFailure, useForm } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { addressOf } from "../route.ts";

interface DoneStepProps {
  readonly rooms: RoomsAnswer["data"];
  readonly onMore: () => void;
  /** Leaves the rooms without a line as they are, on purpose. */
  readonly onLeft: () => Promise<void>;
}

export function DoneStep({ rooms: all, onMore, onLeft }: DoneStepProps) {
  const { done: texts } = useTexts(guideTexts);
  const { status, format } = useGateway();
  const { form, isBusy, failure, submit } = useForm();
  const rooms = all.length;
  const wired = all.filter(({ line }) => line !== null).length;
  const left = all.filter(({ line, withoutLine }) => line === null && withoutLine).length;
  const unwired = rooms - wired - left;
  return (
    <StepCard title={unwired > 0 ? texts.titleUnwired : texts.title}>
      <ul class="done-list">
        <li>
          <Icon name="done" />
          {texts.rooms(rooms, format.count(rooms))}
        </li>
        {wired > 0 && (
          <li>
            <Icon name="done" />
            {texts.wired(wired, format.count(wired))}
          </li>
        )}
        {left > 0 && (
          <li>
            <Icon name="done" />
            {texts.left(left, format.count(left))}
          </li>
        )}
        {unwired > 0 && (
          <li>
            <Icon name="info" />
            {texts.unwired(unwired, format.count(unwired))}
          </li>
        )}
      </ul>
      {readyValue(status)?.simulated && <p>{texts.simulated}</p>}
      <div class="actions">
        <Link to={addressOf("rooms")} class="button button-main">
          {texts.toRooms}
        </Link>
        <Link to={addressOf("panel")} class="button">
          {texts.toPanel}
        </Link>
        {unwired > 0 && (
          <Link to={addressOf("lines")} class="button">
            {texts.toLines}
          </Link>
        )}
        {unwired > 0 && (
          <Form form={form} onSubmit={async () => void (await submit(true, onLeft))}>
            <Button type="submit" isBusy={isBusy}>
              {texts.leave(unwired)}
            </Button>
            <FormFailure failure={failure} />
          </Form>
        )}
        <Button kind="quiet" icon="plus" onPress={onMore}>
          {texts.more}
        </Button>
      </div>
    </StepCard>
  );
}

interface StepCardProps {
  readonly title: string;
  readonly detail?: string;
  readonly children: ComponentChildren;
}

/** One step. It takes the keyboard's focus when it comes, so that its title is read aloud. */
export function StepCard({ title, detail, children }: StepCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section class="panel step-card" aria-labelledby="step-title">
      <h2 id="step-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {detail !== undefined && <p class="soft">{detail}</p>}
      {children}
    </section>
  );
}
