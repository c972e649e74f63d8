import { expect } from "chai";
import { WorkerPasswordHasher } from "../../src/auth/password.ts";
import { rejection } from "../gpio/rejection.ts";

const PASSWORD = "contraseña de diez";

describe("Passwords", () => {
  let hasher: WorkerPasswordHasher;
  let hash: string;

  before(async () => {
    hasher = new WorkerPasswordHasher();
    hasher.open();
    hash = await hasher.hash(PASSWORD);
  });
  after(() => hasher.close());

  it("are kept as bcrypt of cost 10, salted", async () => {
    expect(hash).to.match(/^\$2b\$10\$[./A-Za-z0-9]{53}$/);
    expect(await hasher.hash(PASSWORD)).not.to.equal(hash);
  });

  it("match their own hash alone", async () => {
    expect(await hasher.matches(PASSWORD, hash)).to.equal(true);
    expect(await hasher.matches(`${PASSWORD} `, hash)).to.equal(false);
    expect(await hasher.matches("", hash)).to.equal(false);
  });

  it("match nobody's hash", async () => {
    expect(await hasher.matches(PASSWORD, null)).to.equal(false);
    expect(await hasher.matches("", null)).to.equal(false);
  });

  it("of more than 72 bytes match nothing, although bcrypt would compare their start", async () => {
    const longest = "ñ".repeat(36);
    const hashOfLongest = await hasher.hash(longest);
    expect(await hasher.matches(longest, hashOfLongest)).to.equal(true);
    expect(await hasher.matches(`${longest}x`, hashOfLongest)).to.equal(false);
  });

  it("do not match a hash that is none", async () => {
    expect(await hasher.matches(PASSWORD, "not a hash")).to.equal(false);
    expect(await hasher.matches(PASSWORD, hash)).to.equal(true);
  });

  it("are refused as overloaded when too many wait, and those that wait are answered", async () => {
    const busy = new WorkerPasswordHasher();
    busy.open();
    const waiting = Array.from({ length: 256 }, () => rejection(busy.matches(PASSWORD, null)));
    const refused = await rejection(busy.matches(PASSWORD, null));
    await busy.close();
    const codes = (await Promise.all(waiting)).map((error) => error.code);

    expect(refused.code).to.equal("overloaded");
    expect(new Set(codes)).to.deep.equal(new Set(["unavailable"]));
  });

  it("are checked again after the thread has died; what waited for it is refused as unavailable", async function () {
    this.timeout(10_000);
    const hurt = new WorkerPasswordHasher();
    hurt.open();
    try {
      // bcrypt throws at what is no text, and nothing in the thread catches it.
      const fatal = rejection(hurt.hash(7 as unknown as string));
      const behind = rejection(hurt.matches(PASSWORD, hash));
      expect([(await fatal).code, (await behind).code]).to.deep.equal(["unavailable", "unavailable"]);
      expect(await hurt.matches(PASSWORD, hash)).to.equal(true);
    } finally {
      await hurt.close();
    }
  });

  it("stay refused when a thread has died and the hasher is closed", async () => {
    const hurt = new WorkerPasswordHasher();
    hurt.open();
    await rejection(hurt.hash(7 as unknown as string));
    await hurt.close();

    expect((await rejection(hurt.hash(PASSWORD))).code).to.equal("unavailable");
  });

  it("are refused as unavailable once the hasher is closed", async () => {
    const closed = new WorkerPasswordHasher();
    closed.open();
    await closed.close();

    expect((await rejection(closed.hash(PASSWORD))).code).to.equal("unavailable");
  });
});
