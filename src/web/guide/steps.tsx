import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { roomsOf } from "../api/locations.ts";
import type { Data, Device } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, FormFailure, useForm, useSending } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { Failed, Nothing } from "../element/notice.tsx";
import {
  isFree,
  type LinePlan,
  lineName,
  linesOf,
  planInOrder,
  planRoom,
  roomsInDoubt,
  wiringName,
} from "../lines/board.ts";
import { priceOf } from "../lines/price.ts";
import { useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";

interface DoneStepProps {
  readonly rooms: Data<"/api/room">;
  readonly onMore: () => void;
  /** Leaves the rooms without a line as they are, on purpose. */
  readonly onLeft: () => Promise<void>;
}

export function DoneStep({ rooms: all, onMore, onLeft }: DoneStepProps) {
  const { done: texts } = useTexts(guideTexts);
  const { status, format } = useGateway();
  const { isBusy, failure, send } = useSending();
  const rooms = all.length;
  const wired = all.filter(({ line }) => line !== null).length;
  const left = all.filter(({ line, withoutLine }) => line === null && withoutLine).length;
  const unwired = rooms - wired - left;
  const counts = [
    ["wired", "done", wired],
    ["left", "done", left],
    ["unwired", "info", unwired],
  ] as const;
  return (
    <StepCard title={unwired > 0 ? texts.titleUnwired : texts.title}>
      <ul class="done-list">
        <li>
          <Icon name="done" />
          {texts.rooms(rooms, format.count(rooms))}
        </li>
        {counts.map(
          ([name, sign, count]) =>
            count > 0 && (
              <li key={name}>
                <Icon name={sign} />
                {texts[name](count, format.count(count))}
              </li>
            ),
        )}
      </ul>
      {status.value?.simulated && <p>{texts.simulated}</p>}
      <div class="actions">
        <Link to="rooms" class="button button-main">
          {texts.toRooms}
        </Link>
        <Link to="panel" class="button">
          {texts.toPanel}
        </Link>
        {unwired > 0 && (
          <Link to="lines" class="button">
            {texts.toLines}
          </Link>
        )}
        {unwired > 0 && (
          <Button isBusy={isBusy} onPress={() => void send(onLeft)}>
            {texts.leave(unwired)}
          </Button>
        )}
        <Button kind="quiet" icon="plus" onPress={onMore}>
          {texts.more}
        </Button>
      </div>
      <FormFailure failure={failure} />
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

interface LinesStepProps {
  readonly device: Device;
  readonly onDone: () => void;
}

/** The lines of a new device's rooms; all of it can wait. */
export function LinesStep({ device, onDone }: LinesStepProps) {
  const texts = useTexts(guideTexts).lines;
  const board = useData("/api/line");
  const hasFree = board.value !== undefined && linesOf(board.value).some(isFree);
  return (
    <StepCard title={texts.title} detail={texts.detail}>
      <Failed of={board} />
      {board.kind === "ready" && !hasFree && <Nothing title={texts.noLines} detail={texts.noLinesDetail} />}
      {board.kind === "ready" && hasFree && <LinesForm device={device} board={board.value} onDone={onDone} />}
      {!hasFree && (
        <div class="actions">
          <Button onPress={onDone}>{texts.skip}</Button>
        </div>
      )}
    </StepCard>
  );
}

interface LinesFormProps extends LinesStepProps {
  readonly board: Data<"/api/line">;
}

function LinesForm({ device, board, onDone }: LinesFormProps) {
  const { lines: texts } = useTexts(guideTexts);
  const { api, status, format } = useGateway();
  const form = useForm({ valor: "" });
  const [plan, setPlan] = useState<LinePlan>(new Map());
  const [wired, setWired] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<string | null>(null);
  const free = linesOf(board).filter(isFree);
  const doubtful = roomsInDoubt(plan);
  const valor = priceOf(form.values.valor);
  const currency = status.value?.currency.code ?? "";

  const send = () => {
    const isReady = valor !== undefined && doubtful.size === 0;
    return form.submit(isReady, async () => {
      for (const [room, address] of plan) {
        const line = free.find((candidate) => candidate.address === address);
        if (!isReady || wired.has(room) || line === undefined) continue;
        const wiring = { line: wiringName(board, line), dId: device.dId, actuatorId: room, valor };
        await api.send("put", "/api/wiring", { wiring }).catch((error: unknown) => {
          setRefused(room);
          throw error;
        });
        setWired((before) => new Set(before).add(room));
      }
      onDone();
    });
  };

  const mistakeFor = (room: string) => {
    if (doubtful.has(room)) return texts.twice;
    return room === refused ? texts.refused : undefined;
  };
  return (
    <Form
      form={form}
      onSubmit={send}
      isDisabled={plan.size === 0}
      action={plan.size === 0 ? texts.connectNone : texts.connect(plan.size, format.count(plan.size))}
      buttons={<Button onPress={onDone}>{texts.skip}</Button>}
    >
      <div class="fields">
        <TextField
          label={texts.price}
          inputMode="decimal"
          isRequired
          hint={texts.priceHint(currency)}
          {...form.field("valor")}
          {...(form.wasSent && valor === undefined && { mistake: texts.badPrice })}
        />
      </div>
      <div class="actions">
        <Button onPress={() => setPlan(planInOrder(roomsOf(device), free))}>{texts.inOrder}</Button>
        {plan.size > 0 && wired.size === 0 && (
          <Button kind="quiet" onPress={() => setPlan(new Map())}>
            {texts.clear}
          </Button>
        )}
      </div>
      <div class="fields guide-lines">
        {roomsOf(device).map((room) => (
          <SelectField
            key={room}
            label={texts.room(room)}
            value={plan.get(room) ?? ""}
            isDisabled={wired.has(room)}
            choices={[
              { value: "", text: texts.none },
              ...free.map((line) => ({ value: line.address, text: lineName(line) })),
            ]}
            onValue={(address) => {
              setRefused(null);
              setPlan(planRoom(plan, room, address));
            }}
            mistake={mistakeFor(room)}
          />
        ))}
      </div>
    </Form>
  );
}
