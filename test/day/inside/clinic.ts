// The technician's day on the gateway that the clinic begins with: from the package to a backup on a disk that is carried away.
import { statSync } from "node:fs";
import type { AcceptanceReport } from "../../../src/contract/commission.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { allWatched, shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { firstUser, Unit } from "../../guest-systemd/inside/unit.ts";
import { after, packageFile, prove, run, SLOW_SERVICE } from "../../package/inside/host.ts";
import type { Reports } from "../report.ts";
import { commissionAll, contactsAtRest, sellOnce } from "./contacts.ts";
import { jsonOf, must, tell } from "./step.ts";

const D_ID = "7234";
const WATCHED_MS = 120_000;
const BUNDLE = "/root/support.tar.gz";

const unit = new Unit();

await prove(unit, async () => {
  await unit.configure("guest", SLOW_SERVICE);
  await must("dpkg", "--install", packageFile("first"));
  tell("install", await after(unit));

  const api = await firstUser(unit);
  tell("first user", {});

  const relays = simulatedRelays();
  const contacts = contactsAtRest(relays);
  await api.wireEightRooms();
  await allWatched(WATCHED_MS);
  shareProcessorWithInterrupts();
  tell("wire eight lines", {});
  const commissioned = await commissionAll(api, D_ID, contacts);
  const { number } = await api.ask<{ number: number }>("POST", "/api/commission/report", {
    report: { technician: "Luis Gil", clinic: "Ana Ruiz" },
  });
  const { counts } = await api.ask<AcceptanceReport>("GET", `/api/commission/report?number=${number}`);
  tell("commission", { commissioned, counts });

  const rooms = await sellOnce(contacts, new Ledger(unit.ledgerFile, false));
  tell("first sales", { rooms });

  const month = new Date().toISOString().slice(0, 7);
  tell("report", await api.ask("GET", `/api/report?month=${month}`));

  tell("doctor", await run("flanco", "doctor", "--json"));

  await run("flanco", "doctor", "--bundle", BUNDLE);
  tell("bundle", { bytes: statSync(BUNDLE).size });

  await must("mount", "/dev/vdc", "/mnt");
  await must("install", "--directory", "--owner=flanco", "--group=flanco", "--mode=0700", "/mnt/flanco");
  await must("flanco", "backup", "--to", "/mnt/flanco");
  const tls = await jsonOf<Reports["move"]["tls"]>("flanco", "tls", "show", "--json");
  await must("umount", "/mnt");
  tell("back up to a disk", { tls });
});
