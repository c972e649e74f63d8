import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { MINUTE_MS } from "../../domain/clock.ts";
import type { Api } from "../api/api.ts";
import type { Data, Device, PathOf, Query, Status } from "../api/shapes.ts";
import type { Day } from "../format/day.ts";
import { switchRoom } from "../rooms/rooms.ts";
import type { LiveEvent } from "./events.ts";
import { useGateway } from "./gateway.ts";
import { type Part, Refresher, ready } from "./loading.ts";

export type LoadedPart<T> = Part<T> & {
  /** True while what is shown belongs to the key before: the answer for this one is still to come. */
  readonly isStale: boolean;
  /** Fetches it again; what is shown stays until the answer is there. */
  readonly reload: () => void;
};

interface KeyedPart<T> {
  readonly key: string;
  readonly part: Part<T>;
}

const REST_MS = 1_000;
const NO_EVENTS: readonly LiveEvent["kind"][] = [];

/**
 * Fetches something for a view and keeps it current: again when `key` changes, when changes may have been missed,
 * and after the live events that are named, at most once a second. A failure of a refresh keeps what is shown.
 * `key` holds everything that `load` depends on. `apply` gives the value after a live event: the same value where the
 * event changes nothing. It must bear an event that the value has already.
 */
export function useLoaded<T>(
  load: (api: Api) => Promise<T>,
  key: string,
  refreshOn: readonly LiveEvent["kind"][] = NO_EVENTS,
  apply: (value: T, event: LiveEvent) => T = unchanged,
): LoadedPart<T> {
  const { api, events } = useGateway();
  const [state, setState] = useState<KeyedPart<T>>({
    key,
    part: { kind: "waiting" },
  });
  const latest = useRef({ load, refreshOn, apply });
  latest.current = { load, refreshOn, apply };
  const refresher = useRef<Refresher | null>(null);

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    let isCurrent = true;
    /** Events since the last fetch began: its answer may be from before or after them. */
    let told: LiveEvent[] = [];
    const own = new Refresher(async () => {
      told = [];
      try {
        const value = await latest.current.load(api);
        if (isCurrent) setState({ key, part: ready(told.reduce(latest.current.apply, value)) });
      } catch (error) {
        console.warn(error);
        if (isCurrent) {
          setState((before) =>
            before.key === key && before.part.kind === "ready" ? before : { key, part: { kind: "failed" } },
          );
        }
      }
    }, REST_MS);
    refresher.current = own;
    own.ask();
    const stop = events.listen((event) => {
      told.push(event);
      setState((before) => afterEvent(before, (value) => latest.current.apply(value, event)));
      if (event.kind === "missed" || event.kind === "round" || latest.current.refreshOn.includes(event.kind))
        own.ask();
    });
    return () => {
      isCurrent = false;
      stop();
      own.close();
    };
  }, [api, events, key]);

  const [reload] = useState(() => () => refresher.current?.hurry());
  return { ...state.part, isStale: state.key !== key, reload };
}

/** Fetches the data of one request, and keeps it current as `useLoaded` does. */
export function useData<Path extends PathOf<"get">>(
  path: Path,
  refreshOn: readonly LiveEvent["kind"][] = NO_EVENTS,
  query?: Query<"get", Path>,
): LoadedPart<Data<Path>> {
  return useLoaded((api) => api.data(path, query), JSON.stringify(query ?? ""), refreshOn);
}

/** The same for what depends on the day: fetched anew once that is over, which no event tells. */
export function useDataOfToday<Path extends PathOf<"get">>(
  path: Path,
  refreshOn: readonly LiveEvent["kind"][],
  query: Query<"get", Path>,
): LoadedPart<Data<Path>> {
  return useLoaded((api) => api.data(path, query), JSON.stringify([query, useToday()]), refreshOn);
}

function unchanged<T>(value: T): T {
  return value;
}

/** The very same state where the value stays the same, so that nothing is drawn again. */
function afterEvent<T>(state: KeyedPart<T>, apply: (value: T) => T): KeyedPart<T> {
  if (state.part.kind !== "ready") return state;
  const value = apply(state.part.value);
  return value === state.part.value ? state : { ...state, part: ready(value) };
}

/** Renders the component again every minute, for what follows the clock: a day that ends, "5 min ago". */
function useMinute(): void {
  const [, setMinute] = useState(0);
  useEffect(() => {
    const round = setInterval(() => setMinute((minute) => minute + 1), MINUTE_MS);
    return () => clearInterval(round);
  }, []);
}

/** The gateway's local day. Midnight tells no event, so what is of today takes it into its key. */
export function useToday(): Day {
  const { format, now } = useGateway();
  useMinute();
  return format.day(now());
}

/** Calls `act` once that day is another. What is shown stays meanwhile, and where what `act` asks for does not come. */
export function useNewDay(act: () => void): void {
  const today = useToday();
  const known = useRef(today);
  useEffect(() => {
    if (known.current !== today) act();
    known.current = today;
  }, [today]);
}

/** The lines under test. A test that ends by itself leaves within a minute. */
export function useTests(): Status["tests"] {
  const { status, now } = useGateway();
  useMinute();
  return (status.value?.tests ?? []).filter(({ untilMs }) => untilMs > now());
}

/** The devices with their rooms, live. */
export function useDevices(): LoadedPart<readonly Device[]> {
  return useLoaded((api) => api.data("/api/device"), "", ["locations"], afterSwitch);
}

function afterSwitch(devices: readonly Device[], event: LiveEvent): readonly Device[] {
  return event.kind === "actuator" ? switchRoom(devices, event.data) : devices;
}
