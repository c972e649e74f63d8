import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import type { Config } from "../contract/config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import { becomeOwner, type DataDirectory } from "../ledger/engine/data-directory.ts";
import { askAnnouncedName } from "../net/announced-name.ts";
import { readHostNames } from "../net/host-names.ts";
import { readDropIns } from "../net/tls/drop-in.ts";
import { fingerprintLines, readKeyed } from "../net/tls/keyed-certificate.ts";
import { ensureOwnCertificate, ownFiles } from "../net/tls/own-certificate.ts";
import { systemClock } from "../platform/machine.ts";
import { AS_JSON, type CommandTable, command, flag } from "./command.ts";
import { iso, type Terminal } from "./terminal.ts";

const SHOW_HELP = `
It reads the files, so it works with and without a running service. When you install the
authority's certificate, compare the fingerprint that the device shows with this one.

Example:
  flanco tls show
  flanco tls show --json`;

const RENEW_HELP = `
A running service serves the new certificate within 15 seconds. With --authority the authority is
replaced too, for example after its key was stolen: then every browser must trust the new one, and
must stop trusting the old one.

Example:
  flanco tls renew`;

/** `flanco tls`: the certificate of HTTPS, and the authority that browsers are to trust. */
export const commands: CommandTable = [
  {
    name: "tls",
    about: "the certificate of HTTPS and the authority that browsers are to trust",
    help: "flanco tls show",
    rows: [
      command(
        "show",
        "show the certificate in use, and the authority's fingerprint",
        { json: AS_JSON },
        SHOW_HELP,
        ({ json }, call) => {
          const config = call.config();
          tell(call.terminal, read(config, becomeOwner(config.data_dir)), json);
        },
      ),
      command(
        "renew",
        "replace the appliance's own certificate, for its present names and addresses",
        { authority: flag("--authority", "replace the authority too: every browser must trust the new one") },
        RENEW_HELP,
        async ({ authority }, call) => {
          const config = call.config();
          const dataDirectory = becomeOwner(config.data_dir);
          if (!existsSync(ownFiles(dataDirectory.tls).authority)) throw nothingYet();
          const host = readHostNames(config.host_names, await askAnnouncedName());
          const forced = authority ? "authority" : "leaf";
          // The clock counts as trusted: the person at the terminal sees when the certificate begins.
          const trusted = { clock: systemClock, clockTrusted: true };
          await ensureOwnCertificate(dataDirectory.tls, host, trusted, forced);
          tell(call.terminal, read(config, dataDirectory), false);
        },
      ),
    ],
  },
];

/** What the command shows, as text and as JSON. */
function read(config: Config, dataDirectory: DataDirectory) {
  const files = ownFiles(dataDirectory.tls);
  const authority = readKeyed(files.authority);
  const leaf = readKeyed(files.leaf);
  if (authority === undefined || leaf === undefined) throw nothingYet();
  const dropIn = config.certificates_dir || dataDirectory.certificates;
  const { best, refused } = readDropIns(dropIn, systemClock.nowMs());
  const served = best ?? { cert: leaf.cert, file: files.leaf };
  return {
    served: { ...factsOf(served.cert), file: served.file, own: best === null },
    authority: {
      ...factsOf(authority.cert),
      file: files.trust,
      fingerprint: fingerprintLines(authority.cert),
    },
    refused,
  };
}

/** A certificate's own fields. */
function factsOf(cert: string) {
  const { subject, subjectAltName = "", validFrom, validTo } = new X509Certificate(cert);
  return {
    subject: subject.replaceAll("\n", ", "),
    names: subjectAltName === "" ? [] : subjectAltName.split(", ").map((name) => name.replace(/^[^:]*:/, "")),
    from: iso(Date.parse(validFrom)),
    to: iso(Date.parse(validTo)),
  };
}

function tell(terminal: Terminal, shown: ReturnType<typeof read>, json: boolean): void {
  const { served, authority, refused } = shown;
  terminal.show(json, shown, [
    `Certificate in use: ${served.own ? "the appliance's own" : "an administrator's"}`,
    `  ${served.subject}`,
    `  for    ${served.names.join(", ")}`,
    `  from   ${served.from} to ${served.to}`,
    `  file   ${served.file}`,
    served.own
      ? "The appliance's authority, which browsers are to trust"
      : "The appliance's authority, not in use",
    `  ${authority.subject}`,
    `  from   ${authority.from} to ${authority.to}`,
    `  file   ${authority.file}`,
    "  SHA-256 fingerprint",
    ...authority.fingerprint.map((line) => `  ${line}`),
  ]);
  if (!json)
    for (const { file, reason } of refused) terminal.err(`The certificate ${file} is refused: ${reason}.`);
}

function nothingYet(): FlancoError {
  return new FlancoError("unavailable", "There is no certificate yet.", {
    hint: "The service makes it when it is started for the first time: run flanco serve.",
  });
}
