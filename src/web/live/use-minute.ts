import { useEffect, useState } from "preact/hooks";

const MINUTE_MS = 60_000;

/** Renders the component anew every minute, for what goes by the clock: a day that ends, "5 min ago". */
export function useMinute(): void {
  const [, setMinute] = useState(0);
  useEffect(() => {
    const round = setInterval(() => setMinute((minute) => minute + 1), MINUTE_MS);
    return () => clearInterval(round);
  }, []);
}
