import { expect } from "chai";
import { MAX_LOGO_BYTES } from "../../src/domain/user.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { JPEG, LETTERHEAD, logoOf, PNG } from "./bodies.ts";

describe("The letterhead of an account", () => {
  const appliance = forSuite(() => Appliance.open());
  const owner = forEachTest(() => appliance.addUser());

  function set(otherwise: object = {}) {
    return owner.put("/api/letterhead", { letterhead: { ...LETTERHEAD, ...otherwise } });
  }

  async function get(by = owner) {
    return await by.data("/api/letterhead");
  }

  it("is empty at first, and then as it was set, for this account alone", async () => {
    expect(await get()).to.deep.equal({ company: "", taxNumber: "", address: "", logo: "" });
    await set().expect(200);
    expect(await get()).to.deep.equal(LETTERHEAD);
    expect((await get(await appliance.addUser())).company).to.equal("");
  });

  it("is written to the audit log, with the picture's hash in place of the picture", async () => {
    await set().expect(200);
    const { kind, details } = (await owner.data("/api/audit"))[0];
    expect(kind).to.equal("letterhead_set");
    expect(details).to.include({ company: LETTERHEAD.company, taxNumber: LETTERHEAD.taxNumber });
    expect(details.logo).to.match(/^[0-9a-f]{64}$/);
  });

  for (const [name, logo] of [
    ["a JPEG", logoOf("jpeg", JPEG)],
    ["none", ""],
    ["one of the largest size", logoOf("png", PNG, MAX_LOGO_BYTES)],
  ] as const) {
    it(`takes as its logo ${name}`, async () => {
      await set({ logo }).expect(200);
      expect((await get()).logo).to.equal(logo);
    });
  }
});
