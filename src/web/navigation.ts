import { useEffect, useState } from "preact/hooks";
import { type Route, routeOf } from "./route.ts";

/** The route of the address bar, and a way to another one that leaves the old one out of the history. */
export function useRoute(): { readonly route: Route; readonly replace: (path: string) => void } {
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
  const replace = (path: string) => {
    history.replaceState(null, "", path);
    setRoute(currentRoute());
  };
  return { route, replace };
}

function currentRoute(): Route {
  return routeOf(location.pathname, location.hash);
}
