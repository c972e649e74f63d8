import { type Browser, chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumProgram } from "../../scripts/chromium.ts";

let launched: Promise<Browser> | undefined;

/** One browser for all suites of a run: whatever is opened in it has a context of its own. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: chromiumProgram(),
    args: [
      // As where the clinic's browsers trust the gateway's certificate: without that none keeps the page's files.
      "--ignore-certificate-errors",
      ...CHROMIUM_ARGUMENTS,
    ],
  });
  return launched;
}

after(async () => {
  await (await launched)?.close();
});
