import type { Config } from "../config/schema.ts";
import type { Installation } from "../installation.ts";
import { pageAddresses } from "../net/host-names.ts";
import { becomeOwner } from "../store/data-directory.ts";
import { systemClock } from "./clock.ts";
import { CompanyPage } from "./company-page.ts";

import { endHanging, forbidCoreDumps, makeLog, prepareProcess } from "./process.ts";
import type { Console } from "./serving.ts";

/** Serves a company's page until a signal ends it. */
export async function serveCompany(
  terminal: Console,
  installation: Installation,
  config: Config,
): Promise<void> {
  prepareProcess();
  becomeOwner(config.data_dir);
  const log = makeLog(config);
  await forbidCoreDumps(log);
  const stopped = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopped.resolve());
  const page = new CompanyPage({ config, clock: systemClock, log, installation });
  await page.open();
  terminal.out(
    ["flanco is ready.", ...pageAddresses(config, "/").map((address) => `  ${address}`)].join("\n"),
  );
  await stopped.promise;
  log.info({}, "stopping");
  endHanging(log);
  await page.close();
  log.info({}, "stopped");
}
