/** The address of worker/warm-up.ts, as it is built. */
declare const WARM_UP_WORKER: string;

/**
 * Makes the browser read its data on languages beside the page's own thread. Its first number format takes a slow
 * tablet a fifth of a second, whichever thread asks for it, and every later one in any thread next to nothing.
 */
export function warmUpLanguage(): void {
  try {
    new Worker(WARM_UP_WORKER, { name: navigator.language });
  } catch (error) {
    // Without it the first amounts come a moment later.
    console.info(error);
  }
}
