import { expect } from "chai";
import { Appliance, type SignedInUser } from "../rig/appliance.ts";
import { aDevice, aRecord } from "./bodies.ts";

/**
 * A service, and before each test a user of its own with a record and a device. To make in a `describe`: whatever a test
 * sends, after it what was stored before must stand, and the service goes on.
 */
export class Held {
  #appliance: Appliance | undefined;
  #user: SignedInUser | undefined;

  constructor() {
    before(async () => {
      this.#appliance = await Appliance.open();
    });
    beforeEach(async () => {
      this.#user = await this.appliance.addUser();
      await this.post("/api/data", aRecord()).expect(201);
      await this.post("/api/device", aDevice()).expect(200);
    });
    afterEach(async () => {
      const { api, reader } = this.appliance;
      const response = await api.get("/api/data?period=anual").set("Cookie", this.user.cookie).expect(200);
      expect(response.body.data.totalSales).to.be.at.least(1);
      const devices = reader.devices(this.user.id);
      expect(devices[0]).to.deep.include({ dId: "7234", revision: 0 });
    });
    after(() => this.appliance.close());
  }

  get appliance(): Appliance {
    if (this.#appliance === undefined) throw new Error("The suite has not begun.");
    return this.#appliance;
  }

  get user(): SignedInUser {
    if (this.#user === undefined) throw new Error("No test has begun.");
    return this.#user;
  }

  post(path: string, body: string | object) {
    return this.appliance.api
      .post(path)
      .set("Cookie", this.user.cookie)
      .set("Content-Type", "application/json")
      .send(body);
  }
}
