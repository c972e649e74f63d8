import { useCallback, useState } from "preact/hooks";
import { type LineBoard, loadLines } from "../api/line.ts";
import { type Box, loadPlaces } from "../api/place.ts";
import { loadWirings, type Wiring } from "../api/wiring.ts";
import { useNews } from "../frame/visit.ts";
import type { Part } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { addressOfRoom } from "./board.ts";

export interface Board {
  readonly lines: LineBoard;
  readonly boxes: readonly Box[];
  readonly wirings: readonly Wiring[];
}

export interface LiveBoard {
  readonly part: Part<Board>;
  /** Address to level, for lines that moved since they were fetched. */
  readonly levels: ReadonlyMap<string, boolean>;
  /** Notes a level that is known by other means. */
  readonly note: (address: string, level: boolean) => void;
  readonly reload: () => void;
}

/** Every line with its room and its level, kept current as rooms are switched. `onMove` hears each switching. */
export function useBoard(onMove: (address: string, level: boolean, timeMs: number) => void): LiveBoard {
  const { part, reload } = useLoaded<Board>(
    async (api) => {
      const [lines, places, wirings] = await Promise.all([loadLines(api), loadPlaces(api), loadWirings(api)]);
      return { lines, boxes: places.boxes, wirings };
    },
    "",
    ["places"],
  );
  const [levels, setLevels] = useState<ReadonlyMap<string, boolean>>(new Map());
  const note = useCallback(
    (address: string, level: boolean) => setLevels((before) => new Map(before).set(address, level)),
    [],
  );
  useNews((event) => {
    // All is fetched anew, and nothing that was noted before is sure: a line may be another room by now.
    if (event.kind === "behind" || event.kind === "places") setLevels(new Map());
    if (event.kind !== "actuator" || part.kind !== "ready") return;
    const { deviceId, room, on, timeMs } = event.change;
    const address = addressOfRoom(part.value.lines, part.value.boxes, deviceId, room);
    if (address === undefined) return;
    note(address, on);
    onMove(address, on, timeMs);
  });
  const reloadAll = () => {
    setLevels(new Map());
    reload();
  };
  return { part, levels, note, reload: reloadAll };
}
