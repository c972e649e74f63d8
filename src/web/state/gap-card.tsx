import type { Status } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { StateCard } from "./state-card.tsx";

/** The stretches in which signals were lost. */
export function GapCard({ status: { gaps, gapsLast30Days, newestGaps } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  if (gaps === 0) {
    return (
      <StateCard title={texts.gaps} answer={texts.gapsNone}>
        <p>{texts.gapsNoneDetail}</p>
      </StateCard>
    );
  }
  return (
    <StateCard
      title={texts.gaps}
      answer={texts.gapsCount(format.count(gaps), gaps === 1)}
      kind={gapsLast30Days > 0 ? "bad" : "well"}
    >
      <p>
        {gapsLast30Days === 0
          ? texts.gapsOld
          : texts.gapsRecent(format.count(gapsLast30Days), gapsLast30Days === 1)}
      </p>
      <ul class="state-list">
        {newestGaps.map((gap) => (
          <li key={gap.gapId}>
            {texts.gap(
              gap.line,
              format.dateTime(gap.fromTimeMs),
              format.day(gap.fromTimeMs) === format.day(gap.toTimeMs)
                ? format.exactTime(gap.toTimeMs)
                : format.dateTime(gap.toTimeMs),
              gap.missedRises,
            )}
          </li>
        ))}
      </ul>
    </StateCard>
  );
}
