// What a gateway does while its power may go: in the guest, starts the real program on an empty disk, makes the first
// user, posts records from several clients at once (some with an Idempotency-Key, some of those twice) and drives
// edges on the wired lines, with a backup meanwhile; then starts one of a later schema on another ledger. Writes a note for
// every acknowledgement to standard output, as it comes.
//
//   node power-cut.mjs DATA_DIRECTORY OLD_DATA_DIRECTORY POSTS SALES     (bundled)
import { writeSync } from "node:fs";
import { Api, EMAIL } from "../../guest/inside/api.ts";
import { type Relays, simulatedRelays } from "../../guest/inside/relays.ts";
import { ROOMS } from "../../guest/report.ts";
import { EventStream } from "../../rig/event-stream.ts";
import type { PowerCutNote } from "../power-cut/note.ts";
import { LATER_VARIABLE, POSTED_ROOM, postTimeMs, postValor } from "../power-cut/work.ts";
import { Service } from "./service.ts";

const STANDARD_OUTPUT = 1;
const CLIENTS = 3;
const KEY_EVERY = 3;
const TWICE_EVERY = 9;

const [dataDir, oldDataDir, posts, sales] = process.argv.slice(2);
if (dataDir === undefined || oldDataDir === undefined || !(Number(posts) > 0) || !(Number(sales) > 0)) {
  throw new Error("usage: power-cut.mjs DATA_DIRECTORY OLD_DATA_DIRECTORY POSTS SALES (in a guest)");
}
await work(dataDir, Number(posts), Number(sales), simulatedRelays());
await upgrade(oldDataDir);
process.exit(0);

async function work(directory: string, postCount: number, riseCount: number, relays: Relays): Promise<void> {
  const service = new Service(directory);
  tell({ kind: "starting" });
  await service.start();
  tell({ kind: "ready" });
  const api = new Api(service.baseUrl);
  await api.makeFirstUser(service.firstRunToken);
  tell({ kind: "user", email: EMAIL });
  await api.wireEightRooms();
  const onLevel = new Map<string, () => void>();
  const events = await EventStream.open(api);
  // The stream begins with a greeting, and is listened to from then on.
  await events.next();
  const heard = hear(events, onLevel);
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let number = next++; number < postCount; number = next++) await post(api, number);
  });
  let rises = 0;
  const lines = ROOMS.map(async (room, offset) => {
    while (rises++ < riseCount) {
      // The simulator merges what comes faster than its interrupt work: each level waits for the one before.
      for (const high of [true, false]) {
        const told = new Promise<void>((resolve) => onLevel.set(room, resolve));
        relays.drive(offset, high);
        await told;
      }
    }
  });
  await Promise.all([...lines, ...clients, backUp(service)]);
  tell({ kind: "done", posts: postCount, rises: riseCount });
  tell({ kind: "stopped", exitCode: await service.end() });
  await heard;
}

/** Tells each sale of an edge, and calls for each level what waits for it, until the service ends the stream. */
async function hear(events: EventStream, onLevel: ReadonlyMap<string, () => void>): Promise<void> {
  for (let heard = await events.next(); heard !== undefined; heard = await events.next()) {
    if (heard.event === "actuator") onLevel.get(heard.data.actuatorId)?.();
    if (heard.event !== "record") continue;
    const { number, habitacion: room, createdTime: createdMs } = heard.data;
    // Posts are acknowledged by their answer.
    if (room !== POSTED_ROOM) tell({ kind: "sale", number, room, createdMs });
  }
}

/** The service makes one of its own a minute after its start: the command is refused meanwhile, and repeated. */
async function backUp(service: Service): Promise<void> {
  tell({ kind: "backing-up" });
  let made = await service.command("backup");
  while (made.said.includes("Another backup")) made = await service.command("backup");
  if (made.exitCode !== 0) throw new Error(`flanco backup failed: ${made.said}`);
  tell({ kind: "backed-up" });
}

async function upgrade(directory: string): Promise<void> {
  process.env[LATER_VARIABLE] = "1";
  const service = new Service(directory);
  tell({ kind: "upgrading" });
  await service.start();
  tell({ kind: "upgraded" });
  await service.end();
}

async function post(api: Api, number: number): Promise<void> {
  const body = {
    locationName: `Hospital ${number % 4}`,
    deviceName: "Pasillo B",
    deviceId: "7235",
    habitacion: POSTED_ROOM,
    valor: postValor(number),
    createdTime: postTimeMs(number),
  };
  const headers: Record<string, string> =
    number % KEY_EVERY === 0 ? { "idempotency-key": `post-${number}` } : {};
  await api.ask("POST", "/api/data", body, headers);
  tell({ kind: "posted", number });
  if (number % TWICE_EVERY === 0) await api.ask("POST", "/api/data", body, headers);
}

/** At once: what waits in this process would be a later acknowledgement than it was. */
function tell(note: PowerCutNote): void {
  writeSync(STANDARD_OUTPUT, `${JSON.stringify(note)}\n`);
}
