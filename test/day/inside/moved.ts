// The second half of the day: a new gateway takes the clinic from the disk that was carried to it, and goes on.
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { allWatched, shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { ROOMS } from "../../guest/report.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { after, install, prove, SLOW_SERVICE } from "../../package/inside/host.ts";
import { BOUNCING } from "../report.ts";
import { Contact } from "./contacts.ts";
import { simulateRecorded } from "./simulated.ts";
import { jsonIn, must, tell } from "./step.ts";

const WATCHED_MS = 120_000;
const COMMITTED_MS = 120_000;
const HAND_MS = 1_000;

const unit = new Unit();

await prove(unit, async () => {
  const relays = simulatedRelays();
  const contacts = ROOMS.map((room) => new Contact(relays, room));
  for (const contact of contacts) contact.rest();
  await unit.configure("guest", SLOW_SERVICE);
  const { exitCode, said } = await install("first");
  if (exitCode !== 0) throw new Error(said);
  tell("install the second gateway", { ...(await after(unit)) });

  await must("mount", "-o", "ro", "/dev/vdc", "/mnt");
  const { said: restored } = await must("flanco", "restore", "--json");
  await must("umount", "/mnt");
  const state = await after(unit);
  const { said: shown } = await must("flanco", "tls", "show", "--json");
  const { said: wiring } = await must("flanco", "wiring", "list", "--json");
  tell("move", { ...state, restored: jsonIn(restored), tls: jsonIn(shown), wiring: jsonIn(wiring) });

  await allWatched(WATCHED_MS);
  shareProcessorWithInterrupts();
  const ledger = new Ledger(unit.ledgerFile, false);
  const position = ledger.position();
  for (const on of [true, false]) {
    for (const contact of contacts) contact.switch(on);
    await pause(HAND_MS);
  }
  await until(() => {
    const missing = ROOMS.length - 1 - ledger.rowsAfter(position).length;
    return missing <= 0 ? null : `${missing} sales are missing`;
  }, COMMITTED_MS);
  await must("flanco", "verify");
  tell("sales after the move", { rooms: ledger.rowsAfter(position).map(({ room }) => room) });

  tell("simulate", { simulated: await simulateRecorded(new Contact(relays, BOUNCING[0])) });
});
