import type { Status } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { StateCard } from "./state-card.tsx";

/** Whether the gateway knows the time, and what stands under one that is not certain. */
export function ClockCard({ status: { clock, timeZone, provisional } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  const { waiting, unplaced } = provisional;
  return (
    <StateCard
      title={texts.clock}
      answer={clock.isTrusted ? texts.clockTrusted : texts.clockUntrusted}
      kind={clock.isTrusted ? "well" : "bad"}
    >
      {!clock.isTrusted && <p>{texts.clockUntrustedDetail}</p>}
      {clock.trustedSinceMs !== null && (
        <p>{texts.clockTrustedSince(format.dateTime(clock.trustedSinceMs))}</p>
      )}
      {waiting > 0 && <p>{texts.clockWaiting(format.count(waiting), waiting === 1)}</p>}
      {unplaced > 0 && <p>{texts.clockUnplaced(format.count(unplaced), unplaced === 1)}</p>}
      <p>
        {format.dateTime(clock.timeMs)} · {texts.clockZone(timeZone)}
      </p>
    </StateCard>
  );
}
