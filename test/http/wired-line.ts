import { monotonicMs, NANOSECONDS_PER_MILLISECOND } from "../../src/domain/clock.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { aSighting } from "../domain/sighting.ts";
import { type Appliance, BOOT_ID, NOON_MS } from "../rig/appliance.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { aDevice, aWiring } from "./bodies.ts";

interface Room {
  /** The device's key in the API. */
  readonly dId: string;
  readonly actuatorId: string;
}

/** A provisional level is of a boot whose clock can never be known, so that its record stays provisional. */
const EARLIER_BOOT_ID = "boot";

/** A line of one room that goes high and low, told to the ledger as a recorder tells it. */
export class WiredLine {
  readonly #appliance: Appliance;
  readonly #line: string;
  readonly #deviceId: string;
  readonly #room: Room;
  /** Monotonic time of the first level: what is changed later holds for later levels. */
  readonly #beganMs: number;
  #sequence = -1;

  private constructor(appliance: Appliance, line: string, deviceId: string, room: Room) {
    this.#appliance = appliance;
    this.#beganMs = monotonicMs(appliance.clock);
    this.#line = line;
    this.#deviceId = deviceId;
    this.#room = room;
  }

  /** Wires a line to a room, whose device it registers where the user has none of that dId, and finds it low. */
  static async wire(
    appliance: Appliance,
    user: SignedInUser,
    line: string,
    room: Room = { dId: "7234", actuatorId: "101" },
    valor = 4.5,
  ): Promise<WiredLine> {
    const own = () => appliance.reader.devices(user.id).find(({ dId }) => dId === room.dId);
    if (own() === undefined) await appliance.writer.addDevice(user.id, aDevice({ dId: room.dId }).newDevice);
    await user.put("/api/wiring", aWiring({ line, ...room, valor })).expect(200);
    const wired = new WiredLine(appliance, line, own()?.id ?? "", room);
    await wired.go(false);
    return wired;
  }

  /** One level more, one second after the last; `missed` edges were lost just before it. */
  async go(active: boolean, missed = 0, { provisional = false } = {}): Promise<void> {
    await this.#appliance.writer.takeIn([this.#next(active, missed, provisional)]);
  }

  /** So many times high and low, and each time edges are lost before. */
  async goOften(
    count: number,
    { missed, provisional }: { missed: number; provisional: boolean },
  ): Promise<void> {
    const sightings = Array.from({ length: count }, () => [
      this.#next(true, missed, provisional),
      this.#next(false, missed, provisional),
    ]).flat();
    await this.#appliance.writer.takeIn(sightings);
  }

  #next(active: boolean, missed: number, provisional: boolean): Sighting {
    this.#sequence += 1 + missed;
    return aSighting(active, this.#sequence, {
      line: this.#line,
      deviceId: this.#deviceId,
      actuatorId: this.#room.actuatorId,
      timeMs: this.timeMs,
      source: { bootId: provisional ? EARLIER_BOOT_ID : BOOT_ID, request: 1, sequence: this.#sequence },
      monotonicNs: BigInt(this.#monotonicMs) * NANOSECONDS_PER_MILLISECOND,
      missed,
      provisional,
    });
  }

  get #monotonicMs(): number {
    return this.#beganMs + this.#sequence * 1_000;
  }

  /** Wall time of the last level. */
  get timeMs(): number {
    return NOON_MS + this.#sequence * 1_000;
  }
}
