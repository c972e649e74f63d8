import { expect } from "chai";
import { MAX_LOGO_BYTES } from "../../src/domain/user.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";

const PNG = "89504e470d0a1a0a";
const JPEG = "ffd8ff";
const LETTERHEAD = {
  company: "Servicios del Norte, S. L.",
  taxNumber: "B-12345674",
  address: "Calle Mayor, 1, Madrid",
  logo: logoOf("png", PNG),
};

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

  for (const [name, logo] of [
    ["a picture of another type than it says", logoOf("png", JPEG)],
    ["an SVG, which may hold a script", logoOf("svg+xml", Buffer.from("<svg/>").toString("hex"))],
    ["a page", logoOf("png", Buffer.from("<html>").toString("hex"))],
    ["the address of a picture elsewhere", "https://example.org/logo.png"],
    ["text behind the picture", `${logoOf("png", PNG)}" onerror="`],
    ["one that is too large", logoOf("png", PNG, MAX_LOGO_BYTES + 1)],
  ] as const) {
    it(`refuses as its logo ${name}`, async () => {
      const { body } = await set({ logo }).expect(400);
      expect(body.errors).to.have.keys("logo");
      expect((await get()).logo).to.equal("");
    });
  }
});

/** A file of that many bytes that begins so. */
function logoOf(type: string, beginning: string, bytes = 32): string {
  const content = Buffer.alloc(bytes);
  content.write(beginning, "hex");
  return `data:image/${type};base64,${content.toString("base64")}`;
}
