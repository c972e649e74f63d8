// Proves, in the guest, that the real program keeps its books right. Writes one JSON object for each step to
// standard output, and whatever goes wrong to standard error.
//
//   node test/guest/inside/prove.ts chardev|sysfs full|short
import type { Report } from "../report.ts";
import { Api, USER_ADD } from "./api.ts";
import { proveBurst } from "./burst.ts";
import { proveEnd } from "./end.ts";
import { proveKill } from "./kill.ts";
import { Ledger } from "./ledger.ts";
import { provePaced } from "./paced.ts";
import { Relays } from "./relays.ts";
import { Service } from "./service.ts";

/** Edges on all lines together, and of the burst on one line (the kernel's buffer holds 1,024). */
const SIZES = { full: { paced: 2_000, burst: 4_000 }, short: { paced: 400, burst: 1_500 } };

const [driver, form] = process.argv.slice(2);
const folder = process.env["FLANCO_TEST_GPIO_SIM"];
if ((driver !== "chardev" && driver !== "sysfs") || (form !== "full" && form !== "short")) {
  throw new Error("usage: prove.ts chardev|sysfs full|short");
}
if (folder === undefined) throw new Error("FLANCO_TEST_GPIO_SIM does not name a simulated chip.");

const service = new Service(driver);
const relays = new Relays(folder);
process.once("exit", () => service.abandon());
try {
  await prove(driver, SIZES[form]);
} catch (error) {
  console.error(service.lastWords());
  throw error;
}
relays.close();

async function prove(
  driverName: "chardev" | "sysfs",
  sizes: { paced: number; burst: number },
): Promise<void> {
  const added = service.command(USER_ADD.options, USER_ADD.input);
  if (added.exitCode !== 0) throw new Error(`user add: ${added.output}`);
  await service.start();
  const api = new Api(service.baseUrl);
  await api.login();
  await api.wireEightRooms();
  await service.watchesAllLines();
  const ledger = new Ledger(service.ledgerFile);
  const parts = { service, relays, ledger, api };

  // A driver with the kernel's buffer behind it may be late; one without must be given the time to look.
  tell(await provePaced(parts, sizes.paced, driverName === "chardev" ? "kernel" : "ledger"));
  if (driverName === "chardev") tell(await proveBurst(parts, sizes.burst));
  tell(await proveKill(parts));
  tell(await proveEnd(parts));
  ledger.close();
  const verified = service.command(["verify"]);
  tell({ step: "verified", ...verified });
}

function tell(report: Report): void {
  console.log(JSON.stringify(report));
}
