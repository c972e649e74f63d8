import { type Box, type Place, removeBox, removePlace } from "../api/place.ts";
import { Confirm } from "../element/confirm.tsx";
import { useFormat, useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import { briefRooms } from "./rooms.ts";

interface RemovePlaceProps {
  readonly place: Place;
  /** How many devices are there. */
  readonly boxes: number;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** Asks before a location is deleted, and says what that means. */
export function RemovePlace({ place, boxes, onDone, onClose }: RemovePlaceProps) {
  const texts = useTexts(placesTexts);
  const { api } = useVisit();
  const { count } = useFormat();
  const { isBusy, failure, send } = useSending();
  const remove = async () => {
    if (await send(() => removePlace(api, place.id))) onDone(texts.removed(place.name));
  };
  return (
    <Confirm
      title={texts.removePlaceTitle(place.name)}
      action={isBusy ? texts.removing : texts.removeOf(place.name)}
      isBusy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <ul>
        <li>{texts.removePlaceKept}</li>
        {boxes > 0 && <li>{texts.removePlaceBoxes(count(boxes), boxes === 1)}</li>}
        <li>{texts.removeForGood}</li>
      </ul>
    </Confirm>
  );
}

interface RemoveBoxProps {
  readonly box: Box;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** Asks before a device is deleted, and says what that means. */
export function RemoveBox({ box, onDone, onClose }: RemoveBoxProps) {
  const texts = useTexts(placesTexts);
  const { api } = useVisit();
  const { isBusy, failure, send } = useSending();
  const remove = async () => {
    if (await send(() => removeBox(api, box.dId))) onDone(texts.removed(box.name));
  };
  return (
    <Confirm
      title={texts.removeBoxTitle(box.name)}
      action={isBusy ? texts.removing : texts.removeOf(box.name)}
      isBusy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <ul>
        <li>{texts.removeBoxKept}</li>
        <li>{texts.removeBoxStops}</li>
        <li>{texts.removeBoxRooms(briefRooms(box.rooms))}</li>
        <li>{texts.removeForGood}</li>
      </ul>
    </Confirm>
  );
}
