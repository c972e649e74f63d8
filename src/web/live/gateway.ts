import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Api, statusOf, UNREACHABLE } from "../api/api.ts";
import type { Self, SiteStatus, Status } from "../api/shapes.ts";
import { createFormat, type Format } from "../format/format.ts";
import { useLanguage } from "../messages/use-language.ts";
import { LiveConnection, type LiveState } from "./connection.ts";
import { LiveEvents, type LiveListener } from "./events.ts";
import { Freshness, type Part, Refresher, ready } from "./loading.ts";

/** The gateway as every view behind the session shares it, from sign-in to sign-out. */
interface Gateway {
  readonly self: Self;
  /** To call when the user has changed itself. */
  readonly onSelf: (self: Self) => void;
  readonly api: Api;
  readonly events: LiveEvents;
  readonly live: LiveState;
  /** When the stream was last heard: Unix milliseconds by the gateway's clock. */
  readonly heardMs: () => number;
  readonly status: Part<SiteStatus>;
  /** Asks for the status again. */
  readonly reloadStatus: () => void;
  /** Unix milliseconds by the gateway's clock: a tablet's own may be years off. */
  readonly now: () => number;
  /** By the page's locale, and the time zone and currency of the gateway. */
  readonly format: Format;
}

const GatewayContext = createContext<Gateway | null>(null);
export const GatewayProvider = GatewayContext.Provider;

export function useGateway(): Gateway {
  const gateway = useContext(GatewayContext);
  if (gateway === null) throw new Error("no GatewayProvider around this component");
  return gateway;
}

/** The gateway's own status, for the views of a gateway. */
export function useGatewayStatus(): Part<Status> {
  const { status } = useGateway();
  if (status.kind !== "ready") return status;
  return "driver" in status.value ? ready(status.value) : { kind: "failed" };
}

export function useFormat(): Format {
  return useGateway().format;
}

/** Tells `listener` every live event while the component is there. */
export function useLiveEvents(listener: LiveListener): void {
  const { events } = useGateway();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => events.listen((event) => latest.current(event)), [events]);
}

const REST_MS = 250;
/** How often the gateway's status is asked for when nothing happens. */
const ROUND_MS = 60_000;

/** Events that change what the status tells. */
const STATUS_EVENTS: readonly string[] = ["locations", "gap", "tests"];

/**
 * Opens the one live connection of all views, and keeps the gateway's status. `onEnded`: the session is over. Nothing is asked
 * for while it `hasEnded`; after that all is fetched again.
 */
export function useGatewayConnection(
  self: Self,
  hasEnded: boolean,
  onSelf: (self: Self) => void,
  onEnded: () => void,
): Gateway {
  const { locale } = useLanguage();
  const [live, setLive] = useState<LiveState>("connecting");
  const [status, setStatus] = useState<Part<SiteStatus>>({ kind: "waiting" });
  const { serves } = self;
  const own = useMemo(() => connect(serves, setLive, setStatus, onEnded), [serves, onEnded]);

  // Before the first paint: on a slow tablet the requests would otherwise wait for it.
  useLayoutEffect(() => {
    if (hasEnded) {
      // The closed stream does not say so itself; a list of records asks by it what it may lack.
      setLive("lost");
      return undefined;
    }
    own.open();
    const round = setInterval(own.reloadStatus, ROUND_MS);
    return () => {
      clearInterval(round);
      own.close();
    };
  }, [own, hasEnded]);

  const known = status.value;
  const timeZone = known?.timeZone;
  const code = known?.currency.code;
  const decimals = known?.currency.decimals ?? 2;
  const format = useMemo(
    () => createFormat(locale, timeZone, code === undefined ? undefined : { code, decimals }),
    [locale, timeZone, code, decimals],
  );
  return useMemo(
    () => ({ ...own, self, onSelf, live, status, format }),
    [own, self, onSelf, live, status, format],
  );
}

type SetState<T> = (next: T | ((before: T) => T)) => void;

function connect(
  serves: Self["serves"],
  setLive: SetState<LiveState>,
  setStatus: SetState<Part<SiteStatus>>,
  onEnded: () => void,
) {
  // How far the gateway's clock is ahead of this machine's.
  let clockAheadMs = 0;
  const events = new LiveEvents();
  const freshness = new Freshness();
  const onMissed = () => {
    refresher.ask();
    events.tell({ kind: "missed" });
  };
  const api = new Api({
    onEnded,
    onRead: (at) => {
      if (freshness.onRead(at)) onMissed();
      if (at !== null) connection?.onRead(at);
    },
  });
  const refresher = new Refresher(async () => {
    try {
      const data = await api.data("/api/status");
      clockAheadMs = data.clock.nowMs - Date.now();
      setStatus(ready(data));
      if (connection === null) onRound();
    } catch (error) {
      console.warn(error);
      setStatus((before) => (before.kind === "ready" ? before : { kind: "failed" }));
      // A stream may be dead without knowing (a cable pulled). The round of the status finds that out.
      if (statusOf(error) === UNREACHABLE) connection?.renew();
      if (connection === null) setLive("lost");
    }
  }, REST_MS);
  let isFirstRound = true;
  /** A company's page has no stream: what is shown is fetched again in each round. */
  const onRound = () => {
    setLive("live");
    if (!isFirstRound && !document.hidden) events.tell({ kind: "round" });
    isFirstRound = false;
  };
  const connection =
    serves === "company"
      ? null
      : new LiveConnection({
          onState: setLive,
          onEvent: (event) => {
            if (event.kind === "hello") {
              if (freshness.onStream(event.data.at)) onMissed();
              return;
            }
            if (event.kind === "beat") return;
            if (STATUS_EVENTS.includes(event.kind)) refresher.ask();
            events.tell(event);
          },
          onRefused: () => refresher.ask(),
        });
  return {
    api,
    events,
    reloadStatus: () => refresher.ask(),
    now: () => Date.now() + clockAheadMs,
    heardMs: () => (connection?.heardMs ?? Date.now()) + clockAheadMs,
    open: () => {
      api.open();
      refresher.open();
      refresher.ask();
      connection?.open();
    },
    close: () => {
      connection?.close();
      refresher.close();
      api.close();
    },
  };
}
