import { expect } from "chai";
import type { LocationLimit } from "../../../src/domain/limit.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TestLedger } from "../test-ledger.ts";

describe("a member's limit to locations", () => {
  const ledger = forEachTest(() => new TestLedger());
  let userId: string;
  let eva: string;
  let north: string;

  beforeEach(async () => {
    await ledger.open();
    userId = (await ledger.addUser("ana")).id;
    const member = { name: "Eva", email: "eva@example.org", role: "staff", passwordHash: "x" } as const;
    eva = (await ledger.writer.addMember(userId, member)).id;
    north = await addLocation("Norte");
  });

  const addLocation = (name: string) => ledger.writer.addLocation(userId, { name, description: "" });
  const limitTo = (locationIds: readonly string[] | null) =>
    ledger.writer.changeMember(userId, eva, { locationIds });
  const rename = (id: string, name: string) => ledger.writer.changeLocation(userId, id, { name });
  const limit = (): LocationLimit | undefined => ledger.reader.limits(eva).get(eva);

  it("has the names that its locations have and had, so that records of before a renaming stay theirs", async () => {
    await rename(north, "Norte Alta");
    await limitTo([north]);
    expect(limit()).to.deep.equal({ locationIds: [north], names: ["Norte", "Norte Alta"] });
    await rename(north, "Norte Baja");
    expect(limit()?.names).to.deep.equal(["Norte", "Norte Alta", "Norte Baja"]);
    await limitTo(null);
    expect(limit()).to.equal(undefined);
  });

  it("never has a name that another location has had", async () => {
    await rename(north, "Norte Alta");
    await addLocation("Norte");
    await limitTo([north]);
    expect(limit()?.names).to.deep.equal(["Norte Alta"]);
  });

  it("is refused where the location's name is another one's too, and keeps others from taking it", async () => {
    const twin = await addLocation("Norte");
    expect((await rejection(limitTo([north]))).code).to.equal("conflict");
    await rename(north, "Norte Alta");
    await limitTo([north]);
    for (const taken of ["Norte Alta"]) {
      expect((await rejection(addLocation(taken))).code).to.equal("conflict");
      expect((await rejection(rename(twin, taken))).code).to.equal("conflict");
    }
    expect((await rejection(rename(north, "Norte"))).code).to.equal("conflict");
    expect(ledger.reader.locations(userId).map(({ name }) => name)).to.deep.equal(["Norte Alta", "Norte"]);
  });

  it("goes with its location: then nothing is seen, and not everything", async () => {
    await limitTo([north]);
    await ledger.writer.removeLocation(userId, north);
    expect(limit()).to.deep.equal({ locationIds: [], names: [] });
    const again = await addLocation("Norte");
    expect(limit()).to.deep.equal({ locationIds: [], names: [] });
    await limitTo([again]);
    expect(limit()?.names).to.deep.equal(["Norte"]);
  });

  it("is no owner's, and an owner is not made of a limited member", async () => {
    expect(
      (await rejection(ledger.writer.changeMember(userId, userId, { locationIds: [north] }))).code,
    ).to.equal("conflict");
    await limitTo([north]);
    expect((await rejection(ledger.writer.changeMember(userId, eva, { role: "owner" }))).code).to.equal(
      "conflict",
    );
    await ledger.writer.changeMember(userId, eva, { role: "owner", locationIds: null });
    expect(limit()).to.equal(undefined);
  });

  it("is refused for a location of another account, and is written to the audit log", async () => {
    const other = await ledger.addUser("otra");
    const theirs = await ledger.writer.addLocation(other.id, { name: "Ajena", description: "" });
    expect((await rejection(limitTo([north, theirs]))).code).to.equal("not_found");
    await limitTo([north]);
    const [entry] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 1 });
    expect(entry).to.deep.include({
      kind: "locations_set",
      details: { email: "eva@example.org", all: false, locations: "Norte" },
    });
  });
});
