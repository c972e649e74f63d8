import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { runCommand, ScriptFailure } from "../command.ts";
import { installFor } from "../debian.ts";
import { manifestFiles, type ReleasedFile } from "./manifest.ts";

/** Of the machine that a package is for: where apt finds the key. */
const INSTALLED_KEY = "/usr/share/keyrings/flanco.asc";

/** The source from which gateways take new versions of flanco: its public key, and what tells apt of it. */
export interface AptSource {
  /** The OpenPGP keys that apt trusts for this source alone, armored. */
  readonly publicKey: string;
  /** A file for apt's sources.list.d (deb822). */
  readonly sources: string;
}

export interface AptSourceOptions {
  /** Packages of one version, for different processors. */
  readonly debs: readonly string[];
  /** The folder that is made; all of it goes to where the source's address leads. */
  readonly target: string;
  /** The OpenPGP secret key, without a passphrase, as `gpg --export-secret-keys` writes it. */
  readonly keyFile: string;
  readonly epochSeconds: number;
}

/**
 * Tells of the source at `url` whose signatures are by the key in `keyFile`. Further public keys in that file are trusted
 * too: a key is replaced by releasing one version with both. Throws ScriptFailure.
 */
export function aptSource(keyFile: string, url: string): AptSource {
  if (!/^https?:\/\/[^\s@]+$|^file:\/\S+$/.test(url))
    throw new ScriptFailure(`${url} is no address of an apt source.`);
  const publicKey = withKey(keyFile, (gpg) => runCommand([...gpg, "--armor", "--export"]));
  return { publicKey, sources: `Types: deb\nURIs: ${url}\nSuites: ./\nSigned-By: ${INSTALLED_KEY}\n` };
}

/** Makes a signed apt source with nothing but these packages, as plain files for any web server. Throws ScriptFailure. */
export function buildAptSource({ debs, target, keyFile, epochSeconds }: AptSourceOptions): void {
  mkdirSync(target, { recursive: true });
  for (const deb of debs) linkOrCopy(deb, join(target, basename(deb)));
  const packages = manifestFiles(debs).map((file, index) => stanzaOf(debs[index] ?? "", file));
  const list = join(target, "Packages");
  writeFileSync(list, packages.join("\n"));
  writeFileSync(`${list}.gz`, gzipSync(readFileSync(list)));
  const sums = manifestFiles([list, `${list}.gz`]).map(
    ({ name, bytes, sha256 }) => ` ${sha256} ${bytes} ${name}\n`,
  );
  const date = new Date(epochSeconds * 1_000).toUTCString().replace("GMT", "UTC");
  const head = { Origin: "flanco", Label: "flanco", Suite: "flanco", Codename: "flanco", Date: date };
  const fields = Object.entries(head).map(([name, value]) => `${name}: ${value}\n`);
  const release = join(target, "Release");
  writeFileSync(release, `${fields.join("")}SHA256:\n${sums.join("")}`);
  withKey(keyFile, (gpg) => {
    const sign = [
      "--yes",
      "--digest-algo",
      "SHA512",
      "--clearsign",
      "--output",
      join(target, "InRelease"),
      release,
    ];
    return runCommand([...gpg, ...sign]);
  });
  rmSync(release);
}

/** What the list of packages says of one: all of its control file, so that apt shows its notes before it is there. */
function stanzaOf(deb: string, { name, bytes, sha256 }: ReleasedFile): string {
  const control = runCommand(["dpkg-deb", "--field", deb]).trim();
  return `${control}\nFilename: ./${name}\nSize: ${bytes}\nSHA256: ${sha256}\n`;
}

/** Runs gpg, which knows this key alone, and leaves nothing of it behind. */
function withKey(keyFile: string, work: (gpg: readonly string[]) => string): string {
  installFor("apt source");
  // gpg-agent's socket needs a short path.
  const home = mkdtempSync(join(tmpdir(), "flanco-gpg-"));
  const gpg = ["gpg", "--homedir", home, "--batch", "--quiet"];
  try {
    runCommand([...gpg, "--import", keyFile]);
    return work(gpg);
  } finally {
    runCommand(["gpgconf", "--homedir", home, "--kill", "all"]);
    rmSync(home, { recursive: true, force: true });
  }
}

function linkOrCopy(file: string, target: string): void {
  try {
    linkSync(file, target);
  } catch {
    // Of another file system, or one that has no links.
    copyFileSync(file, target);
  }
}
