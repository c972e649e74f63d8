import { DEVICES_PATH } from "./api/device.ts";
import { recordsPath } from "./api/record-page.ts";
import { VERIFY_PATH } from "./api/session.ts";
import { STATUS_PATH } from "./api/status.ts";
import { summaryPath } from "./api/summary.ts";
import { LATEST_SHOWN } from "./panel/latest-panel.tsx";
import { panelFilterOf } from "./panel/panel-filter.ts";
import type { Route } from "./route.ts";

/**
 * What a visit that begins at an address asks for first. Asked for side by side while the page is still being made,
 * it is there when the page is; nothing breaks where this misses something.
 */
export function firstRequestsOf(route: Route): readonly string[] {
  return [VERIFY_PATH, STATUS_PATH, ...requestsOfView(route)];
}

function requestsOfView(route: Route): readonly string[] {
  if (!("query" in route)) return [];
  if (route.view === "rooms") return [DEVICES_PATH];
  if (route.view !== "panel") return [];
  return [summaryPath(panelFilterOf(route.query)), recordsPath("", null, LATEST_SHOWN), DEVICES_PATH];
}
