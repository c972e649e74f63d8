import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { type Clock, HOUR_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { NewerPackage } from "../domain/status.ts";
import { shellWord, shownText } from "../domain/text.ts";

const LOOK_MS = 6 * HOUR_MS;
/**
 * How long all programs of a look may take together. A disk
 * that hangs may hold the last one until it is pulled out.
 */
const PATIENCE_MS = 60 * SECOND_MS;
/** The most files of one disk that are read. */
const MAX_FILES = 16;
const MAX_LIST_BYTES = 64 * 1024;
const MAX_CONTROL_BYTES = 1024 * 1024;
const MAX_NOTES = 2_000;

/** deb-version(7), of a length that a person reads. */
const VERSION = /^\d[A-Za-z0-9.+~:-]{0,63}$/;
/** Paths that may be shown, and pasted into a shell: without characters that a terminal obeys. */
const PLAIN_PATH = /^\/[^\p{C}\p{Zl}\p{Zp}]{1,500}$/u;
const DEBIAN_PROCESSORS: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

export interface NewerPackageOptions {
  /** The version of the running program. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** In place of this machine's: the variables that the programs get. */
  readonly environment?: Readonly<Record<string, string>>;
}

type Candidate = Omit<NewerPackage, "command">;

/**
 * Looks for a package of flanco that is newer than the running program, on the removable disk and in
 * apt's lists as they are. Debian's programs read both, without a shell, each with bounds on its time
 * and its output, because a file on a disk may be anything. Without these programs it finds none.
 */
export class NewerPackages {
  readonly #options: NewerPackageOptions;
  readonly #closed = new AbortController();
  #newest: NewerPackage | null = null;
  /** The disk's directory at the last look; null: there was none. */
  #disk: string | null = null;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: NewerPackageOptions) {
    this.#options = options;
  }

  /** The newest package of the last look; null where none is newer than the program. */
  get newest(): NewerPackage | null {
    return this.#newest;
  }

  /**
   * Looks again if the last look is six hours old, or a disk was mounted or
   * unmounted since. `disk` is a directory on it, null without one. Takes a
   * minute at most, and never rejects. Await it before the next call.
   */
  async refresh(disk: string | null): Promise<void> {
    const nowMs = monotonicMs(this.#options.clock);
    if (nowMs - this.#lookedMs < LOOK_MS && disk === this.#disk) return;
    this.#lookedMs = nowMs;
    this.#disk = disk;
    await this.#find(disk, AbortSignal.any([this.#closed.signal, AbortSignal.timeout(PATIENCE_MS)]));
  }

  close(): void {
    this.#closed.abort();
  }

  async #find(disk: string | null, signal: AbortSignal): Promise<void> {
    const { log, version, environment = { PATH: process.env["PATH"] ?? "" } } = this.#options;
    const run = runnerOf({ ...environment, LC_ALL: "C.UTF-8" }, signal);
    const found = [...(await fromApt(run)), ...(disk === null ? [] : await onDisk(run, disk))];
    let newest: Candidate | null = null;
    for (const candidate of found) {
      const compare = [
        "dpkg",
        "--compare-versions",
        candidate.version,
        "gt",
        newest?.version ?? version,
      ] as const;
      if ((await run(compare, 0)) !== undefined) newest = candidate;
    }
    if (signal.aborted) return;
    if (newest !== null && newest.version !== this.#newest?.version) {
      log.info({ version: newest.version, source: newest.source }, "there is a newer package of flanco");
    }
    this.#newest = newest && {
      ...newest,
      command: `apt install ${newest.file === null ? "flanco" : shellWord(newest.file)}`,
    };
  }
}

/**
 * Runs a program, and gives its output; undefined where it cannot
 * be started, fails, writes more than `maxBytes`, or is ended.
 */
type Run = (
  words: readonly [string, ...string[]],
  maxBytes: number,
  input?: Buffer,
) => Promise<Buffer | undefined>;

/** Runs Debian's programs, which the signal ends. */
function runnerOf(env: Readonly<Record<string, string>>, signal: AbortSignal): Run {
  return ([program, ...args], maxBuffer, input) =>
    new Promise((done) => {
      const options = { env, signal, maxBuffer, encoding: "buffer", killSignal: "SIGKILL" } as const;
      const child = execFile(program, args, options, (error, stdout) =>
        done(error === null ? stdout : undefined),
      );
      // A program that ends before it has read all its input is judged by its exit code.
      child.stdin?.on("error", () => {}).end(input);
    });
}

/** The version that apt would install, by the lists of its last update. */
async function fromApt(run: Run): Promise<Candidate[]> {
  const text = await run(["apt-cache", "show", "--no-all-versions", "flanco"], MAX_CONTROL_BYTES);
  return candidateOf(text, "apt", null);
}

/** The packages in the disk's own folder, and in the directory of backups on it. */
async function onDisk(run: Run, directory: string): Promise<Candidate[]> {
  const backups = resolve(directory);
  const point = (await run(["stat", "--format=%m", backups], MAX_LIST_BYTES))?.toString().trim();
  const folders = new Set([backups, ...(point === undefined || point === "/" ? [] : [point])]);
  const name = `flanco_*_${DEBIAN_PROCESSORS[process.arch]}.deb`;
  const sought = ["-maxdepth", "1", "-type", "f", "-name", name, "-printf", "%p\\0"];
  const list = await run(["find", ...folders, ...sought], MAX_LIST_BYTES);
  const files =
    list
      ?.toString()
      .split("\0")
      .filter((path) => PLAIN_PATH.test(path)) ?? [];
  const found: Candidate[] = [];
  for (const file of files.sort().slice(-MAX_FILES)) {
    // Not `dpkg-deb --field`: it unpacks all of the control archive, of whatever size, into /tmp.
    const archive = await run(["dpkg-deb", "--ctrl-tarfile", file], MAX_CONTROL_BYTES);
    if (archive === undefined) continue;
    const extract = ["tar", "--extract", "--to-stdout", "--file=-", "./control"] as const;
    found.push(...candidateOf(await run(extract, MAX_CONTROL_BYTES, archive), "disk", file));
  }
  return found;
}

/**
 * Reads the first stanza of a control file (deb-control(5));
 * none where it is not flanco's for this processor.
 */
function candidateOf(
  control: Buffer | undefined,
  source: NewerPackage["source"],
  file: string | null,
): Candidate[] {
  const fields = fieldsOf(control?.toString() ?? "");
  const version = fields.get("Version") ?? "";
  const isOurs =
    fields.get("Package") === "flanco" &&
    fields.get("Architecture") === DEBIAN_PROCESSORS[process.arch] &&
    VERSION.test(version);
  if (!isOurs) return [];
  const notes = { es: notesOf(fields.get("Notes-Es")), en: notesOf(fields.get("Notes-En")) };
  return [{ version, source, file, notes }];
}

function fieldsOf(text: string): ReadonlyMap<string, string> {
  const [stanza = ""] = text.split(/\n[ \t]*\n/, 1);
  const fields = stanza.replaceAll(/\n[ \t]+/g, "\v").split("\n");
  return new Map(
    fields.map((field) => {
      const [name = "", ...value] = field.split(":");
      return [name, value.join(":").replaceAll("\v", "\n").trim()];
    }),
  );
}

/** The text of a field with several lines, in which a single point stands for an empty line. */
function notesOf(value = ""): string {
  const lines = value.replaceAll(/^\.$/gm, "").split("\n").map(shownText);
  return lines.join("\n").slice(0, MAX_NOTES).toWellFormed().trim();
}
