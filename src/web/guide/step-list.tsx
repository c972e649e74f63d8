import { Icon } from "../element/icon.tsx";
import { useFormat } from "../frame/visit.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";

export type Step = "place" | "box" | "lines" | "done";

const STEPS: readonly Step[] = ["place", "box", "lines", "done"];

/** Where one is among the steps. */
export function StepList({ step }: { readonly step: Step }) {
  const texts = useTexts(guideTexts);
  const { count } = useFormat();
  const current = STEPS.indexOf(step);
  return (
    <ol class="steps">
      {STEPS.map((each, index) => {
        const isDone = index < current || step === "done";
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
