import { useState } from "preact/hooks";
import { type LineBoard, loadLines } from "../api/line.ts";
import type { Box } from "../api/place.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, wire } from "../api/wiring.ts";
import { Button } from "../element/button.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { SelectField } from "../element/select-field.tsx";
import { TextField } from "../element/text-field.tsx";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useVisit } from "../frame/visit.ts";
import { isFree, lineName, linesOf, wiringName } from "../lines/board.ts";
import { priceOf } from "../lines/price.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";
import { type LinePlan, planInOrder, planRoom, roomsInDoubt } from "./line-plan.ts";
import { StepCard } from "./step-card.tsx";

interface LinesStepProps {
  readonly box: Box;
  readonly onDone: () => void;
}

/** The lines of a new device's rooms; all of it can wait. */
export function LinesStep({ box, onDone }: LinesStepProps) {
  const texts = useTexts(guideTexts).lines;
  const shared = useTexts(elementTexts);
  const { part, reload } = useLoaded(loadLines, "lines");
  const hasFree = part.kind === "ready" && linesOf(part.value).some(isFree);
  return (
    <StepCard title={texts.title} detail={texts.detail}>
      {part.kind === "failed" && <Unread text={shared.failed} onRetry={reload} />}
      {part.kind === "ready" && !hasFree && <Nothing title={texts.noLines} detail={texts.noLinesDetail} />}
      {part.kind === "ready" && hasFree && <LinesForm box={box} board={part.value} onDone={onDone} />}
      {!hasFree && (
        <div class="actions">
          <Button onPress={onDone}>{texts.skip}</Button>
        </div>
      )}
    </StepCard>
  );
}

interface LinesFormProps extends LinesStepProps {
  readonly board: LineBoard;
}

function LinesForm({ box, board, onDone }: LinesFormProps) {
  const guide = useTexts(guideTexts);
  const texts = guide.lines;
  const { api, status, format } = useVisit();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [plan, setPlan] = useState<LinePlan>(new Map());
  const [price, setPrice] = useState("");
  const [wasSent, setSent] = useState(false);
  const [wired, setWired] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<string | null>(null);
  const free = linesOf(board).filter(isFree);
  const doubtful = roomsInDoubt(plan);
  const valor = priceOf(price);
  const currency = readyValue(status)?.currency.code ?? "";

  const submit = async () => {
    setSent(true);
    if (valor === undefined || doubtful.size > 0) return look();
    for (const [room, address] of plan) {
      if (wired.has(room)) continue;
      const line = free.find((candidate) => candidate.address === address);
      if (line === undefined) continue;
      const wiring = {
        line: wiringName(board, line),
        dId: box.dId,
        room,
        valor,
        activeLow: false,
        bias: "as-is",
        debounceMs: DEFAULT_DEBOUNCE_MS,
        rearmMs: DEFAULT_REARM_MS,
      } as const;
      if (!(await send(() => wire(api, wiring)))) {
        setRefused(room);
        return look();
      }
      setWired((before) => new Set(before).add(room));
    }
    onDone();
  };

  const mistakeFor = (room: string) => {
    if (doubtful.has(room)) return texts.twice;
    return room === refused ? texts.refused : undefined;
  };
  return (
    <Form form={form} onSubmit={submit}>
      <div class="fields">
        <TextField
          label={texts.price}
          value={price}
          inputMode="decimal"
          onValue={setPrice}
          isRequired
          hint={texts.priceHint(currency)}
          mistake={wasSent && valor === undefined ? texts.badPrice : undefined}
        />
      </div>
      <div class="actions">
        <Button onPress={() => setPlan(planInOrder(box.rooms, free))}>{texts.inOrder}</Button>
        {plan.size > 0 && wired.size === 0 && (
          <Button kind="quiet" onPress={() => setPlan(new Map())}>
            {texts.clear}
          </Button>
        )}
      </div>
      <div class="fields guide-lines">
        {box.rooms.map((room) => (
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
      <FormFailure failure={failure} />
      <div class="actions">
        <Button kind="main" type="submit" isBusy={isBusy} isDisabled={plan.size === 0}>
          {isBusy
            ? guide.busy
            : plan.size === 0
              ? texts.connectNone
              : texts.connect(plan.size, format.count(plan.size))}
        </Button>
        <Button onPress={onDone}>{texts.skip}</Button>
      </div>
    </Form>
  );
}
