// The second half of the day: a new gateway takes the clinic from the disk that was carried to it, and goes on.
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { allWatched, shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { after, LIMIT_SECONDS, packageFile, prove, SLOW_SERVICE, start } from "../../package/inside/host.ts";
import { BOUNCING, type Reports } from "../report.ts";
import { Contact, contactsAtRest, sellOnce } from "./contacts.ts";
import { jsonOf, must, tell } from "./step.ts";

const WATCHED_MS = 120_000;
const HAND_MS = 1_000;
const TRACE = "/root/day.trace";

type Move = Reports["move"];

const unit = new Unit();

await prove(unit, async () => {
  const relays = simulatedRelays();
  const contacts = contactsAtRest(relays);
  await unit.configure("guest", SLOW_SERVICE);
  await must("dpkg", "--install", packageFile("first"));
  tell("install the second gateway", await after(unit));

  await must("mount", "-o", "ro", "/dev/vdc", "/mnt");
  const restored = await jsonOf<Move["restored"]>("flanco", "restore", "--json");
  await must("umount", "/mnt");
  const state = await after(unit);
  const tls = await jsonOf<Move["tls"]>("flanco", "tls", "show", "--json");
  const wiring = await jsonOf<Move["wiring"]>("flanco", "wiring", "list", "--json");
  tell("move", { ...state, restored, tls, wiring });

  await allWatched(WATCHED_MS);
  shareProcessorWithInterrupts();
  const rooms = await sellOnce(contacts, new Ledger(unit.ledgerFile, false));
  await must("flanco", "verify");
  tell("sales after the move", { rooms });

  tell("simulate", await simulateRecorded(new Contact(relays, BOUNCING[0])));
});

/** Stops the service, records two switchings of a contact, and gives what `flanco simulate` makes of them. */
async function simulateRecorded(contact: Contact): Promise<Reports["simulate"]> {
  await must("systemctl", "stop", "flanco");
  const recorder = start(LIMIT_SECONDS, "flanco", "gpio", "record");
  let [trace, talk] = ["", ""];
  recorder.stdout.on("data", (chunk: Buffer) => (trace += chunk.toString()));
  recorder.stderr.on("data", (chunk: Buffer) => (talk += chunk.toString()));
  const ended = new Promise((resolve) => recorder.once("close", resolve));
  await until(() => (talk.includes("Ctrl-C") ? null : "nothing is recorded"), WATCHED_MS);
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
