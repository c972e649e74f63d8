import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";
import { remotePlace } from "../domain/remote-place.ts";
import { OWNER_ONLY } from "./durable-file.ts";

/** What rclone may write to its output and, at the end, of its errors. A list of ten years' daily backups takes 600 kB. */
const MAX_OUTPUT = 2_000_000;
const KEPT_ERRORS = 4_000;
const MAX_TOLD = 200;
/** Files lie in the folders of ledgers. What else is below them may have no end. */
const DEPTH = ["--max-depth", "2"];
/** rclone's exit codes (rclone.org/docs/#exit-code). */
const NO_DIRECTORY = 3;
/** As a shell: what was to be run is not there. */
const NO_PROGRAM = 127;
/** rclone goes before anything else where memory runs out; the service itself has -500. */
const OOM_SCORE = "900";
/** A place with hashes shows one of each object that was sent in one piece. */
const ONE_PIECE = "5G";
/** `s3.eu-central-1.example.org`: most services name the region so, and some refuse a request that names another. */
const S3_REGION = /^s3[.-]([a-z]+-[a-z]+-\d+)\./;

/** A remote place, and what opens it. */
export interface RemoteAccess {
  /** As `remotePlace` reads it. */
  readonly address: string;
  readonly login: string;
  /** The password, or the secret key of S3. */
  readonly password: string;
  /** What everything there is encrypted with, names left out. */
  readonly passphrase: string;
  /** PEM file of the authority of its certificate; empty: the usual ones. */
  readonly authorityFile: string;
  /** The key of an SFTP host, as ssh-keyscan prints it without the name; empty: any. */
  readonly hostKey: string;
  /** In kilobytes a second; 0: no limit. */
  readonly limit: number;
  /** A file that this may write the host's key to. */
  readonly knownHostsFile: string;
}

type Environment = Readonly<Record<string, string>>;

/** The path of each file there, with its size in bytes before it was encrypted. */
export type RemoteFiles = ReadonlyMap<string, number>;

/**
 * rclone (rclone.org), as a child of the lowest priority with one processor, a bound on its memory and on its
 * bandwidth. It reads its settings from its environment, which other users cannot see: nothing is in an argument or
 * in a file. Its folder is encrypted by rclone's crypt. Every method rejects with `unavailable`, or `config`, and
 * a sentence that says what to do and holds no secret; once `signal` is aborted, the child is killed.
 */
export class Rclone {
  readonly #access: RemoteAccess;
  readonly #program: string;
  #environment: Promise<Environment> | undefined;

  /** @param program another one in tests */
  constructor(access: RemoteAccess, program = "rclone") {
    this.#access = access;
    this.#program = program;
  }

  /** The files of a folder and of those in it; none where it does not exist. */
  async list(folder: string, signal: AbortSignal): Promise<RemoteFiles> {
    const what = ["-R", "--files-only", "--format", "sp", ...DEPTH, `safe:${folder}`];
    const { output } = await this.#run(["lsf", ...what], signal, { mayEnd: [NO_DIRECTORY] });
    const rows = [...output.matchAll(/^(\d+);(.+)$/gm)];
    return new Map(rows.map(([, size, path = ""]) => [path, Number(size)]));
  }

  /** Sends files of a folder here, replaces those of the same name there, and holds what arrived against them. */
  async send(from: string, to: string, names: readonly string[], signal: AbortSignal): Promise<void> {
    const chosen = { input: names.join("\n") };
    const which = [from, `safe:${to}`, "--files-from-raw", "-"];
    await this.#run(["copy", "--ignore-times", "--no-traverse", ...which], signal, chosen);
    // By the hash of what is stored there: of the file's bytes only some leave the house again.
    const byHash = ["cryptcheck", "--one-way", "-v", ...which];
    const { errors, code } = await this.#run(byHash, signal, { ...chosen, mayEnd: [1] });
    if (code === 0 && !errors.includes("could not be checked")) return;
    // The place has no hashes, or this hash is wrong: reading it back tells.
    await this.#run(["check", "--download", "--one-way", ...which], signal, chosen);
  }

  /** Brings files to a folder here, by rclone's pattern of their names; so many bytes of all of them at most. */
  async fetch(from: string, to: string, pattern: string, bytes: number, signal: AbortSignal): Promise<void> {
    const which = ["--include", pattern, ...DEPTH, "--max-transfer", `${bytes}B`];
    await this.#run(["copy", `safe:${from}`, to, ...which], signal);
  }

  /** Removes files of a folder there. */
  async remove(folder: string, names: readonly string[], signal: AbortSignal): Promise<void> {
    const which = ["--files-from-raw", "-"];
    await this.#run(["delete", `safe:${folder}`, ...which], signal, { input: names.join("\n") });
  }

  /** Writes a small file, reads it back and removes it. */
  async tryOut(signal: AbortSignal): Promise<void> {
    const file = "safe:flanco-test.txt";
    const input = "flanco";
    await this.#run(["rcat", file], signal, { input });
    const { output } = await this.#run(["cat", file], signal);
    if (output !== input) throw new FlancoError("unavailable", "The remote place gives back other bytes.");
    await this.#run(["deletefile", file], signal);
  }

  async #run(args: readonly string[], signal: AbortSignal, options: RunOptions = {}): Promise<FinishedRun> {
    this.#environment ??= environmentOf(this.#access, this.#program, signal);
    const ended = await runRclone(this.#program, args, await this.#environment, signal, options);
    if (ended.code === 0 || options.mayEnd?.includes(ended.code) === true) return ended;
    const { address, login, password, passphrase } = this.#access;
    const last = ended.errors.trim().split("\n").at(-1) ?? "";
    const hidden = [password, passphrase, login, address];
    const told = hidden.reduce((text, one) => text.replaceAll(one, "…"), last);
    throw problemOf(ended, told.slice(-MAX_TOLD));
  }
}

interface RunOptions {
  /** Its standard input. */
  readonly input?: string;
  /** Exit codes that are no failure, beside 0. */
  readonly mayEnd?: readonly number[];
}

interface FinishedRun {
  readonly code: number;
  readonly output: string;
  /** The last that it wrote to standard error. */
  readonly errors: string;
}

async function environmentOf(
  access: RemoteAccess,
  program: string,
  signal: AbortSignal,
): Promise<Environment> {
  const { address, login, password, passphrase, authorityFile, hostKey, limit, knownHostsFile } = access;
  const place = remotePlace(address);
  if (place === undefined) throw new FlancoError("config", "The address of the remote place cannot be read.");
  const { kind, host, port, path } = place;
  const usual: Environment = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    // Without one it asks other programs for it. It needs none.
    HOME: "/nonexistent",
    GOMAXPROCS: "1",
    GOMEMLIMIT: "64MiB",
    // In memory alone.
    RCLONE_CONFIG: "",
    RCLONE_TRANSFERS: "1",
    RCLONE_CHECKERS: "1",
    RCLONE_BUFFER_SIZE: "1M",
    RCLONE_MULTI_THREAD_STREAMS: "0",
    RCLONE_RETRIES: "1",
    RCLONE_LOW_LEVEL_RETRIES: "2",
    RCLONE_CONTIMEOUT: "10s",
    RCLONE_TIMEOUT: "60s",
    ...(limit > 0 && { RCLONE_BWLIMIT: `${limit}k` }),
    ...(authorityFile !== "" && { RCLONE_CA_CERT: authorityFile }),
  };
  const obscure = async (secret: string) => {
    const ended = await runRclone(program, ["obscure", "-"], usual, signal, { input: secret });
    if (ended.code !== 0) throw problemOf(ended, "it obscures no password");
    return ended.output.trim();
  };
  const named = (name: string, values: Environment) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [`RCLONE_CONFIG_${name}_${key}`, value]));
  const at = `${host.includes(":") ? `[${host}]` : host}${port && `:${port}`}`;
  const own = { HOST: host, ...(port !== "" && { PORT: port }), USER: login, PASS: await obscure(password) };
  if (kind === "sftp" && hostKey !== "") {
    const name = port === "" || port === "22" ? host : `[${host}]:${port}`;
    writeFileSync(knownHostsFile, `${name} ${hostKey}\n`, { mode: OWNER_ONLY });
  }
  const known = hostKey === "" ? {} : { KNOWN_HOSTS_FILE: knownHostsFile };
  const settings = {
    sftp: { TYPE: "sftp", ...own, ...known },
    smb: { TYPE: "smb", ...own },
    // The servers of Nextcloud tell hashes and times.
    https: {
      ...{ TYPE: "webdav", USER: own.USER, PASS: own.PASS, URL: `https://${at}/${path}` },
      VENDOR: path.includes("remote.php/") ? "nextcloud" : "other",
    },
    s3: {
      TYPE: "s3",
      PROVIDER: host.endsWith(".amazonaws.com") ? "AWS" : "Other",
      ENDPOINT: `https://${at}`,
      REGION: S3_REGION.exec(host)?.[1] ?? "",
      ACCESS_KEY_ID: login,
      SECRET_ACCESS_KEY: password,
      // A key for one bucket may not ask whether it exists.
      NO_CHECK_BUCKET: "true",
      UPLOAD_CUTOFF: ONE_PIECE,
    },
  }[kind];
  return {
    ...usual,
    ...named("PLACE", settings),
    ...named("SAFE", {
      TYPE: "crypt",
      REMOTE: `place:${kind === "https" ? "flanco" : path}`,
      PASSWORD: await obscure(passphrase),
      // A name tells a date. With names as they are a wrong passphrase shows as such, and not as an empty place.
      FILENAME_ENCRYPTION: "off",
      DIRECTORY_NAME_ENCRYPTION: "false",
    }),
  };
}

function runRclone(
  program: string,
  args: readonly string[],
  env: Environment,
  signal: AbortSignal,
  { input = "" }: RunOptions,
): Promise<FinishedRun> {
  const child = spawn("nice", ["-n", "19", program, ...args], { env, signal, killSignal: "SIGKILL" });
  try {
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, OOM_SCORE);
  } catch {
    // A child that has ended, or a machine without it.
  }
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.length > MAX_OUTPUT) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-KEPT_ERRORS);
  });
  // It may end before it has read all of it.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      const hint = "Look at the network and at the remote place.";
      reject(new FlancoError("unavailable", "rclone was ended before it was done.", { hint, cause }));
    });
    child.once("close", (code) => resolve({ code: code ?? -1, output, errors }));
  });
}

/** What rclone's errors mean, the first that fits. Its exit code says only that it failed, so its text must tell. */
const PROBLEMS: Readonly<Record<string, RegExp>> = {
  "What lies at the remote place cannot be decrypted: its passphrase is another one, or it was damaged there. Take the newest printed sheet, or an older backup.":
    /authenticate decrypted|bad password|not an encrypted file/,
  // rclone says it of a file shorter than 64 kB that was encrypted with another passphrase.
  "A file at the remote place breaks off: its passphrase is another one, or the connection broke. Compare it with the newest printed sheet, and try again.":
    /unexpected EOF/,
  "The remote place refuses the login or the password. Give both again, and ask whether that login may write to the folder.":
    /unable to authenticate|\b40[13]\b|InvalidAccessKey|SignatureDoesNotMatch|AccessDenied|logon/i,
  "The remote place shows another host key than the one that is set. Where its owner has no new one, somebody answers in its place.":
    /knownhosts|host key/,
  "The remote place is full. Make room there: it holds at most 23 backups.":
    /no space left|\b507\b|insufficient storage|quota|disk.full/i,
  "The certificate of the remote place and the gateway's clock do not agree. Check the clock first (flanco status).":
    /not yet valid|has expired|TooSkewed/,
  "The certificate of the remote place is of an authority that is not known here. Check its address, or give the authority's certificate.":
    /x509|certificate/,
  "The name of the remote place is not known. Check its address, and the gateway's network and DNS.":
    /no such host|server misbehaving/,
  "The remote place is not reached, or the connection to it broke. Check the network and its address; flanco tries again by itself.":
    /refused|unreachable|no route|timeout|timed out|deadline|reset by peer|broken pipe|EOF|connection/i,
  "The remote place does not take the file. Look whether it is full, and whether the login may write to its folder.":
    /\b40[59]\b|\b5\d\d\b/,
  "The folder of the remote place is missing. Check its address, and make the folder, the bucket or the share there.":
    /not found|NoSuchBucket|no such file/i,
};

function problemOf({ code, errors }: FinishedRun, told: string): FlancoError {
  if (code === NO_PROGRAM) {
    const hint = "Install it: apt-get install rclone.";
    return new FlancoError(
      "unavailable",
      "rclone, which sends backups to the remote place, is not installed.",
      { hint },
    );
  }
  const known = Object.entries(PROBLEMS).find(([, pattern]) => pattern.test(errors))?.[0];
  return new FlancoError("unavailable", known ?? `rclone has failed: ${told}`, { cause: told });
}
