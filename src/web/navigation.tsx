import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { addressOf, type QueryValues, type Route, routeOf, type View } from "./route.ts";

interface LinkProps {
  readonly to: View;
  readonly query?: QueryValues;
  readonly class?: string;
  /** Where it leads is what is shown. */
  readonly isCurrent?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link to another view. A real one: it opens in a new tab, and can be copied. */
export function Link({ to, query, class: style, isCurrent = false, label, children }: LinkProps) {
  const { go } = useNavigation();
  return (
    <a
      href={addressOf(to, query)}
      class={style}
      aria-current={isCurrent ? "page" : undefined}
      aria-label={label}
      onClick={(event) => {
        const isPlain =
          event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
        if (!isPlain) return;
        event.preventDefault();
        go(to, query);
      }}
    >
      {children}
    </a>
  );
}

/** The address bar as the page uses it. */
interface Navigation {
  readonly route: Route;
  /** Goes to a view; the browser's way back leads here. */
  readonly go: (view: View, query?: QueryValues) => void;
  /** Puts an address in the place of this one: for filters, which the way back should not undo one by one. */
  readonly replace: (view: View, query?: QueryValues) => void;
  /** Goes back, to what was in sight, where `go` led here; else puts a view's address in the place of this one. */
  readonly leave: (view: View, query?: QueryValues) => void;
}

const NavigationContext = createContext<Navigation | null>(null);
export const NavigationProvider = NavigationContext.Provider;

export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (navigation === null) throw new Error("no NavigationProvider around this component");
  return navigation;
}

export function useQuery(): URLSearchParams {
  const { route } = useNavigation();
  return useMemo(() => ("query" in route ? route.query : new URLSearchParams()), [route]);
}

/** The state of an entry of the browser's history, as `go` makes it: the page's own entry is before it. */
const CAME_BY_GO = "go";

/** The page's one navigation: follows the address bar. */
export function useAddressBar(): Navigation {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const follow = () => setRoute(currentRoute());
    addEventListener("popstate", follow);
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener("hashchange", follow);
    };
  }, []);
  return useMemo(() => {
    const replace = (view: View, query?: QueryValues) => {
      history.replaceState(history.state, "", addressOf(view, query));
      setRoute(currentRoute());
    };
    return {
      route,
      go: (view: View, query?: QueryValues) => {
        history.pushState(CAME_BY_GO, "", addressOf(view, query));
        setRoute(currentRoute());
        scrollTo(0, 0);
      },
      replace,
      leave: (view: View, query?: QueryValues) =>
        history.state === CAME_BY_GO ? history.back() : replace(view, query),
    };
  }, [route]);
}

export function currentRoute(): Route {
  return routeOf(location.pathname, location.search, location.hash);
}
