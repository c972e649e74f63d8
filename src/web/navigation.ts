import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { type Route, routeOf } from "./route.ts";

/** The address bar as the page uses it. Addresses come from `addressOf` of route.ts. */
export interface Navigation {
  readonly route: Route;
  /** Goes to an address; the browser's way back leads here. */
  readonly go: (address: string) => void;
  /** Puts an address in the place of this one: for filters, which the way back should not undo one by one. */
  readonly replace: (address: string) => void;
}

const NavigationContext = createContext<Navigation | null>(null);
export const NavigationProvider = NavigationContext.Provider;

export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (navigation === null) throw new Error("no NavigationProvider around this component");
  return navigation;
}

/** The query of the view's address. */
export function useQuery(): URLSearchParams {
  const { route } = useNavigation();
  return useMemo(() => ("query" in route ? route.query : new URLSearchParams()), [route]);
}

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
  return useMemo(
    () => ({
      route,
      go: (address: string) => {
        history.pushState(null, "", address);
        setRoute(currentRoute());
        scrollTo(0, 0);
      },
      replace: (address: string) => {
        history.replaceState(null, "", address);
        setRoute(currentRoute());
      },
    }),
    [route],
  );
}

/** Where the address bar stands. */
export function currentRoute(): Route {
  return routeOf(location.pathname, location.search, location.hash);
}
