import type { Card, Disk } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { StateCard } from "./state-card.tsx";

/** A disk with less free of it, or less in bytes, deserves a look. */
const LOW_SHARE = 0.1;
const LOW_BYTES = 500_000_000;
const WORN_PERCENT = 90;
const BEYOND_PERCENT = 100;

/** Room on the disk, and how worn the card is. */
export function DiskCard({ disk }: { readonly disk: Disk | null }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  if (disk === null) return <StateCard title={texts.disk} answer={texts.diskUnknown} />;
  const { freeBytes, totalBytes, ledgerBytes, logBytes, card } = disk;
  const isLow = freeBytes < LOW_BYTES || freeBytes < totalBytes * LOW_SHARE;
  const isWorn =
    card !== null && ((card.lifeUsedPercent ?? 0) >= WORN_PERCENT || card.spareBlocks === "urgent");
  return (
    <StateCard
      title={texts.disk}
      answer={texts.diskFree(format.bytes(freeBytes))}
      kind={isLow || isWorn ? "warn" : "well"}
    >
      <div class="state-meter" aria-hidden="true">
        <div
          class="state-meter-fill"
          style={{ width: `${((totalBytes - freeBytes) / totalBytes) * 100}%` }}
        />
      </div>
      <p>
        {texts.diskOf(format.bytes(totalBytes))} {texts.diskLedger(format.bytes(ledgerBytes + logBytes))}
      </p>
      {card !== null && <p>{cardText(card, texts, format.percent)}</p>}
    </StateCard>
  );
}

function cardText(card: Card, texts: typeof stateTexts.es, percent: (share: number) => string): string {
  const { lifeUsedPercent, spareBlocks } = card;
  const parts: string[] = [];
  if (lifeUsedPercent !== null) {
    parts.push(
      lifeUsedPercent > BEYOND_PERCENT ? texts.cardBeyond : texts.cardUsed(percent(lifeUsedPercent / 100)),
    );
  }
  if (spareBlocks === "normal" || spareBlocks === "warning" || spareBlocks === "urgent") {
    parts.push(texts.cardSpare[spareBlocks]);
  }
  return parts.length === 0 ? texts.cardUnknown : `${texts.card}: ${parts.join(". ")}.`;
}
