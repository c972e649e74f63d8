import { useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { type Box, loadPlaces, type Places } from "../api/place.ts";
import { loadWirings, type Wiring } from "../api/wiring.ts";
import { Link } from "../element/link.tsx";
import { Unread } from "../element/nothing.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useLoaded } from "../live/use-loaded.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import { BoxStep } from "./box-step.tsx";
import { DoneStep } from "./done-step.tsx";
import { LinesStep } from "./lines-step.tsx";
import { PlaceStep } from "./place-step.tsx";
import { type Step, StepList } from "./step-list.tsx";

/** What is there already. */
export interface Present extends Places {
  readonly wirings: readonly Wiring[];
}

/** From nothing to the first recorded room: a location, a device with its rooms, and its lines. */
export function GuideView() {
  const texts = useTexts(guideTexts);
  const { part, reload } = useLoaded(loadPresent, "guide", ["places"]);
  /** Null: the first step that is still to be done. */
  const [chosen, setChosen] = useState<Step | null>(null);
  const [dId, setDId] = useState<string | null>(null);
  const present = part.kind === "ready" ? part.value : null;
  const step = present === null ? null : (chosen ?? firstStep(present));
  const box = present?.boxes.find((candidate) => candidate.dId === dId);

  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        step !== "done" && (
          <Link to={addressOf("panel")} class="button button-quiet">
            {texts.later}
          </Link>
        )
      }
    >
      {part.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reload} />
        </section>
      )}
      {present !== null && step !== null && (
        <div class="guide">
          <StepList step={step} />
          {step === "place" && <PlaceStep onDone={() => leave("box")} />}
          {step === "box" && present.places.length > 0 && (
            <BoxStep
              present={present}
              onDone={(made) => {
                setDId(made);
                leave("lines");
              }}
            />
          )}
          {step === "lines" && box !== undefined && <LinesStep box={box} onDone={() => leave("done")} />}
          {step === "done" && <DoneStep present={present} onMore={() => leave("box")} />}
        </div>
      )}
    </ViewFrame>
  );

  function leave(next: Step): void {
    setChosen(next);
    reload();
  }
}

async function loadPresent(api: Api): Promise<Present> {
  const [places, wirings] = await Promise.all([loadPlaces(api), loadWirings(api)]);
  return { ...places, wirings };
}

function firstStep({
  places,
  boxes,
}: {
  readonly places: Present["places"];
  readonly boxes: readonly Box[];
}): Step {
  if (boxes.length > 0) return "done";
  return places.length > 0 ? "box" : "place";
}
