import { installFor } from "./debian.ts";

/** Debian's Chromium has no sandbox for root, which is the user in a container. */
export const CHROMIUM_ARGUMENTS: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** The browser that CHROMIUM names, or Debian's, which is installed where it is missing. Throws ScriptFailure. */
export function chromiumProgram(): string {
  const named = process.env["CHROMIUM"];
  if (named !== undefined) return named;
  installFor("chromium");
  return "/usr/bin/chromium";
}
