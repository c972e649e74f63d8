import type { Letterhead } from "../api/shapes.ts";

/** What stands at the head of a sheet; nothing where nothing is set. */
export function LetterheadBlock({
  letterhead: { company, taxNumber, address, logo },
}: {
  readonly letterhead: Letterhead;
}) {
  const sender = [company, taxNumber, address].filter((text) => text !== "");
  if (sender.length === 0 && logo === "") return null;
  return (
    <div class="letterhead">
      {logo !== "" && <img class="letterhead-logo" src={logo} alt={company} />}
      <address>
        {sender.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </address>
    </div>
  );
}
