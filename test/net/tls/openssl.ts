import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installFor } from "../../../scripts/debian.ts";
import type { KeyedCertificate } from "../../../src/net/tls/keyed-certificate.ts";

/** What a test has OpenSSL make. */
export interface CertificateRequest {
  /** As a section of OpenSSL's configuration has them: `subjectAltName=DNS:example.org`. */
  readonly extensions: readonly string[];
  /** As `openssl req -newkey` takes it. */
  readonly key?: readonly string[];
  readonly digest?: "sha256" | "sha1";
  readonly days?: number;
  /** Undefined: the certificate signs itself. */
  readonly signer?: KeyedCertificate;
  readonly subject?: string;
}

const P256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
export const RSA_1024 = ["rsa:1024"];
export const RSA_2048 = ["rsa:2048"];
export const ED25519 = ["ed25519"];

/** The `openssl` command on files of a temporary directory: an independent judge of what this project makes. */
export class OpenSsl {
  readonly directory = mkdtempSync(join(tmpdir(), "flanco-openssl-"));

  constructor() {
    installFor("openssl");
  }

  [Symbol.dispose](): void {
    this.close();
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Makes an empty folder, which `close` removes too. */
  folder(): string {
    return mkdtempSync(join(this.directory, "folder-"));
  }

  /** Runs a command that must succeed; gives its standard output. */
  run(...args: readonly string[]): string {
    return execFileSync("openssl", args, { encoding: "utf8", cwd: this.directory, stdio: "pipe" });
  }

  /** Makes a key and a certificate for it. */
  make({
    extensions,
    key = P256,
    digest = "sha256",
    days = 30,
    signer,
    subject,
  }: CertificateRequest): KeyedCertificate {
    // Of this file alone: the system's own configuration would add extensions.
    this.write("config", ["[req]", "distinguished_name = name", "[name]", "[own]", ...extensions].join("\n"));
    if (signer !== undefined) {
      this.write("signer.pem", signer.cert);
      this.write("signer.key", signer.key);
    }
    const by = signer === undefined ? [] : ["-CA", "signer.pem", "-CAkey", "signer.key"];
    const named = ["-subj", subject ?? "/CN=made by a test", "-days", String(days), "-set_serial", "7"];
    const made = ["-newkey", ...key, "-nodes", "-keyout", "key.pem", "-out", "cert.pem", `-${digest}`];
    this.run("req", "-x509", "-config", "config", "-extensions", "own", ...by, ...named, ...made);
    return { key: this.#read("key.pem"), cert: this.#read("cert.pem") };
  }

  /** A certificate that signed itself, as one of the signer's whose time ended a day ago: `req` makes none that has ended. */
  ended({ key, cert }: KeyedCertificate, signer: KeyedCertificate): KeyedCertificate {
    this.write("leaf.pem", cert);
    this.write("signer.pem", signer.cert);
    this.write("signer.key", signer.key);
    const by = ["-CA", "signer.pem", "-CAkey", "signer.key", "-set_serial", "7"];
    this.run("x509", "-in", "leaf.pem", ...by, "-days", "-1", "-out", "cert.pem");
    return { key, cert: this.#read("cert.pem") };
  }

  /** Why OpenSSL does not take a certificate for a server's with this authority trusted; null: it does. */
  refusalOf({ cert }: KeyedCertificate, authority: KeyedCertificate, atMs = Date.now()): string | null {
    this.write("leaf.pem", cert);
    this.write("authority.pem", authority.cert);
    const when = ["-attime", String(Math.floor(atMs / 1_000))];
    const { status, stderr, stdout } = spawnSync(
      "openssl",
      ["verify", "-x509_strict", "-purpose", "sslserver", ...when, "-CAfile", "authority.pem", "leaf.pem"],
      { encoding: "utf8", cwd: this.directory },
    );
    if (status === 0) return null;
    return /error \d+ at \d+ depth lookup: (.*)/.exec(stdout + stderr)?.[1] ?? stdout + stderr;
  }

  #read(name: string): string {
    return readFileSync(join(this.directory, name), "utf8");
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.directory, name), text, { mode: 0o600 });
  }
}
