import { delimiter, join } from "node:path";

/** A machine's PATH with a tool of avahi's that finds two gateways, at three addresses. */
export const AVAHI_PATH = [join(import.meta.dirname, "avahi"), process.env["PATH"]].join(delimiter);
