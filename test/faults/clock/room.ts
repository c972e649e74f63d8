const USER = { name: "Ana", email: "ana@example.org", password: "correct horse battery" };
const ROOM = "101";
const DEVICE = { dId: "7234", name: "Pasillo A", locationId: "l", locationName: "Clínica" };

/** The service's one user, with one room wired to a line. Every answer but a success throws. */
export class RoomClient {
  readonly #baseUrl: string;
  #cookie = "";

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async prepare(firstRunToken: string, line: string): Promise<void> {
    const answer = await this.#send("POST", "/api/first-run", { token: firstRunToken, ...USER });
    this.#cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const actuators = [{ id: ROOM, value: false }];
    await this.#send("POST", "/api/device", { newDevice: { ...DEVICE, actuators } });
    const wiring = { line, dId: DEVICE.dId, actuatorId: ROOM, valor: 4, debounceMs: 0, rearmMs: 0 };
    await this.#send("PUT", "/api/wiring", { wiring });
  }

  /** Whether the session of `prepare` stands. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#ask("GET", "/api/verify")).status === 200;
  }

  async #send(method: string, path: string, body: unknown): Promise<Response> {
    const answer = await this.#ask(method, path, JSON.stringify(body));
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  #ask(method: string, path: string, body?: string): Promise<Response> {
    // The program is killed again and again: a connection that was kept would be a dead one.
    const headers = { cookie: this.#cookie, "content-type": "application/json", connection: "close" };
    return fetch(this.#baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) });
  }
}
