import { join } from "node:path";

/** The script that both kinds of guest source: the ways to the host, and the relays. */
export const GATEWAY_SCRIPT = join(import.meta.dirname, "gateway.sh");
