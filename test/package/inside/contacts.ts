import { setTimeout as pause } from "node:timers/promises";
import type { Commission, CommissionedRoom } from "../../../src/contract/commission.ts";
import type { Api } from "../../guest/inside/api.ts";
import type { Ledger } from "../../guest/inside/ledger.ts";
import type { Relays } from "../../guest/inside/relays.ts";
import { ROOMS } from "../../guest/report.ts";
import { until } from "../../rig/until.ts";
import { BOUNCING, INVERTED, type RoomVerdicts, SILENT } from "../day-report.ts";

/** Longer than the edges of one switching, and than any debounce that is set: a hand is no faster. */
const HAND_MS = 1_000;
const JUDGED_MS = 120_000;
const COMMITTED_MS = 120_000;
/** A bounce takes longer on a busy machine: the debounce that is proposed may not be enough for the next one. */
const MOST_MENDS = 5;
/**
 * What the bouncing contacts stay at each level of a bounce while they are commissioned: too long for the default debounce.
 * Later they bounce at once, so that the debounce that was proposed holds on a busy machine too.
 */
const BOUNCE_MS = 40;

type Room = (typeof ROOMS)[number];

/** A relay's contact as the clinic's electrician has wired it. */
export class Contact {
  readonly room: Room;
  readonly #relays: Relays;
  readonly #offset: number;
  #isOn = false;

  constructor(relays: Relays, room: Room) {
    this.room = room;
    this.#relays = relays;
    this.#offset = ROOMS.indexOf(room);
  }

  /** As before the first switching. */
  rest(): void {
    this.#relays.drive(this.#offset, this.room === INVERTED);
  }

  /**
   * Switches the relay, which a cut wire does not tell. A relay that is so already does not move, nor bounce.
   * @param bounceMs how long a bouncing contact stays at each level of its bounce
   */
  switch(on: boolean, bounceMs = 0): void {
    if (this.room === SILENT || on === this.#isOn) return;
    this.#isOn = on;
    const high = on !== (this.room === INVERTED);
    if (BOUNCING.some((one) => one === this.room)) {
      for (const level of [high, !high]) {
        this.#relays.drive(this.#offset, level);
        sleep(bounceMs);
      }
    }
    this.#relays.drive(this.#offset, high);
  }
}

/** Holds this thread: what drives a contact does nothing else. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** All of the clinic's contacts, as before the first switching. */
export function contactsAtRest(relays: Relays): readonly Contact[] {
  const contacts = ROOMS.map((room) => new Contact(relays, room));
  for (const contact of contacts) contact.rest();
  return contacts;
}

/** Switches all of them on and off once; gives the rooms whose sales the ledger then has, once all but the silent one are there. */
export async function sellOnce(contacts: readonly Contact[], ledger: Ledger): Promise<readonly string[]> {
  const position = ledger.position();
  for (const on of [true, false]) {
    for (const contact of contacts) contact.switch(on);
    await pause(HAND_MS);
  }
  const areIn = () => ledger.rowsAfter(position).length >= ROOMS.length - 1;
  await until("the sales are in the ledger", areIn, COMMITTED_MS);
  return ledger.rowsAfter(position).map(({ room }) => room);
}

/** Switches each room's relay as the technician does, has mended what is proposed, and ticks it off. */
export async function commissionAll(
  api: Api,
  dId: string,
  contacts: readonly Contact[],
): Promise<readonly RoomVerdicts[]> {
  await api.ask("PUT", "/api/commission", { commission: {} });
  const commissioned: RoomVerdicts[] = [];
  for (const contact of contacts) {
    const key = { dId, room: contact.room };
    const verdicts: string[] = [];
    for (let mends = 0; mends <= MOST_MENDS; mends += 1) {
      await api.ask("PUT", "/api/commission/room", { room: key });
      const { verdict, mend } = await switchOnce(api, contact);
      verdicts.push(verdict ?? "");
      if (mend !== null) await api.ask("POST", "/api/commission/mend", { room: key });
      contact.switch(false, BOUNCE_MS);
      await pause(HAND_MS);
      if (mend === null) break;
    }
    await api.ask("PUT", "/api/commission/tick", { tick: { ...key, note: "" } });
    commissioned.push({ room: contact.room, verdicts });
  }
  return commissioned;
}

/** Switches on, and off again, unless what is wrong shows while the relay is on, as of an inverted contact. */
async function switchOnce(api: Api, contact: Contact): Promise<CommissionedRoom["judgement"]> {
  let found = await judgementOf(api, contact.room);
  const look = async (isSeen: () => boolean) => {
    await pause(HAND_MS);
    found = await judgementOf(api, contact.room);
    return isSeen();
  };
  const what = `room ${contact.room} has a verdict`;
  contact.switch(true, BOUNCE_MS);
  await until(what, () => look(() => found.verdict !== null || (found.measured?.edges ?? 0) > 0), JUDGED_MS);
  // The edges of one switching may still come.
  await look(() => true);
  if (found.mend !== null || found.verdict === "silent") return found;
  contact.switch(false, BOUNCE_MS);
  await until(what, () => look(() => found.verdict !== null), JUDGED_MS);
  return found;
}

async function judgementOf(api: Api, room: string): Promise<CommissionedRoom["judgement"]> {
  const { rooms } = await api.ask<Commission>("GET", "/api/commission");
  const found = rooms.find((one) => one.room === room);
  if (found === undefined) throw new Error(`There is no room ${room}.`);
  return found.judgement;
}
