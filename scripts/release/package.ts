import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { stringify } from "smol-toml";
import { CONFIG_KEYS, configSchema } from "../../src/contract/config/schema.ts";
import { SCHEMA_VERSION } from "../../src/ledger/engine/schema.ts";
import { defaultConfig } from "../../src/service/config-file.ts";
import { runCommand } from "../command.ts";
import { helpFiles } from "../help-pages.ts";
import type { AptSource } from "./apt-source.ts";
import { bashCompletion, describedProgram, fishCompletion, manualPage, zshCompletion } from "./manual.ts";
import type { Processor } from "./processor.ts";

const FILE = 0o644;
const PROGRAM = 0o755;
const UNITS = "usr/lib/systemd/system";
const BYTES_PER_KIB = 1024;
const MAINTAINER = "flanco maintainers <flanco@flanco.invalid>";
/**
 * Before anything is unpacked: a program that this system's libraries cannot run must not take the place of one that works.
 * better-sqlite3's addon needs glibc 2.34; bookworm is the first Debian to have it.
 */
const PRE_DEPENDS = "libc6 (>= 2.34), libstdc++6 (>= 11), systemd (>= 252)";
const SETTINGS_HEAD = `# flanco's settings. Each is shown with the value that it has when this file does not say otherwise: to change one, take
# the # away before its name. What flanco makes of it: flanco config check. Then: systemctl restart flanco.
# The environment (FLANCO_HTTPS_PORT) and the command line (--https-port) win over this file.
`;
/** What the machine says, and not this file's maker. */
const OF_THE_MACHINE: Readonly<Record<string, string>> = { time_zone: "Europe/Madrid" };
const OWN_ZONE = "Without it: the system's.";

export interface PackageOptions {
  readonly processor: Processor;
  readonly version: string;
  readonly checkout: string;
  readonly directory: string;
  /** The binary that goes into it. */
  readonly binary: string;
  /** The package's path. */
  readonly target: string;
  /** Time of every file in it, in seconds: the same sources make the same package. */
  readonly epochSeconds: number;
  /** Where later versions are found; absent: nowhere, and updates are those of Debian. */
  readonly source?: AptSource | undefined;
  /** The ledger's schema that the binary knows; undefined: this checkout's. */
  readonly schema?: number;
  /** Packs in seconds, into a larger package: for a test. */
  readonly quick?: boolean;
}

/** Builds the Debian package from a tree of its files. Throws ScriptFailure. */
export async function buildPackage(options: PackageOptions): Promise<void> {
  const { processor, checkout, directory, binary, target, epochSeconds } = options;
  const { quick = false, schema = SCHEMA_VERSION } = options;
  const tree = join(directory, `package-${processor.debian}`);
  rmSync(tree, { recursive: true, force: true });
  cpSync(join(checkout, "packaging", "root"), tree, { recursive: true });
  place(binary, join(tree, "usr/bin/flanco"), PROGRAM);
  place(join(checkout, "systemd", "flanco.service"), join(tree, UNITS, "flanco.service"), FILE);
  write(join(tree, "etc/flanco/flanco.toml"), settingsFile());
  const notes = { es: notesIn(checkout, "es"), en: notesIn(checkout, "en") };
  write(join(tree, "usr/share/doc/flanco/changelog.gz"), gzipped(changelog(options, notes.en)));
  for (const [name, text] of helpFiles()) {
    if (!name.endsWith(".css")) write(join(tree, "usr/share/doc/flanco", name), text);
  }
  await placeManual(tree, options.version);
  if (options.source !== undefined) {
    write(join(tree, "usr/share/keyrings/flanco.asc"), options.source.publicKey);
    write(join(tree, "usr/share/flanco/flanco.sources"), options.source.sources);
  }
  const files = filesIn(tree);
  const control = join(tree, "DEBIAN");
  mkdirSync(control);
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(tree, file)).size, 0);
  const kibibytes = Math.ceil(bytes / BYTES_PER_KIB);
  write(join(control, "control"), controlOf(options, kibibytes, notes));
  write(
    join(control, "conffiles"),
    lines(files.filter((file) => file.startsWith("etc/")).map((file) => `/${file}`)),
  );
  write(
    join(control, "md5sums"),
    lines(files.filter((file) => !file.startsWith("etc/")).map((file) => sumLine(tree, file))),
  );
  for (const name of readdirSync(join(checkout, "packaging", "maintainer"))) {
    const script = readFileSync(join(checkout, "packaging", "maintainer", name), "utf8");
    const filled = script.replace("@SCHEMA@", String(schema)).replace("@KIB@", String(kibibytes));
    writeFileSync(join(control, name), filled, { mode: PROGRAM });
  }
  settle(tree, epochSeconds);
  runCommand(
    [
      "dpkg-deb",
      "--root-owner-group",
      ...(quick ? ["-Zgzip", "-z1"] : ["-Zxz", "-z9"]),
      "--build",
      tree,
      target,
    ],
    {
      environment: { SOURCE_DATE_EPOCH: String(epochSeconds) },
    },
  );
}

/** /etc/flanco/flanco.toml as it is installed: every setting with what it means, nothing set. */
export function settingsFile(): string {
  const defaults = defaultConfig(null);
  const entries = CONFIG_KEYS.map((key) => {
    const example = OF_THE_MACHINE[key];
    const value = stringify({ [key]: example ?? defaults[key] }).trim();
    const lines = [configSchema.shape[key].description, ...(example === undefined ? [] : [OWN_ZONE])];
    return `${lines.map((line) => `# ${line}`).join("\n")}\n#${value}\n`;
  });
  return `${SETTINGS_HEAD}\n${entries.join("\n")}`;
}

/** The manual page and the shells' completions, made from the program's own help. */
async function placeManual(tree: string, version: string): Promise<void> {
  const program = await describedProgram();
  const share = join(tree, "usr/share");
  write(join(share, "man/man1/flanco.1.gz"), gzipped(manualPage(program, version)));
  write(join(share, "bash-completion/completions/flanco"), bashCompletion(program));
  write(join(share, "zsh/vendor-completions/_flanco"), zshCompletion(program));
  write(join(share, "fish/vendor_completions.d/flanco.fish"), fishCompletion(program));
}

/** What this version brings, a line each. */
function notesIn(checkout: string, language: "es" | "en"): readonly string[] {
  const text = readFileSync(join(checkout, "packaging", "notes", `${language}.txt`), "utf8");
  return text.trim().split("\n");
}

function controlOf(
  { processor, version }: PackageOptions,
  kibibytes: number,
  notes: { readonly es: readonly string[]; readonly en: readonly string[] },
): string {
  return lines([
    "Package: flanco",
    `Version: ${version}`,
    `Architecture: ${processor.debian}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${kibibytes}`,
    `Pre-Depends: ${PRE_DEPENDS}`,
    "Depends: avahi-daemon",
    // By which other gateways are found: a gateway without a network can do without.
    "Recommends: avahi-utils, systemd-timesyncd | time-daemon",
    // By which backups leave the house, and a disk other than a card tells its wear.
    "Suggests: rclone, smartmontools, unattended-upgrades",
    "Section: misc",
    "Priority: optional",
    "Description: ledger of relay sales",
    " Watches relays on GPIO lines, records each switching-on as a sale in a local",
    " ledger, and serves that ledger over HTTPS, with a page of its own.",
    // Read by src/service/newer-package.ts, from a file on a disk and from apt's lists alike.
    ...["Notes-Es:", ...notes.es.map((line) => ` ${line}`)],
    ...["Notes-En:", ...notes.en.map((line) => ` ${line}`)],
  ]);
}

function changelog({ version, epochSeconds }: PackageOptions, notes: readonly string[]): string {
  const date = new Date(epochSeconds * 1_000).toUTCString().replace("GMT", "+0000");
  const changes = notes.map((line) => `  * ${line}\n`).join("");
  return `flanco (${version}) unstable; urgency=medium\n\n${changes}\n -- ${MAINTAINER}  ${date}\n`;
}

/** Without a time in it. */
function gzipped(text: string): Buffer {
  return gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
}

function filesIn(tree: string): string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .sort();
}

function sumLine(tree: string, file: string): string {
  // dpkg's own format: against accidents, and for nothing else.
  return `${hash("md5", readFileSync(join(tree, file)))}  ${file}`;
}

/** Sets modes and times, which would otherwise depend on the build machine. */
function settle(tree: string, epochSeconds: number): void {
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const program = entry.isDirectory() || (lstatSync(path).mode & 0o111) !== 0;
    chmodSync(path, program ? PROGRAM : FILE);
    utimesSync(path, epochSeconds, epochSeconds);
  }
  chmodSync(tree, PROGRAM);
  utimesSync(tree, epochSeconds, epochSeconds);
}

function place(source: string, target: string, mode: number): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
  chmodSync(target, mode);
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode: FILE });
}

function lines(texts: readonly string[]): string {
  return `${texts.join("\n")}\n`;
}
