import type { Status } from "../api/shapes.ts";
import { useGateway } from "./gateway.ts";
import { readyValue } from "./loading.ts";
import { useMinute } from "./use-loaded.ts";

/** The lines under test. A test that ends by itself leaves within a minute. */
export function useTests(): Status["tests"] {
  const { status, now } = useGateway();
  useMinute();
  return (readyValue(status)?.tests ?? []).filter(({ untilTime }) => untilTime > now());
}
