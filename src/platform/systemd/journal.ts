import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { FlancoError } from "../../domain/error.ts";

/**
 * The newest lines of systemd's journal, in their order, as their programs wrote
 * them. The filters are options of journalctl. Throws `unavailable` where there
 * is no journal or it may not be read, after the lines that could be read.
 */
export async function* journalLines(filters: readonly string[], maxLines: number): AsyncGenerator<string> {
  const options = [...filters, `--lines=${maxLines}`, "--output=cat", "--no-pager", "--quiet"];
  const child = spawn("journalctl", options, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close");
  // Awaited below, after the last line.
  ended.catch(() => {});
  yield* createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  const [exitCode] = await ended.catch((error: unknown) => {
    throw new FlancoError("unavailable", "journalctl cannot be started.", {
      hint: "Without systemd the service writes its log to standard error.",
      cause: error,
    });
  });
  if (exitCode !== 0) {
    throw new FlancoError("unavailable", `journalctl failed: ${said.trim().replace(/\.?$/, ".")}`, {
      hint: "Times are written as 2026-11-21 09:00, yesterday or 3 days ago. Where it may not read, run it as root: sudo flanco logs.",
    });
  }
}
