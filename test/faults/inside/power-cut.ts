// What a gateway does while its power may go: in the guest, starts the real program on an empty disk, makes the first
// user, posts records from several clients at once (some with an Idempotency-Key, some of those twice) and drives
// edges on the wired lines, with a backup meanwhile; then starts one of a later schema on another ledger. Writes a note for
// every acknowledgement to standard output, as it comes.
//
//   node power-cut.mjs DATA_DIRECTORY OLD_DATA_DIRECTORY POSTS SALES     (bundled)
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { PowerCutNote } from "../power-cut/note.ts";
import {
  EMAIL,
  LATER_VARIABLE,
  LINE_ROOMS,
  PASSWORD,
  POSTED_ROOM,
  postTimeMs,
  postValor,
} from "../power-cut/work.ts";
import { Client } from "./client.ts";
import { PROGRAM, Program } from "./program.ts";

const STANDARD_OUTPUT = 1;
const CLIENTS = 3;
const KEY_EVERY = 3;
const TWICE_EVERY = 9;
const D_ID = "7234";

const [dataDir, oldDataDir, posts, sales] = process.argv.slice(2);
const folder = process.env["FLANCO_TEST_GPIO_SIM"];
if (
  dataDir === undefined ||
  oldDataDir === undefined ||
  !(Number(posts) > 0) ||
  !(Number(sales) > 0) ||
  folder === undefined
) {
  throw new Error("usage: power-cut.mjs DATA_DIRECTORY OLD_DATA_DIRECTORY POSTS SALES (in a guest)");
}
await work(dataDir, Number(posts), Number(sales), folder);
await upgrade(oldDataDir);
process.exit(0);

async function work(directory: string, postCount: number, riseCount: number, relays: string): Promise<void> {
  const program = new Program(directory);
  const client = new Client();
  tell({ kind: "starting" });
  await program.start();
  tell({ kind: "ready" });
  const user = { token: program.firstRunToken, name: "Ana", email: EMAIL, password: PASSWORD };
  await client.send("POST", "/api/first-run", user);
  tell({ kind: "user", email: EMAIL });
  await wire(client);
  const onLevel = new Map<string, () => void>();
  await client.listen((event, data) => {
    if (event === "actuator") onLevel.get(JSON.parse(data).actuatorId)?.();
    if (event !== "record") return;
    const { recordId, habitacion, createdTime } = JSON.parse(data);
    // Posts are acknowledged by their answer.
    if (habitacion === POSTED_ROOM) return;
    tell({ kind: "sale", recordId, room: habitacion, createdMs: createdTime });
  });
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let number = next++; number < postCount; number = next++) await post(client, number);
  });
  let rises = 0;
  const lines = LINE_ROOMS.map(async (room, offset) => {
    while (rises++ < riseCount) {
      // The simulator merges what comes faster than its interrupt work: each level waits for the one before.
      for (const level of ["pull-up", "pull-down"]) {
        const told = new Promise<void>((resolve) => onLevel.set(room, resolve));
        writeFileSync(join(relays, `sim_gpio${offset}`, "pull"), level);
        await told;
      }
    }
  });
  await Promise.all([...lines, ...clients, backUp(directory)]);
  tell({ kind: "done", posts: postCount, rises: riseCount });
  tell({ kind: "stopped", exitCode: await program.end("SIGTERM") });
}

/** The service makes one of its own a minute after its start: the command is refused meanwhile, and repeated. */
async function backUp(directory: string): Promise<void> {
  tell({ kind: "backing-up" });
  let said = await tryBackUp(directory);
  while (said?.includes("Another backup")) said = await tryBackUp(directory);
  if (said !== undefined) throw new Error(`flanco backup failed: ${said}`);
  tell({ kind: "backed-up" });
}

/** Gives what the command said where it failed. */
async function tryBackUp(directory: string): Promise<string | undefined> {
  const backup = spawn(process.execPath, [PROGRAM, "backup"], {
    env: { ...process.env, FLANCO_DATA_DIR: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  backup.stderr.on("data", (chunk) => (said += chunk));
  const [exitCode] = await once(backup, "close");
  return exitCode === 0 ? undefined : said;
}

async function upgrade(directory: string): Promise<void> {
  const program = new Program(directory);
  process.env[LATER_VARIABLE] = "1";
  tell({ kind: "upgrading" });
  await program.start();
  tell({ kind: "upgraded" });
  await program.end("SIGTERM");
}

async function wire(client: Client): Promise<void> {
  await client.send("POST", "/api/device", {
    newDevice: {
      dId: D_ID,
      name: "Pasillo A",
      locationId: "hospital",
      locationName: "Hospital",
      actuators: LINE_ROOMS.map((id) => ({ id, value: false })),
    },
  });
  for (const [offset, actuatorId] of LINE_ROOMS.entries()) {
    await client.send("PUT", "/api/wiring", {
      wiring: { line: `RELAY${offset}`, dId: D_ID, actuatorId, valor: 4, debounceMs: 0, rearmMs: 0 },
    });
  }
}

async function post(client: Client, number: number): Promise<void> {
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
  await client.send("POST", "/api/data", body, headers);
  tell({ kind: "posted", number });
  if (number % TWICE_EVERY === 0) await client.send("POST", "/api/data", body, headers);
}

/** At once: what waits in this process would be a later acknowledgement than it was. */
function tell(note: PowerCutNote): void {
  writeSync(STANDARD_OUTPUT, `${JSON.stringify(note)}\n`);
}
