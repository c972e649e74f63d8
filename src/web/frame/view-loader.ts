export type SeldomViews = typeof import("./seldom-views.ts").SELDOM_VIEWS;

/** By then the first view stands, whose figures come first. */
const SOON_MS = 1_000;
let loading: Promise<SeldomViews> | undefined;

/** Loads the views that an opening seldom begins with, once. Rejects where their file cannot be had; then it may be tried again. */
export function loadSeldomViews(): Promise<SeldomViews> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SeldomViews> {
  try {
    return (await import("./seldom-views.ts")).SELDOM_VIEWS;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

/** Loads them before they are asked for. Returns what calls it off. */
export function loadSeldomViewsSoon(): () => void {
  // Whoever needs them asks again, and hears of a failure.
  const timer = setTimeout(() => loadSeldomViews().catch((error) => console.info(error)), SOON_MS);
  return () => clearTimeout(timer);
}
