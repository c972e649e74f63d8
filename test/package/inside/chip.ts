import { writeFileSync } from "node:fs";
import { Relays } from "../../guest/inside/relays.ts";

const LIVE = "/sys/kernel/config/gpio-sim/relays/live";

/** Takes the machine's one GPIO chip away, or brings it back. */
export function setChip(there: boolean): void {
  writeFileSync(LIVE, there ? "1" : "0");
}

/** The relays of the chip that is there. */
export function relays(): Relays {
  const folder = process.env["FLANCO_TEST_GPIO_SIM"];
  if (folder === undefined) throw new Error("FLANCO_TEST_GPIO_SIM does not name a simulated chip.");
  return new Relays(folder);
}
