// Makes the authority and the leaf of a directory anew, over and over, until it is killed.

import { toHostNames } from "../../../src/net/host-names.ts";
import { ensureOwnCertificate } from "../../../src/net/tls/own-certificate.ts";
import { systemClock } from "../../../src/platform/machine.ts";

const [directory = ""] = process.argv.slice(2);
const host = toHostNames("gateway", ["192.168.1.20"]);
const moment = { clock: systemClock, clockTrusted: true };
for (;;) await ensureOwnCertificate(directory, host, moment, "authority");
