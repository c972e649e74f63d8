import type { Setup } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useGatewayStatus } from "../live/gateway.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { useTexts } from "../messages/use-language.ts";

/** What is needed to bring the clinic back from the remote place, but for that login's own password. */
export interface Recovery {
  readonly passphrase: string;
  readonly values: Setup["values"];
}

interface RemoteSheetProps {
  readonly recovery: Recovery;
  readonly onDone: () => void;
}

/** The sheet that brings the clinic back: on the screen once, and on paper. */
export function RemoteSheet({ recovery: { passphrase, values }, onDone }: RemoteSheetProps) {
  const { sheet, labels } = useTexts(sinkTexts);
  const { dateTime } = useFormat();
  const { value: status } = useGatewayStatus();
  const { self } = useGateway();
  const shown = ["remote_address", "remote_login", "remote_host_key"].flatMap((key) => {
    const value = String(values[key] ?? "");
    return value === "" ? [] : [[labels[key] ?? key, value] as const];
  });
  return (
    <ViewFrame
      title={sheet.title}
      actions={
        <>
          <Button kind="quiet" onPress={onDone}>
            {sheet.done}
          </Button>
          <Button kind="main" icon="print" onPress={() => print()}>
            {sheet.print}
          </Button>
        </>
      }
    >
      <article class="panel stack">
        <p class="strong unprinted">{sheet.once}</p>
        <dl class="recovery">
          {status !== undefined && (
            <>
              <dt>{sheet.gateway}</dt>
              <dd>
                {status.gateway.name}, {dateTime(status.clock.nowMs)}, {self.name}
              </dd>
            </>
          )}
          {shown.map(([label, value]) => [
            <dt key={label}>{label}</dt>,
            <dd key={value} class="words">
              {value}
            </dd>,
          ])}
          <dt>{sheet.passphrase}</dt>
          <dd>
            <code class="big words">{passphrase}</code>
          </dd>
          <dt>{labels["remote_password"]}</dt>
          <dd>{sheet.byHand}</dd>
        </dl>
        <h2>{sheet.howTitle}</h2>
        <ol class="prose">
          {sheet.how.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p>{sheet.keep}</p>
      </article>
    </ViewFrame>
  );
}
