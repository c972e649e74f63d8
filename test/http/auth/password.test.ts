import { compareSync } from "bcryptjs";
import { expect } from "chai";
import { WorkerPasswordHasher } from "../../../src/http/auth/password.ts";
import { rejection } from "../../rig/rejection.ts";
import { forSuite } from "../../rig/standing.ts";
import { longestHold } from "../loop-holds.ts";

const PASSWORD = "contraseña de diez";
/** bcrypt of cost 10 takes tens of milliseconds on any machine. A shorter hold shows that the control measured nothing. */
const MIN_COMPARISON_MS = 10;

describe("Passwords", () => {
  const hasher = forSuite(() => new WorkerPasswordHasher());
  let hash: string;

  before(async () => {
    hash = await hasher.hash(PASSWORD);
  });

  it("are kept as bcrypt of cost 10, salted", async () => {
    expect(hash).to.match(/^\$2b\$10\$[./A-Za-z0-9]{53}$/);
    expect(await hasher.hash(PASSWORD)).not.to.equal(hash);
  });

  it("match their own hash alone", async () => {
    expect(await hasher.matches(`${PASSWORD} `, hash)).to.equal(false);
    for (const other of [null, "not a hash"]) expect(await hasher.matches(PASSWORD, other)).to.equal(false);
    expect(await hasher.matches("", null)).to.equal(false);
    expect(await hasher.matches(PASSWORD, hash)).to.equal(true);
  });

  it("of more than 72 bytes match nothing, although bcrypt would compare their start", async () => {
    const longest = "ñ".repeat(36);
    const hashOfLongest = await hasher.hash(longest);
    expect(await hasher.matches(longest, hashOfLongest)).to.equal(true);
    expect(await hasher.matches(`${longest}x`, hashOfLongest)).to.equal(false);
  });

  it("that wait are refused as unavailable when the hasher closes", async () => {
    const busy = new WorkerPasswordHasher();
    const waiting = [1, 2, 3].map(() => rejection(busy.matches(PASSWORD, null)));
    await busy.close();
    const codes = (await Promise.all(waiting)).map((error) => error.code);
    expect(codes).to.deep.equal(["unavailable", "unavailable", "unavailable"]);
    expect((await rejection(busy.hash(PASSWORD))).code).to.equal("unavailable");
  });

  it("that wait together get their own answers", async () => {
    const guesses = [PASSWORD, "otra clave larga", PASSWORD, "", PASSWORD];
    const answers = await Promise.all(guesses.map((guess) => hasher.matches(guess, hash)));
    expect(answers).to.deep.equal([true, false, true, false, true]);
  });

  it("of a crowd hold the event loop for less than half of one comparison", async () => {
    const crowd = () => Promise.all([1, 2, 3].map(() => hasher.matches(PASSWORD, hash)));
    const longestMs = await longestHold(crowd);
    // The control: a comparison on this thread.
    const oneMs = await longestHold(async () => compareSync(PASSWORD, hash));
    expect(oneMs).to.be.above(MIN_COMPARISON_MS);
    expect(longestMs).to.be.below(oneMs / 2);
  });

  it("are checked again after the thread has died; what waited for it is refused as unavailable", async () => {
    const hurt = new WorkerPasswordHasher();
    try {
      // bcrypt throws at what is no text, and nothing in the thread catches it.
      const fatal = rejection(hurt.hash(7 as unknown as string));
      const behind = rejection(hurt.matches(PASSWORD, hash));
      expect([(await fatal).code, (await behind).code]).to.deep.equal(["unavailable", "unavailable"]);
      expect(await hurt.matches(PASSWORD, hash)).to.equal(true);
    } finally {
      await rejection(hurt.hash(7 as unknown as string));
      await hurt.close();
    }
    // A closed hasher starts no other thread.
    expect((await rejection(hurt.hash(PASSWORD))).code).to.equal("unavailable");
  });
});
