// The technician's day, on two gateways.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { AcceptanceReport } from "../../../src/contract/commission.ts";
import { jsonOf, LIMIT_SECONDS, must, prove, run, SLOW_SERVICE, start } from "../../guest/inside/host.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { allWatched, shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { firstUser, Unit } from "../../guest/inside/unit.ts";
import { teller } from "../../guest/told.ts";
import { until } from "../../rig/until.ts";
import { BOUNCING, type Reports } from "../day-report.ts";
import { Contact, commissionAll, contactsAtRest, sellOnce } from "./contacts.ts";
import { after, install, packageFile } from "./dpkg.ts";

const D_ID = "7234";
const WATCHED_MS = 120_000;
const BUNDLE = "/root/support.tar.gz";
const HAND_MS = 1_000;
const TRACE = "/root/day.trace";

type Move = Reports["move"];

const tell = teller<Reports>();
const unit = new Unit();

await prove(unit, {
  /** The gateway that the clinic begins with: from the package to a backup on a disk that is carried away. */
  async clinic() {
    await unit.configure("guest", SLOW_SERVICE);
    tell("install", { ...(await install("first")), ...(await after(unit)) });

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

    const rooms = await sellOnce(contacts, new Ledger(unit.ledgerFile));
    tell("first sales", { rooms });

    const month = new Date().toISOString().slice(0, 7);
    tell("report", await api.ask("GET", `/api/report?month=${month}`));

    tell("doctor", await run("flanco", "doctor", "--json"));

    await run("flanco", "doctor", "--bundle", BUNDLE);
    tell("bundle", { bytes: statSync(BUNDLE).size });

    const prepared = await must("sh", "-c", "echo erase | flanco backup-disk /dev/vdc");
    const tls = await jsonOf<Move["tls"]>("flanco", "tls", "show", "--json");
    // Pulled out, and put in again.
    await must("umount", "/mnt/backup");
    await must("udevadm", "trigger", "--settle", "--action=add", "/dev/vdc");
    await until("the disk is mounted again", isDiskMounted, WATCHED_MS);
    const again = await must("flanco", "backup");
    await must("umount", "/mnt/backup");
    tell("back up to a disk", { tls, prepared, again });
  },

  /** A new gateway takes the clinic from the disk that was carried to it, and goes on. */
  async moved() {
    const relays = simulatedRelays();
    const contacts = contactsAtRest(relays);
    await unit.configure("guest", SLOW_SERVICE);
    await must("dpkg", "--install", packageFile("first"));
    tell("install the second gateway", await after(unit));

    await until("the disk is mounted", isDiskMounted, WATCHED_MS);
    const restored = await jsonOf<Move["restored"]>("flanco", "restore", "--json");
    const taken = await must("flanco", "backup-disk", "/dev/vdc");
    const state = await after(unit);
    const tls = await jsonOf<Move["tls"]>("flanco", "tls", "show", "--json");
    const wiring = await jsonOf<Move["wiring"]>("flanco", "wiring", "list", "--json");
    tell("move", { ...state, restored, taken, tls, wiring });

    await allWatched(WATCHED_MS);
    shareProcessorWithInterrupts();
    const rooms = await sellOnce(contacts, new Ledger(unit.ledgerFile));
    await must("flanco", "verify");
    tell("sales after the move", { rooms });

    tell("simulate", await simulateRecorded(new Contact(relays, BOUNCING[0])));
  },
});

function isDiskMounted(): boolean {
  return readFileSync("/proc/self/mounts", "utf8").includes(" /mnt/backup ext4 ");
}

/** Stops the service, records two switchings of a contact, and gives what `flanco simulate` makes of them. */
async function simulateRecorded(contact: Contact): Promise<Reports["simulate"]> {
  await must("systemctl", "stop", "flanco");
  const recorder = start(LIMIT_SECONDS, "flanco", "gpio", "record");
  let [trace, talk] = ["", ""];
  recorder.stdout.on("data", (chunk: Buffer) => (trace += chunk.toString()));
  recorder.stderr.on("data", (chunk: Buffer) => (talk += chunk.toString()));
  const ended = new Promise((resolve) => recorder.once("close", resolve));
  await until("lines are recorded", () => talk.includes("Ctrl-C"), WATCHED_MS);
  // The recorder's lines have interrupt threads of their own.
  shareProcessorWithInterrupts();
  for (const on of [true, false, true, false]) {
    contact.switch(on);
    await pause(HAND_MS);
  }
  recorder.kill("SIGINT");
  await ended;
  writeFileSync(TRACE, trace);
  const simulated = await jsonOf<Reports["simulate"]>("flanco", "simulate", TRACE, "--json");
  await must("systemctl", "start", "flanco");
  return simulated;
}
