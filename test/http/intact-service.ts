import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aRecord } from "./bodies.ts";

/**
 * A service, and before each test a user of its own with a record and a device. To make in a `describe`: whatever a test
 * sends, after it what was stored before must stand, and the service goes on.
 */
export class IntactService {
  readonly appliance = forSuite(() => Appliance.open());
  readonly user = forEachTest(() => this.appliance.addUser());

  constructor() {
    beforeEach(async () => {
      await this.post("/api/data", aRecord()).expect(201);
      await this.post("/api/device", aDevice()).expect(200);
    });
    afterEach(async () => {
      const data = await this.user.data("/api/data?period=anual");
      expect(data.totalSales).to.be.at.least(1);
      const devices = this.appliance.reader.devices(this.user.id);
      expect(devices[0]).to.deep.include({ dId: "7234", revision: 0 });
    });
  }

  post(path: string, body: string | object) {
    return this.user.post(path).set("Content-Type", "application/json").send(body);
  }
}
