import { useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { type Locations, loadLocations } from "../api/locations.ts";
import type { Data } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { FailedPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { DeviceForm, LocationForm } from "../locations/forms.tsx";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { DoneStep, LinesStep, StepCard } from "./steps.tsx";

interface Present extends Locations {
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
      <FailedPanel of={loaded} />
      {present !== null && step !== null && (
        <div class="guide">
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

  async function leaveUnwired({ devices, rooms }: Present): Promise<void> {
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

async function loadPresent(api: Api): Promise<Present> {
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
    <ol class="steps">
      {STEPS.map((each, index) => {
        const isDone = index < done;
        return (
          <li
            key={each}
            class={`step${isDone ? " step-done" : ""}${index === current ? " step-current" : ""}`}
            aria-current={index === current ? "step" : undefined}
          >
            <span class="step-sign" aria-hidden="true">
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
