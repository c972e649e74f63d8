import { useMemo } from "preact/hooks";
import type { Period, SummaryFilter } from "../api/summary.ts";
import { useNavigation, useQuery } from "../navigation.ts";
import { addressOf } from "../route.ts";

export interface PanelFilterControl {
  readonly filter: SummaryFilter;
  readonly setFilter: (filter: SummaryFilter) => void;
}

/** The filter lives in the address, so that it survives a reload and can be passed on. */
export function usePanelFilter(): PanelFilterControl {
  const query = useQuery();
  const { replace } = useNavigation();
  return useMemo(
    () => ({
      filter: panelFilterOf(query),
      setFilter: ({ period, location, device }) =>
        replace(addressOf("panel", { period: period === "week" ? undefined : period, location, device })),
    }),
    [query, replace],
  );
}

/** The filter that the query of the panel's address asks for. */
export function panelFilterOf(query: URLSearchParams): SummaryFilter {
  return {
    period: periodOf(query.get("period")),
    location: query.get("location") ?? undefined,
    device: query.get("device") ?? undefined,
  };
}

export function periodOf(text: string | null): Period {
  return text === "year" ? "year" : "week";
}
