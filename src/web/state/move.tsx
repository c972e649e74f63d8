import { useState } from "preact/hooks";
import type { MoveCodeAnswer } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";

/** Other browsers than the gateway's own reach it over HTTPS alone. */
function address(): string {
  return location.protocol === "https:" ? location.origin : `https://${location.hostname}`;
}

/** For an owner: the code by which a new gateway takes the clinic over. */
export function MovePanel() {
  const texts = useTexts(stateTexts);
  const { api } = useGateway();
  const { time } = useFormat();
  const { isBusy, failure, send } = useSending();
  const [made, setMade] = useState<MoveCodeAnswer["data"] | null>(null);
  const make = () =>
    send(async () => setMade((await api.send<MoveCodeAnswer>("POST", "/api/move/code", {})).data));
  return (
    <section class="panel move" aria-labelledby="state-move">
      <h2 id="state-move">{texts.move}</h2>
      <p>{texts.moveMeans}</p>
      <div class="move-made" role="status">
        {made !== null && (
          <>
            <p>{texts.moveDo}</p>
            <p>
              <code class="move-code">flanco restore {address()}</code>
            </p>
            <p>{texts.moveCode(time(made.endsTime))}</p>
            <p>
              <code class="move-code">{made.code}</code>
            </p>
            <p class="soft">{texts.moveAfter}</p>
          </>
        )}
      </div>
      <FormFailure failure={failure} texts={{ 409: texts.moveShared }} />
      <div class="actions">
        <Button isBusy={isBusy} onPress={() => void make()}>
          {texts.moveMake}
        </Button>
      </div>
    </section>
  );
}
