// Makes the authority and the leaf of a directory anew, over and over, until it is killed.
import { systemClock } from "../../src/clock.ts";
import { toHostNames } from "../../src/tls/host-names.ts";
import { ensureOwnCertificate } from "../../src/tls/own-certificate.ts";

const [directory = ""] = process.argv.slice(2);
const host = toHostNames("gateway", ["192.168.1.20"]);
const moment = { clock: systemClock, clockTrusted: true };
for (;;) await ensureOwnCertificate(directory, host, moment, "authority");
