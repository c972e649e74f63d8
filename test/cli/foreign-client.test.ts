import { expect } from "chai";
import { PASSWORD, PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";

const ORIGIN = "https://panel.example.org";
const EMAIL = "ana@example.org";
const RECORD = {
  locationName: "Clínica Norte",
  deviceName: "Pasillo A",
  deviceId: "7234",
  habitacion: "101",
  valor: 4.5,
};
const DEVICE = {
  dId: "7234",
  name: "Pasillo A",
  locationId: "1",
  locationName: "Clínica Norte",
  actuators: [{ id: "101", value: false }],
};

/** A program of another site: keeps the cookies that it is given, and says where it comes from. */
class ForeignClient {
  readonly #baseUrl: string;
  readonly #jar = new Map<string, string>();

  constructor({ baseUrl }: RunningService) {
    this.#baseUrl = baseUrl;
  }

  get cookies(): number {
    return this.#jar.size;
  }

  /** As a browser: asks for leave before a request that is not simple, and reads an answer that it may read. */
  async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { origin: ORIGIN, "sec-fetch-site": "cross-site" };
    if (method !== "GET") await this.#askLeave(method, path);
    const answer = await fetch(this.#baseUrl + path, {
      method,
      headers: {
        ...headers,
        cookie: [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.headers.get("access-control-allow-origin"), path).to.equal(ORIGIN);
    expect(answer.headers.get("access-control-allow-credentials"), path).to.equal("true");
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return { status: answer.status, body: await answer.json() };
  }

  async #askLeave(method: string, path: string): Promise<void> {
    const answer = await fetch(this.#baseUrl + path, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type",
      },
    });
    expect(answer.headers.get("access-control-allow-origin"), path).to.equal(ORIGIN);
    expect(answer.headers.get("access-control-allow-methods")?.split(", "), path).to.include(method);
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    const [name = "", value = ""] = pair.split("=");
    const isOver = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
    if (value === "" || isOver) this.#jar.delete(name);
    else this.#jar.set(name, value);
    // A browser sends it with requests of another site on these conditions alone.
    for (const needed of ["httponly", "secure", "samesite=none"]) {
      expect(
        attributes.map((attribute) => attribute.toLowerCase()),
        line,
      ).to.include(needed);
    }
  }
}

describe("a client of a listed foreign origin", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;
  let client: ForeignClient;

  beforeEach(async () => {
    appliance = await Program.make({ FLANCO_ALLOWED_ORIGINS: ORIGIN });
    const service = await appliance.start();
    await service.makeFirstUser();
    client = new ForeignClient(service);
  });

  afterEach(() => appliance.close());

  it("signs in, asks who it is, keeps places, devices and records, reads their sum, and signs out", async () => {
    expect(await client.send("GET", "/api/verify")).to.deep.equal({
      status: 401,
      body: { status: "error", error: "Unauthorized" },
    });
    expect((await client.send("POST", "/api/login", { email: EMAIL, password: PASSWORD })).status).to.equal(
      200,
    );
    expect(client.cookies).to.equal(1);
    expect((await client.send("GET", "/api/verify")).status).to.equal(200);

    const location = { name: "Clínica Norte", description: "" };
    expect((await client.send("POST", "/api/location", { location })).status).to.equal(200);
    expect((await client.send("POST", "/api/device", { newDevice: DEVICE })).status).to.equal(200);
    const devices = (await client.send("GET", "/api/device")).body as { data: { dId: string }[] };
    expect(devices.data.map(({ dId }) => dId)).to.deep.equal([DEVICE.dId]);
    const locations = (await client.send("GET", "/api/location")).body as { data: { name: string }[] };
    expect(locations.data.map(({ name }) => name)).to.deep.equal([location.name]);

    for (const valor of [0.1, 0.2]) {
      const posted = await client.send("POST", "/api/data", { ...RECORD, valor, createdTime: Date.now() });
      expect(posted.body).to.deep.equal({ status: "success", message: "Data saved successfully" });
    }
    const summary = (await client.send("GET", "/api/data?period=semanal")).body as { data: object };
    expect(summary.data).to.include({ totalRevenue: 0.3, totalSales: 2, totalLocations: 1, totalDevices: 1 });

    expect((await client.send("DELETE", `/api/device?dId=${DEVICE.dId}`)).status).to.equal(200);
    expect((await client.send("POST", "/api/logout")).status).to.equal(200);
    expect(client.cookies).to.equal(0);
    expect((await client.send("GET", "/api/device")).status).to.equal(401);
  });
});
