import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Api, CONFLICT, UNAVAILABLE } from "../api/api.ts";
import { type Locations, loadLocations, roomsOf } from "../api/locations.ts";
import type { Data, Device } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Form, FormFailure, useForm, useSending } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { Nothing, NotReady, NotReadyPanel, Panel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { isFree, linesOf, wiringName } from "../lines/board.ts";
import { priceOf } from "../lines/price.ts";
import { isPriceReady, PriceField } from "../lines/prices.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData, useLoaded } from "../live/use-loaded.ts";
import { DeviceForm, LocationForm } from "../locations/forms.tsx";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";

interface GuideData extends Locations {
  readonly rooms: Data<"/api/room">;
}

/** From nothing to the first recorded room: a location, a device with its rooms, and its lines. */
export function GuideView() {
  const texts = useTexts(guideTexts);
  const { api } = useGateway();
  const loaded = useLoaded(loadPresent, "", ["locations"]);
  /** Null: the first step that is still to be done. */
  const [chosen, setChosen] = useState<Step | null>(null);
  const [dId, setDId] = useState<string | null>(null);
  const present = loaded.value ?? null;
  const step = present === null ? null : (chosen ?? firstStep(present));
  const device = present?.devices.find((candidate) => candidate.dId === dId);

  return (
    <ViewFrame
      title={texts.title}
      // With the way out, which changes how high the head is: nothing moves once it shows.
      intro={step === null ? undefined : texts.intro}
      actions={
        step !== null &&
        step !== "done" && (
          <Link to="panel" class="button button-quiet">
            {texts.later}
          </Link>
        )
      }
    >
      <NotReadyPanel of={loaded} />
      {present !== null && step !== null && (
        <div class="guide column">
          <StepList
            step={step}
            isWired={present.rooms.every(({ line, withoutLine }) => line !== null || withoutLine)}
          />
          {step === "location" && (
            <StepCard title={texts.location.title} detail={texts.location.detail}>
              <LocationForm location={null} action={texts.next} onDone={() => leave("device")} />
            </StepCard>
          )}
          {step === "device" && present.locations.length > 0 && (
            <StepCard
              title={present.devices.length === 0 ? texts.device.title : texts.device.another}
              detail={texts.device.detail}
            >
              <DeviceForm
                device={null}
                at={present.locations.at(-1)}
                locations={present.locations}
                action={texts.next}
                onDone={(_, made) => {
                  setDId(made);
                  leave("lines");
                }}
              />
            </StepCard>
          )}
          {step === "lines" && device !== undefined && (
            <LinesStep device={device} onDone={() => leave("done")} />
          )}
          {step === "done" && (
            <DoneStep
              rooms={present.rooms}
              onMore={() => leave("device")}
              onLeft={() => leaveUnwired(present)}
            />
          )}
        </div>
      )}
    </ViewFrame>
  );

  async function leaveUnwired({ devices, rooms }: GuideData): Promise<void> {
    for (const { _id, dId: number } of devices) {
      const unwired = rooms.filter(({ deviceId, line }) => deviceId === _id && line === null);
      if (unwired.length === 0) continue;
      const withoutLine = unwired.map(({ room }) => room);
      await api.send("patch", "/api/device", { device: { withoutLine } }, { dId: number });
    }
    loaded.reload();
  }

  function leave(next: Step): void {
    setChosen(next);
    loaded.reload();
  }
}

async function loadPresent(api: Api): Promise<GuideData> {
  const [locations, rooms] = await Promise.all([loadLocations(api), api.data("/api/room")]);
  return { ...locations, rooms };
}

function firstStep({ locations, devices }: Locations): Step {
  if (devices.length > 0) return "done";
  return locations.length > 0 ? "device" : "location";
}

type Step = "location" | "device" | "lines" | "done";

const STEPS: readonly Step[] = ["location", "device", "lines", "done"];

interface StepListProps {
  readonly step: Step;
  /** Every room has its line. */
  readonly isWired: boolean;
}

function StepList({ step, isWired }: StepListProps) {
  const texts = useTexts(guideTexts);
  const { count } = useFormat();
  const current = STEPS.indexOf(step);
  // The lines can wait, and then the guide is not through.
  const done = step !== "done" ? current : isWired ? STEPS.length : STEPS.indexOf("lines");
  return (
    <ol class="steps fields">
      {STEPS.map((each, index) => {
        const isDone = index < done;
        return (
          <li
            key={each}
            class={`step label beside${isDone ? " step-done" : ""}${index === current ? " step-current" : ""}`}
            aria-current={index === current ? "step" : undefined}
          >
            <span class="disc" aria-hidden="true">
              {isDone ? <Icon name="done" /> : count(index + 1)}
            </span>
            <span>
              {texts.steps[each]}
              {isDone && <span class="aloud"> ({texts.stepDone})</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

interface DoneStepProps {
  readonly rooms: Data<"/api/room">;
  readonly onMore: () => void;
  /** Leaves the rooms without a line as they are, on purpose. */
  readonly onLeft: () => Promise<void>;
}

function DoneStep({ rooms: all, onMore, onLeft }: DoneStepProps) {
  const { done: texts } = useTexts(guideTexts);
  const { status, format } = useGateway();
  const { isBusy, failure, send } = useSending();
  const rooms = all.length;
  const wired = all.filter(({ line }) => line !== null).length;
  const left = all.filter(({ line, withoutLine }) => line === null && withoutLine).length;
  const unwired = rooms - wired - left;
  const counts = [
    ["rooms", rooms],
    ["wired", wired],
    ["left", left],
    ["unwired", unwired],
  ] as const;
  return (
    <StepCard title={unwired > 0 ? texts.titleUnwired : texts.title}>
      <ul class="stack">
        {counts.map(
          ([name, count]) =>
            count > 0 && (
              <li key={name} class="beside">
                <Icon name={name === "unwired" ? "info" : "done"} />
                {texts[name](format.count(count))}
              </li>
            ),
        )}
      </ul>
      {status.value?.simulated && <p>{texts.simulated}</p>}
      <div class="actions row">
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

/** One step. */
function StepCard({ title, detail, children }: StepCardProps) {
  return (
    <Panel class="step-card column" title={title} takesFocus="always">
      {detail !== undefined && <p class="soft">{detail}</p>}
      {children}
    </Panel>
  );
}

interface LinesStepProps {
  readonly device: Device;
  readonly onDone: () => void;
}

/** The lines of a new device's rooms, in order: a commissioning finds what is swapped, and mends it. All of it can wait. */
function LinesStep({ device, onDone }: LinesStepProps) {
  const texts = useTexts(guideTexts).lines;
  const { api, format } = useGateway();
  const board = useData("/api/line");
  const form = useForm({ valor: "", isSure: false });
  const { chips } = board.value ?? { chips: [] };
  const free = linesOf({ chips }).filter(isFree);
  const rooms = roomsOf(device).slice(0, free.length);
  const send = () =>
    form.submit(isPriceReady(form.values, []), async () => {
      const valor = priceOf(form.values.valor);
      for (const [index, line] of free.slice(0, rooms.length).entries()) {
        const wiring = {
          line: wiringName({ chips }, line),
          dId: device.dId,
          actuatorId: rooms[index] ?? "",
          valor,
        };
        await api.send("put", "/api/wiring", { wiring });
      }
      onDone();
    });
  const skip = <Button onPress={onDone}>{texts.skip}</Button>;
  return (
    <StepCard title={texts.title} detail={texts.detail}>
      <NotReady of={board} />
      {board.kind === "ready" && rooms.length > 0 ? (
        <Form
          form={form}
          onSubmit={send}
          failures={{ [CONFLICT]: texts.refused, [UNAVAILABLE]: texts.refused }}
          action={texts.connect(format.count(rooms.length))}
          buttons={skip}
        >
          <PriceField form={form} wirings={[]} hint={texts.priceHint} />
        </Form>
      ) : (
        <>
          {board.kind === "ready" && <Nothing title={texts.noLines} detail={texts.noLinesDetail} />}
          <div class="actions row">{skip}</div>
        </>
      )}
    </StepCard>
  );
}
