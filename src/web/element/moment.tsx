import { useGateway } from "../live/gateway.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";

interface MomentProps {
  /** Unix milliseconds. */
  readonly timeMs: number;
  /** The time is not trusted: it is said. */
  readonly isProvisional?: boolean;
}

/** When something was: the time, with its day unless that is today. */
export function Moment({ timeMs, isProvisional = false }: MomentProps) {
  const { provisional } = useTexts(elementTexts);
  const { format, now } = useGateway();
  return (
    <span>
      <time dateTime={format.iso(timeMs)}>{format.moment(timeMs, now())}</time>
      {isProvisional && <span class="soft"> · {provisional}</span>}
    </span>
  );
}
