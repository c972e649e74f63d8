import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { installMissing } from "../../scripts/guest/debian.ts";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

let launched: Promise<Browser> | undefined;

/** One browser for all suites of a run: whatever is opened in it has a context of its own. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: chromiumProgram(),
    args: [
      // As where the clinic's browsers trust the gateway's certificate: without that none keeps the page's files.
      "--ignore-certificate-errors",
      // Debian's Chromium has no sandbox for root, which is who runs it in a container.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
  return launched;
}

after(async () => {
  await (await launched)?.close();
});

/** The browser that CHROMIUM names, or Debian's, which is installed where it is missing. */
export function chromiumProgram(): string {
  const named = process.env["CHROMIUM"];
  if (named !== undefined) return named;
  if (!existsSync(DEBIAN_CHROMIUM)) installMissing(["chromium"]);
  return DEBIAN_CHROMIUM;
}
