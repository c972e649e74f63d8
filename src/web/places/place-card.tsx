import { useId } from "preact/hooks";
import type { Box, Place } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { useFormat } from "../frame/visit.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import type { PlaceWork } from "./places-view.tsx";
import { briefRooms } from "./rooms.ts";

interface PlaceCardProps {
  /** Null for the devices of no known location. */
  readonly place: Place | null;
  readonly boxes: readonly Box[];
  readonly onWork: (work: PlaceWork) => void;
}

/** One location with its devices. */
export function PlaceCard({ place, boxes, onWork }: PlaceCardProps) {
  const texts = useTexts(placesTexts);
  const id = useId();
  return (
    <section class="panel place" aria-labelledby={id}>
      <header class="place-head">
        <div class="place-name">
          <h2 id={id}>{place?.name ?? texts.elsewhere}</h2>
          {place?.description !== "" && <p class="soft">{place?.description ?? texts.elsewhereDetail}</p>}
        </div>
        {place !== null && (
          <div class="place-actions">
            <Button
              kind="quiet"
              icon="edit"
              label={texts.changeOf(place.name)}
              onPress={() => onWork({ kind: "change_place", place })}
            />
            <Button
              kind="quiet"
              icon="remove"
              label={texts.removeOf(place.name)}
              onPress={() => onWork({ kind: "remove_place", place, boxes: boxes.length })}
            />
          </div>
        )}
      </header>
      {boxes.length === 0 ? (
        <p class="place-empty">{texts.noBoxes}</p>
      ) : (
        <ul class="boxes">
          {boxes.map((box) => (
            <BoxRow key={box.id} box={box} onWork={onWork} />
          ))}
        </ul>
      )}
      {place !== null && (
        <Button
          icon="plus"
          label={texts.addBoxAt(place.name)}
          onPress={() => onWork({ kind: "add_box", place })}
        >
          {texts.addBox}
        </Button>
      )}
    </section>
  );
}

function BoxRow({ box, onWork }: { readonly box: Box; readonly onWork: (work: PlaceWork) => void }) {
  const texts = useTexts(placesTexts);
  const { count } = useFormat();
  return (
    <li class="box">
      <div class="box-name">
        <h3>{box.name}</h3>
        <span class="soft">{texts.number(box.dId)}</span>
      </div>
      <p class="box-rooms">
        <span class="soft">{texts.rooms(count(box.rooms.length), box.rooms.length === 1)}</span>
        <span>{briefRooms(box.rooms)}</span>
      </p>
      <div class="place-actions">
        <Button
          kind="quiet"
          icon="edit"
          label={texts.changeOf(box.name)}
          onPress={() => onWork({ kind: "change_box", box })}
        />
        <Button
          kind="quiet"
          icon="remove"
          label={texts.removeOf(box.name)}
          onPress={() => onWork({ kind: "remove_box", box })}
        />
      </div>
    </li>
  );
}
