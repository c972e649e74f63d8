import type { Letterhead } from "../api/shapes.ts";
import { Qr } from "../element/qr.tsx";

/** What stands at the head of a sheet; nothing where nothing is set. */
export function LetterheadBlock({
  letterhead: { company, taxNumber, address, logo },
}: {
  readonly letterhead: Letterhead;
}) {
  const sender = [company, taxNumber, address].filter((text) => text !== "");
  if (sender.length === 0 && logo === "") return null;
  return (
    <div class="letterhead beside">
      {logo !== "" && <img class="letterhead-logo" src={logo} alt={company} />}
      <address class="lines">
        {sender.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </address>
    </div>
  );
}

/** A name and what stands under it. */
export type Figure = readonly [name: string, value: string];

/** The figures of a sheet; the main one is the largest. */
export function Figures({ figures, main }: { readonly figures: readonly Figure[]; readonly main: string }) {
  return (
    <dl class="report-figures row">
      {figures.map(([name, value]) => (
        <div key={name} class={name === main ? "report-main" : undefined}>
          <dt class="fine">{name}</dt>
          <dd style={{ "--characters": value.length }}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SealProps {
  /** Of the ledger, in hexadecimal. */
  readonly hash: string;
  readonly texts: { readonly seal: string; readonly sealed: string };
}

/** The fingerprint by which a sheet can be checked later. */
export function Seal({ hash, texts }: SealProps) {
  return (
    <div class="report-seal beside fine">
      <Qr text={`flanco verify --head ${hash}`} label={texts.seal} />
      <p>
        {texts.sealed} <code>{hash}</code>
      </p>
    </div>
  );
}
