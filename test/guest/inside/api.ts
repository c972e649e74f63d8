import type { IncomingMessage } from "node:http";
import { begin } from "../../rig/exchange.ts";
import { ROOMS, typedName, valorOf } from "../report.ts";

export const EMAIL = "ana@example.org";
export const PASSWORD = "correct horse battery";
export const D_ID = "7234";

const REQUEST_TIMEOUT = 408;
const TIMES_AGAIN = 3;

type Headers = Readonly<Record<string, string>>;

/** The service's API, for its first user. Every answer but a success throws. */
export class Api {
  readonly #baseUrl: string;
  #cookie = "";

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async login(): Promise<void> {
    this.#keepCookie(await this.#send("POST", "/api/login", { email: EMAIL, password: PASSWORD }));
  }

  /** Makes the first user with the link's token, and is signed in as that user. */
  async makeFirstUser(token: string): Promise<void> {
    const user = { name: "Ana", email: EMAIL, password: PASSWORD };
    this.#keepCookie(await this.#send("POST", "/api/first-run", { ...user, token }));
  }

  #keepCookie(response: Response): void {
    const cookie = response.headers.getSetCookie().find((entry) => entry.startsWith("auth_token="));
    if (cookie === undefined) throw new Error("Signing in set no auth_token.");
    this.#cookie = cookie.slice(0, cookie.indexOf(";"));
  }

  /** Registers a device of eight rooms. */
  async register(): Promise<void> {
    await this.#send("POST", "/api/device", {
      newDevice: {
        dId: D_ID,
        name: "Pasillo A",
        locationId: "hospital",
        locationName: "Hospital",
        actuators: ROOMS.map((id) => ({ id, value: false })),
      },
    });
  }

  /** Registers the device and wires a line to each of its rooms. */
  async wireEightRooms(): Promise<void> {
    await this.register();
    for (const offset of ROOMS.keys()) await this.wire(offset);
  }

  /** Wires the line of that offset to its room, without debounce. */
  async wire(offset: number): Promise<void> {
    const line = typedName(offset);
    const timing = { debounceMs: 0, rearmMs: 0 };
    const wiring = { line, dId: D_ID, actuatorId: ROOMS[offset], valor: valorOf(offset), ...timing };
    await this.#send("PUT", "/api/wiring", { wiring });
  }

  async unwire(line: string): Promise<void> {
    await this.#send("DELETE", `/api/wiring?line=${encodeURIComponent(line)}`);
  }

  /** Posts one sale, of that time. Resolves once the service has acknowledged it. */
  async sell(createdMs: number): Promise<void> {
    await this.#send("POST", "/api/data", {
      locationName: "Hospital",
      locationId: "hospital",
      deviceId: D_ID,
      deviceName: "Pasillo A",
      habitacion: ROOMS[0],
      valor: valorOf(0),
      createdTime: createdMs,
    });
  }

  /** What a request's answer has under `data`. */
  async ask<Data>(method: string, path: string, body?: unknown, headers?: Headers): Promise<Data> {
    return ((await (await this.#send(method, path, body, headers)).json()) as { data: Data }).data;
  }

  /** Asks for a path, and gives the answer before its body is read. */
  begin(path: string): Promise<IncomingMessage> {
    return begin(this.#baseUrl + path, this.#cookie);
  }

  /** How a request gets to the service, and its answer back. */
  protected fetch(path: string, method: string, headers: Headers, body?: string): Promise<Response> {
    // The service is killed again and again: a connection that was kept would be a dead one.
    const closing = { ...headers, connection: "close" };
    return fetch(this.#baseUrl + path, { method, headers: closing, ...(body === undefined ? {} : { body }) });
  }

  async #send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    const type: Headers = body === undefined ? {} : { "content-type": "application/json" };
    const all = { cookie: this.#cookie, ...type, ...headers };
    const text = body === undefined ? body : JSON.stringify(body);
    let response = await this.fetch(path, method, all, text);
    // A machine that stood still: the request was not read in time, and was never begun.
    for (let again = 0; response.status === REQUEST_TIMEOUT && again < TIMES_AGAIN; again += 1)
      response = await this.fetch(path, method, all, text);
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }
}
