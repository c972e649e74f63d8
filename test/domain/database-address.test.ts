import { expect } from "chai";
import { isDatabaseAddress, parseDatabaseAddress } from "../../src/domain/database-address.ts";

describe("A database's address", () => {
  it("names the role, the database and the nodes", () => {
    expect(parseDatabaseAddress("postgresql://a%40b@db1:6432,[::1]/c?sslrootcert=/ca.pem")).to.deep.equal({
      user: "a@b",
      database: "c",
      hosts: [
        { host: "db1", port: 6432 },
        { host: "::1", port: 5432 },
      ],
      authorities: "/ca.pem",
      isPlain: false,
    });
  });

  for (const url of [
    "postgresql://a:secret@db/c",
    "postgresql://a@db",
    "postgresql://a@/c",
    "postgresql://a@db:0/c",
    "postgresql://a@db:65536/c",
    "postgresql://a@db/%zz",
    "postgresql://%zz@db/c",
    "postgresql://a@db/c?sslmode=prefer",
    "postgresql://a@db/c?options=x",
  ]) {
    it(`${url} is none`, () => {
      expect(isDatabaseAddress(url)).to.equal(false);
    });
  }
});
