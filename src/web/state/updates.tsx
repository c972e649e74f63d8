import type { ComponentChildren } from "preact";
import type { Status } from "../api/shapes.ts";
import { Panel } from "../element/notice.tsx";
import { useFormat } from "../live/gateway.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { updateTexts } from "../messages/updates.ts";
import { useTexts } from "../messages/use-language.ts";
import { Part } from "./parts.tsx";

interface UpdatesPanelProps {
  readonly updates: NonNullable<Status["updates"]>;
  /** For who may choose when they come. */
  readonly actions: ComponentChildren;
}

/** Updates that come by themselves: when, and what became of the last. */
export function UpdatesPanel({ updates, actions }: UpdatesPanelProps) {
  const texts = useTexts(updateTexts);
  const sinks = useTexts(sinkTexts);
  const { dateTime } = useFormat();
  const { hours, ranMs, succeededMs, failure } = updates;
  const answer = hours === "" ? texts.never : texts.hours(hours);
  return (
    <Panel title={sinks.names.update}>
      <ul class="lines ruled">
        <Part
          title={texts.byNight}
          answer={
            failure === null ? answer : [texts.failures[failure.reason], failure.version].join(" ").trim()
          }
          kind={hours === "" ? "off" : failure === null ? "well" : "warn"}
          says={[
            failure !== null && answer,
            ranMs === null ? texts.notYet : texts.ran(dateTime(ranMs)),
            failure !== null && succeededMs !== null && texts.succeeded(dateTime(succeededMs)),
            texts.means,
          ]}
          actions={actions}
        >
          {failure !== null && failure.message !== "" && (
            <p>
              {sinks.forTechnician} <span lang="en">{failure.message}</span>
            </p>
          )}
        </Part>
      </ul>
    </Panel>
  );
}
