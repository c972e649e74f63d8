import { useState } from "preact/hooks";
import { type Box, loadPlaces, type Place, type Places } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import { BoxForm } from "./box-form.tsx";
import { placesInOrder } from "./order.ts";
import { PlaceCard } from "./place-card.tsx";
import { PlaceForm } from "./place-form.tsx";
import { RemoveBox, RemovePlace } from "./remove.tsx";

/** What is being done: one dialog at a time. */
export type PlaceWork =
  | { readonly kind: "add_place" }
  | { readonly kind: "change_place"; readonly place: Place }
  | { readonly kind: "remove_place"; readonly place: Place; readonly boxes: number }
  | { readonly kind: "add_box"; readonly place: Place }
  | { readonly kind: "change_box"; readonly box: Box }
  | { readonly kind: "remove_box"; readonly box: Box };

/** Locations with their devices: made, named and taken away here. */
export function PlacesView() {
  const texts = useTexts(placesTexts);
  const { compare } = useFormat();
  const { part, reload } = useLoaded(loadPlaces, "", ["places"]);
  const [work, setWork] = useState<PlaceWork | null>(null);
  const [done, setDone] = useState("");
  const known = readyValue(part);
  const finish = (text: string) => {
    setWork(null);
    setDone(text);
    reload();
  };
  const begin = (next: PlaceWork) => {
    setDone("");
    setWork(next);
  };
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <Button kind="main" icon="plus" onPress={() => begin({ kind: "add_place" })}>
          {texts.addPlace}
        </Button>
      }
    >
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      {part.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reload} />
        </section>
      )}
      {known !== undefined && <PlaceList places={known} compare={compare} onWork={begin} />}
      {work !== null && known !== undefined && (
        <Work work={work} places={known} onDone={finish} onClose={() => setWork(null)} />
      )}
    </ViewFrame>
  );
}

interface PlaceListProps {
  readonly places: Places;
  readonly compare: (one: string, other: string) => number;
  readonly onWork: (work: PlaceWork) => void;
}

function PlaceList({ places, compare, onWork }: PlaceListProps) {
  const texts = useTexts(placesTexts);
  const { groups, elsewhere } = placesInOrder(places, compare);
  if (groups.length === 0 && elsewhere.length === 0) {
    return (
      <section class="panel">
        <Nothing title={texts.none} detail={texts.noneDetail}>
          <Button kind="main" icon="plus" onPress={() => onWork({ kind: "add_place" })}>
            {texts.addPlace}
          </Button>
        </Nothing>
      </section>
    );
  }
  return (
    <>
      {groups.map(({ place, boxes }) => (
        <PlaceCard key={place.id} place={place} boxes={boxes} onWork={onWork} />
      ))}
      {elsewhere.length > 0 && <PlaceCard place={null} boxes={elsewhere} onWork={onWork} />}
    </>
  );
}

interface WorkProps {
  readonly work: PlaceWork;
  readonly places: Places;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

function Work({ work, places, onDone, onClose }: WorkProps) {
  const all = places.places;
  switch (work.kind) {
    case "add_place":
      return <PlaceForm place={null} onDone={onDone} onClose={onClose} />;
    case "change_place":
      return <PlaceForm place={work.place} onDone={onDone} onClose={onClose} />;
    case "remove_place":
      return <RemovePlace place={work.place} boxes={work.boxes} onDone={onDone} onClose={onClose} />;
    case "add_box":
      return <BoxForm box={null} at={work.place} places={all} onDone={onDone} onClose={onClose} />;
    case "change_box":
      return <BoxForm box={work.box} at={null} places={all} onDone={onDone} onClose={onClose} />;
    case "remove_box":
      return <RemoveBox box={work.box} onDone={onDone} onClose={onClose} />;
  }
}
