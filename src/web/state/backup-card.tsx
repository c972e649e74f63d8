import type { Backup } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { ageText } from "./age.ts";
import { StateCard } from "./state-card.tsx";

const OLD_MS = 2 * 86_400_000;

/** The newest backup, how old it is, and that it was restored to prove it. */
export function BackupCard({ backup }: { readonly backup: Backup | null }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  if (backup === null) {
    return (
      <StateCard title={texts.backup} answer={texts.backupNone} kind="warn">
        <p>{texts.backupNoneDetail}</p>
      </StateCard>
    );
  }
  const { ageMs, provedTimeMs } = backup;
  return (
    <StateCard
      title={texts.backup}
      answer={ageMs === null ? texts.backupAgeUnknown : texts.backupAge(ageText(ageMs, texts, format))}
      kind={ageMs === null || ageMs > OLD_MS ? "warn" : "well"}
    >
      <p>{texts.backupProved(format.dateTime(provedTimeMs))}</p>
    </StateCard>
  );
}
