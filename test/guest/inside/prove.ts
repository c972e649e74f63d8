// Proves, in the guest, that the real program keeps its books right. Tells the host each step, and writes whatever goes wrong
// to standard error.
//
//   node test/guest/inside/prove.ts chardev|sysfs full|short
import type { Reports } from "../report.ts";
import { teller } from "../told.ts";
import { Api } from "./api.ts";
import { Ledger } from "./ledger.ts";
import { simulatedRelays } from "./relays.ts";
import { Service } from "./service.ts";
import { proveBurst, proveEnd, proveKill, provePaced } from "./steps.ts";

/** Edges on all lines together, and of the burst on one line (the kernel's buffer holds 1,024). */
const SIZES = { full: { paced: 2_000, burst: 4_000 }, short: { paced: 400, burst: 1_500 } };

const [driver, form] = process.argv.slice(2);
if ((driver !== "chardev" && driver !== "sysfs") || (form !== "full" && form !== "short")) {
  throw new Error("usage: prove.ts chardev|sysfs full|short");
}

const tell = teller<Reports>();
const service = new Service(`/var/lib/flanco-${driver}`, driver);
const relays = simulatedRelays();
process.once("exit", () => service.abandon());
try {
  await prove(driver, SIZES[form]);
} catch (error) {
  console.error(service.lastWords());
  throw error;
}
relays.close();

async function prove(part: "chardev" | "sysfs", sizes: { paced: number; burst: number }): Promise<void> {
  await service.start();
  const api = new Api(service.baseUrl);
  await api.makeFirstUser(service.firstRunToken);
  await api.wireEightRooms();
  await service.watchesAllLines();
  const ledger = new Ledger(service.ledgerFile);
  const parts = { service, relays, ledger, api };

  // A driver with the kernel's buffer behind it may be late; one without must be given the time to look.
  const heardBy = part === "chardev" ? "kernel" : "ledger";
  tell("paced", await provePaced(parts, sizes.paced, heardBy), part);
  if (part === "chardev") tell("burst", await proveBurst(parts, sizes.burst), part);
  tell("killed", await proveKill(parts), part);
  tell("ended", await proveEnd(parts), part);
  ledger.close();
  tell("verified", await service.command("verify"), part);
}
