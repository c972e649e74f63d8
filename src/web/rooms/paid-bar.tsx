import { useState } from "preact/hooks";
import { useGateway } from "../live/gateway.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/use-language.ts";
import type { PaidStay } from "./rooms.ts";

/** Until when a room is paid, and a bar that runs down. The style alone moves it, and hides all of it at the end. */
export function PaidBar({ paid }: { readonly paid: PaidStay }) {
  const { format, now } = useGateway();
  // Once: a running animation would take a later delay as a jump.
  const [gone] = useState(() => now() - paid.from);
  const text = usePaidText();
  return (
    <span class="tile-paid" style={{ "--paid": `${paid.until - paid.from}ms`, "--gone": `${-gone}ms` }}>
      <span class="tile-bar" aria-hidden="true" />
      <time dateTime={format.iso(paid.until)}>{text(paid)}</time>
    </span>
  );
}

/** Says until when a room is paid, where that is not certain too. */
export function usePaidText(): (paid: Pick<PaidStay, "until" | "doubtful">) => string {
  const texts = useTexts(roomsTexts);
  const { format, now } = useGateway();
  return ({ until, doubtful }) =>
    (doubtful ? texts.paidPerhaps : texts.paidUntil)(format.moment(until, now()));
}
