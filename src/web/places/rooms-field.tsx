import { Segments } from "../element/segments.tsx";
import { TextField } from "../element/text-field.tsx";
import { useFormat } from "../frame/visit.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import { briefRooms, MAX_ROOMS, type RoomsDraft, roomsOf } from "./rooms.ts";

interface RoomsFieldProps {
  readonly draft: RoomsDraft;
  readonly onDraft: (draft: RoomsDraft) => void;
  /** Sending was tried: what is missing is said. */
  readonly wasSent: boolean;
}

/** The rooms of a new device: the first and how many, as they are numbered along a corridor, or a list. */
export function RoomsField({ draft, onDraft, wasSent }: RoomsFieldProps) {
  const texts = useTexts(placesTexts);
  const { count } = useFormat();
  const set = (part: Partial<RoomsDraft>) => onDraft({ ...draft, ...part });
  const list = roomsOf(draft);
  const mistake = mistakeText();
  const isCountWrong = list.kind === "too_many" || (list.kind === "none" && draft.first.trim() !== "");
  return (
    <div class="rooms-field">
      <p class="rooms-legend" aria-hidden="true">
        {texts.roomsLegend}
      </p>
      <Segments
        label={texts.roomsLegend}
        value={draft.way}
        choices={[
          { value: "range", text: texts.byRange },
          { value: "list", text: texts.byList },
        ]}
        onValue={(way) => set({ way: way === "list" ? "list" : "range" })}
      />
      {draft.way === "range" ? (
        <div class="rooms-range">
          <TextField
            label={texts.first}
            value={draft.first}
            onValue={(first) => set({ first })}
            isRequired
            mistake={isCountWrong ? undefined : mistake}
          />
          <TextField
            label={texts.count}
            value={draft.count}
            inputMode="numeric"
            onValue={(next) => set({ count: next })}
            isRequired
            mistake={isCountWrong ? mistake : undefined}
          />
        </div>
      ) : (
        <TextField
          label={texts.list}
          value={draft.list}
          onValue={(next) => set({ list: next })}
          isRequired
          hint={texts.listHint}
          mistake={mistake}
        />
      )}
      <p class="rooms-preview" role="status">
        {list.kind === "rooms" &&
          texts.preview(briefRooms(list.rooms), count(list.rooms.length), list.rooms.length === 1)}
      </p>
    </div>
  );

  /** Too many, twice: at once, for it does not mend itself by typing on. Missing: once it was sent. */
  function mistakeText(): string | undefined {
    const { mistakes } = texts;
    switch (list.kind) {
      case "rooms":
        return undefined;
      case "too_many":
        return draft.way === "range" && list.count > MAX_ROOMS
          ? mistakes.noCount
          : mistakes.manyRooms(count(list.count));
      case "twice":
        return mistakes.twice(list.room);
      case "no_number":
        return mistakes.noNumber;
      case "none":
        if (!wasSent) return undefined;
        return draft.way === "range" && draft.first.trim() !== "" ? mistakes.noCount : mistakes.noRooms;
    }
  }
}
