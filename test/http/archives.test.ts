import { expect } from "chai";
import { Appliance } from "./appliance.ts";

describe("GET /api/archives", () => {
  it("is for signed-in users, and names no month while none is archived", async () => {
    const appliance = await Appliance.open();
    await appliance.api.get("/api/archives").expect(401);
    const user = await appliance.addUser();
    const response = await appliance.api.get("/api/archives").set("Cookie", user.cookie).expect(200);
    expect(response.body).to.deep.equal({ status: "success", data: { months: [] } });
    await appliance.close();
  });
});
