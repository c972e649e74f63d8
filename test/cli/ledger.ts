import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { hashSync } from "bcryptjs";
import type { Id } from "../../src/domain/id.ts";
import type { LedgerWriter } from "../../src/domain/ledger.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, type OwnedWiring } from "../../src/domain/wiring.ts";
import { newDevice, newRecord, newWiring } from "../ledger/test-ledger.ts";
import { query } from "../rig/ledger-file.ts";
import { PASSWORD, Program } from "../rig/program.ts";
import { inLedger } from "../rig/writer.ts";

/** Cheap to compare with: what is tested is elsewhere. */
const BCRYPT_COST = 4;
export const EMAIL = "ana@example.org";

/** The number of the first record in a ledger that is made so: the account and its lines are entries before it. */
export const FIRST_RECORD = 10;

/**
 * Makes a ledger with one user, who has two devices of four rooms each on eight lines, and
 * a record of device 7234 worth 4 at each of these times (Unix milliseconds).
 */
export async function seedLedger(file: string, recordTimesMs: readonly number[] = []): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await inLedger(file, async (writer) => {
    const passwordHash = hashSync(PASSWORD, BCRYPT_COST);
    const user = await writer.addUser({ name: "Ana", email: EMAIL, passwordHash });
    await wireRooms(writer, user.id);
    for (const createdTimeMs of recordTimesMs) {
      const sale = newRecord({ deviceId: "7234", valorMicros: 4_000_000, createdTimeMs });
      await writer.addRecord(user.id, sale, null);
    }
  });
}

/** A program on such a ledger. */
export async function seededProgram(
  recordTimesMs: readonly number[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const program = await Program.make(environment);
  await seedLedger(program.ledgerFile, recordTimesMs);
  return program;
}

async function wireRooms(writer: LedgerWriter, userId: Id): Promise<void> {
  const locationName = "Clínica Norte";
  const locationId = await writer.addLocation(userId, { name: locationName, description: "" });
  const wirings: OwnedWiring[] = [];
  for (const [corridor, name] of ["Pasillo A", "Pasillo B"].entries()) {
    const dId = String(7234 + corridor);
    const rooms = [1, 2, 3, 4].map((room) => String((corridor + 1) * 100 + room));
    await writer.addDevice(userId, newDevice({ dId, name, locationId, locationName }, rooms));
    for (const actuatorId of rooms) {
      const line = `SIM${wirings.length}`;
      const valorMicros = corridor === 0 ? 4_000_000 : 5_500_000;
      const timing = { debounceMs: DEFAULT_DEBOUNCE_MS, rearmMs: DEFAULT_REARM_MS };
      wirings.push({ userId, wiring: newWiring({ line, dId, actuatorId, valorMicros, ...timing }) });
    }
  }
  await writer.setWiring(wirings);
}

/** Gives a ledger that no program has open a second user, with a device of the same dId as the first one's. */
export async function seedSecondUser(file: string, email: string): Promise<void> {
  await inLedger(file, async (writer) => {
    const user = await writer.addUser({ name: "Eva", email, passwordHash: hashSync(PASSWORD, BCRYPT_COST) });
    await writer.addDevice(user.id, newDevice({ name: "Pasillo de Eva", locationName: "Otra clínica" }));
  });
}

export interface RecordRow {
  readonly room: string;
  readonly line: string | null;
  readonly origin: string;
  readonly createdMs: number;
  readonly endedMs: number | null;
}

export interface LineRow {
  readonly active: number;
  readonly request: number;
  readonly sequence: number;
}

/** All records in the ledger's order, read from its file beside the process that writes it. */
export function recordRows(file: string): RecordRow[] {
  return query<RecordRow>(
    file,
    "SELECT room, line, origin, created_ms AS createdMs, ended_ms AS endedMs FROM record ORDER BY record_id",
  );
}

export interface GapRow {
  readonly line: string;
  readonly reason: string;
  /** Null for an outage. */
  readonly missed: number | null;
  readonly missedRises: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** All gaps in the ledger's order. */
export function gapRows(file: string): GapRow[] {
  return query<GapRow>(
    file,
    `SELECT line, reason, missed, missed_rises AS missedRises, from_ms AS fromMs, to_ms AS toMs
       FROM gap ORDER BY gap_id`,
  );
}

/** What the ledger last saw of a line; undefined before its first sight. */
export function lineRow(file: string, line: string): LineRow | undefined {
  return query<LineRow>(file, "SELECT active, request, sequence FROM line_state WHERE line = ?", line)[0];
}
