import { execFile } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { arch, release, tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FlancoError, messageOf } from "../domain/error.ts";
import { OWNER_ONLY } from "../platform/durable-file.ts";
import { journalLines, parseLogLine } from "./logs.ts";

const MAX_LOG_LINES = 5_000;
const MAX_KERNEL_LINES = 500;
const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;
/** The kernel's messages about cards, file systems, power, heat, memory and GPIO. */
const KERNEL_TOPICS = /mmc|EXT4-fs|I\/O error|voltage|thermal|throttl|out of memory|oom-kill|gpio|watchdog/i;

/** One file of the bundle: its name, a description of its content for the person, and the content. */
export interface BundleFile {
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

/** Leaves out texts, except for those under one of the keys: for `JSON.stringify`. */
function namesLeftOut(keys: readonly string[]) {
  return (key: string, value: unknown) =>
    typeof value === "string" && !keys.includes(key) ? undefined : value;
}

/** A JSON file of the bundle, without names. */
export function bundleFile(name: string, about: string, value: unknown, keys: readonly string[]): BundleFile {
  return { name, about, text: `${JSON.stringify(value, namesLeftOut(keys), 2)}\n` };
}

/** The versions of the programs, and the machine. */
export function aboutFile(version: string): BundleFile {
  const about = {
    version,
    node: process.version,
    kernel: release(),
    processor: arch(),
    time: new Date().toISOString(),
    uptimeSeconds: Math.round(uptime()),
  };
  return bundleFile("about.json", "versions, processor and running time", about, Object.keys(about));
}

/** The service's log of the last day and the kernel's of this boot; read as the user that runs the command. */
export async function logFiles(): Promise<BundleFile[]> {
  const service = await linesOf(
    ["--unit=flanco.service", "--since=24 hours ago"],
    MAX_LOG_LINES,
    namelessLine,
  );
  const kernel = await linesOf(["--dmesg", "--boot"], MAX_KERNEL_LINES, (line) =>
    KERNEL_TOPICS.test(line) ? [line] : [],
  );
  return [
    { name: "log.txt", about: "the service's log of the last day", text: service },
    {
      name: "kernel.txt",
      about: "what the kernel said of cards, power, heat, memory and GPIO since it started",
      text: kernel,
    },
  ];
}

async function linesOf(
  filters: readonly string[],
  maxLines: number,
  select: (line: string) => readonly string[],
): Promise<string> {
  const lines: string[] = [];
  try {
    for await (const line of journalLines(filters, maxLines)) lines.push(...select(line));
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    lines.push(error.message);
  }
  return lines.map((line) => `${line}\n`).join("");
}

const LOG_KEYS = ["code", "line", "address", "driver", "type", "job"];

/**
 * A line of the service's log without names. A message with a code is left out, because it
 * follows from the code and may have names in it. An error keeps its stack without its message.
 */
function namelessLine(text: string): readonly string[] {
  const line = parseLogLine(text);
  if (line === undefined) return [];
  const { msg, err, ...fields } = line;
  const stack = err?.stack.split("\n").filter((part) => /^\s+at /.test(part));
  const kept = {
    ...(JSON.parse(JSON.stringify({ ...fields, err }, namesLeftOut(LOG_KEYS))) as object),
    ...(line.code === undefined && { msg }),
    ...(stack !== undefined && { stack }),
  };
  return [JSON.stringify(kept)];
}

/**
 * Makes a new file for the archive, and gives its descriptor.
 * Throws `invalid` where it exists or cannot be made.
 */
export function createArchive(file: string): number {
  try {
    return openSync(file, "wx", OWNER_ONLY);
  } catch (error) {
    throw new FlancoError("invalid", `${file} cannot be made: ${messageOf(error)}.`, {
      hint: "Name a file that does not exist yet, in a directory that you may write.",
      cause: error,
    });
  }
}

/** Writes the files as a compressed tar archive, and closes it. */
export async function writeArchive(archive: number, files: readonly BundleFile[]): Promise<void> {
  using closing = new DisposableStack();
  closing.defer(() => closeSync(archive));
  const directory = mkdtempSync(join(tmpdir(), "flanco-bundle-"));
  closing.defer(() => rmSync(directory, { recursive: true, force: true }));
  for (const { name, text } of files) writeFileSync(join(directory, name), text, { mode: OWNER_ONLY });
  const options = ["--create", "--gzip", "--owner=0", "--group=0", "--numeric-owner"];
  const names = files.map(({ name }) => name);
  const { stdout } = await promisify(execFile)("tar", [...options, `--directory=${directory}`, ...names], {
    encoding: "buffer",
    maxBuffer: MAX_ARCHIVE_BYTES,
  });
  writeFileSync(archive, stdout);
}
