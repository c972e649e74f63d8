import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import DatabaseConstructor from "better-sqlite3";
import { MIGRATIONS } from "../src/ledger/engine/schema.ts";
import { migrate } from "../src/ledger/engine/upgrade.ts";

/** A post as it arrives: the contract's six fields, unchecked. */
export interface FloorPost {
  readonly locationName: string;
  readonly deviceName: string;
  readonly deviceId: string;
  readonly habitacion: string;
  readonly valor: number;
  readonly createdTime: number;
}

export interface FloorThreadSettings {
  readonly file: string;
  /** Whose records all of them are. */
  readonly userId: string;
}

/** As the ledger's: frames in the log before a checkpoint. */
const CHECKPOINT_PAGES = 1_000;
const MICROS_PER_UNIT = 1_000_000;

/** Writes what waits in one transaction and says of each batch that it is on the disk. */
function serve(port: MessagePort, settings: FloorThreadSettings): void {
  const db = new DatabaseConstructor(settings.file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  migrate(db, () => {}, MIGRATIONS);
  const insert = db.prepare(
    `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms, effective_ms,
                         day, origin, hash, number)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 20260101, 'posted', zeroblob(32), 1)`,
  );
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");

  function store(post: FloorPost): void {
    const { locationName, deviceName, deviceId, habitacion, valor, createdTime } = post;
    const micros = Math.round(valor * MICROS_PER_UNIT);
    insert.run(
      settings.userId,
      locationName,
      deviceName,
      deviceId,
      habitacion,
      micros,
      createdTime,
      createdTime,
    );
  }

  port.on("message", (first: readonly FloorPost[] | null) => {
    const batches: (readonly FloorPost[])[] = [];
    let closing = false;
    for (let next: { message: readonly FloorPost[] | null } | undefined = { message: first }; next; ) {
      if (next.message === null) closing = true;
      else batches.push(next.message);
      next = receiveMessageOnPort(port) as { message: readonly FloorPost[] | null } | undefined;
    }
    begin.run();
    for (const batch of batches) for (const post of batch) store(post);
    commit.run();
    for (const batch of batches) port.postMessage(batch.length);
    if (closing) {
      db.close();
      port.close();
    }
  });
}

if (parentPort !== null) serve(parentPort, workerData as FloorThreadSettings);
