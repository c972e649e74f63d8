import { Button } from "../element/button.tsx";
import { Icon } from "../element/icon.tsx";
import { Link } from "../element/link.tsx";
import { useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import type { Present } from "./guide-view.tsx";
import { StepCard } from "./step-card.tsx";

interface DoneStepProps {
  readonly present: Present;
  readonly onMore: () => void;
}

/** What there is, and where to go from here. */
export function DoneStep({ present, onMore }: DoneStepProps) {
  const { done: texts } = useTexts(guideTexts);
  const { status, format } = useVisit();
  const rooms = present.boxes.reduce((sum, box) => sum + box.rooms.length, 0);
  const wired = present.wirings.length;
  const unwired = Math.max(0, rooms - wired);
  return (
    <StepCard title={texts.title}>
      <ul class="done-list">
        <li>
          <Icon name="done" />
          {texts.rooms(rooms, format.count(rooms))}
        </li>
        {wired > 0 && (
          <li>
            <Icon name="done" />
            {texts.wired(wired, format.count(wired))}
          </li>
        )}
        {unwired > 0 && (
          <li>
            <Icon name="info" />
            {texts.unwired(unwired, format.count(unwired))}
          </li>
        )}
      </ul>
      {readyValue(status)?.simulated && <p>{texts.simulated}</p>}
      <div class="actions">
        <Link to={addressOf("rooms")} class="button button-main">
          {texts.toRooms}
        </Link>
        <Link to={addressOf("panel")} class="button">
          {texts.toPanel}
        </Link>
        {unwired > 0 && (
          <Link to={addressOf("lines")} class="button">
            {texts.toLines}
          </Link>
        )}
        <Button kind="quiet" icon="plus" onPress={onMore}>
          {texts.more}
        </Button>
      </div>
    </StepCard>
  );
}
