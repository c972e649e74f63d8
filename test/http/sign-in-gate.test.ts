import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { clientAddress } from "../../src/http/client-address.ts";
import { SignInGate } from "../../src/http/sign-in-gate.ts";
import { NOON_MS } from "./appliance.ts";
import { SetClock } from "./fakes.ts";

const ANA = "ana@example.org";
const ATTACKER = "192.168.1.66";
const TABLET = "192.168.1.20";

type Outcome = boolean | string;

describe("The gate before every password", () => {
  let clock: SetClock;
  let gate: SignInGate;
  /** Addresses whose attempts were looked at, in their order. */
  let looked: string[];

  beforeEach(() => {
    clock = new SetClock(NOON_MS);
    gate = new SignInGate(clock);
    looked = [];
  });

  /** One attempt; `isRight` what comes of looking at it. Gives that, or the code of its refusal. */
  async function attempt(
    address: string,
    isRight: boolean | Promise<boolean>,
    { account = ANA, isGone = () => false }: { account?: string; isGone?: () => boolean } = {},
  ): Promise<Outcome> {
    const prove = async () => {
      looked.push(address);
      return isRight;
    };
    try {
      return await gate.attempt({ from: clientAddress(address), account, isGone, prove });
    } catch (error) {
      if (error instanceof FlancoError) return error.code;
      throw error;
    }
  }

  async function failures(address: string, count: number, account = ANA): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let done = 0; done < count; done += 1) outcomes.push(await attempt(address, false, { account }));
    return outcomes;
  }

  it("lets five failures a minute pass, then refuses without a look, right or wrong", async () => {
    expect(await failures(ATTACKER, 5)).to.deep.equal(Array(5).fill(false));
    expect(await attempt(ATTACKER, false)).to.equal("too_many");
    expect(await attempt(ATTACKER, true)).to.equal("too_many");
    expect(looked).to.have.lengthOf(5);
  });

  it("says how long to wait, in whole seconds, and looks again after that", async () => {
    await failures(ATTACKER, 5);
    clock.pass(400);
    const refusal = await gate
      .attempt({ from: clientAddress(ATTACKER), account: ANA, isGone: () => false, prove: async () => true })
      .catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(FlancoError).with.property("retryAfterSeconds", 1);
    clock.pass(600);
    expect(await attempt(ATTACKER, true)).to.equal(true);
  });

  it("is not prolonged by what is refused meanwhile", async () => {
    await failures(ATTACKER, 5);
    for (let count = 0; count < 100; count += 1) await attempt(ATTACKER, false);
    clock.pass(1_000);
    expect(await attempt(ATTACKER, true)).to.equal(true);
  });

  it("counts the failures of an address whatever they are on: one who tries every account is slowed down too", async () => {
    for (let count = 0; count < 5; count += 1) await attempt(ATTACKER, false, { account: `user ${count}` });
    expect(await attempt(ATTACKER, false, { account: "one more" })).to.equal("too_many");
  });

  it("counts no success, and forgets no failure because of one: an own account is no way around", async () => {
    for (let count = 0; count < 20; count += 1) expect(await attempt(TABLET, true)).to.equal(true);
    await failures(TABLET, 4);
    expect(await attempt(TABLET, true, { account: "own account" })).to.equal(true);
    await failures(TABLET, 1);
    expect(await attempt(TABLET, false)).to.equal("too_many");
  });

  it("lets an account's owner in from elsewhere at once, whoever fails on it and however often", async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      await failures(ATTACKER, 3_000);
      clock.pass(60_000);
      expect(await attempt(TABLET, true)).to.equal(true);
    }
  });

  it("leaves nothing free on an account with five failures: many addresses guess no better than one", async () => {
    await failures(ATTACKER, 5);
    for (let host = 1; host <= 50; host += 1) {
      expect(await failures(`10.0.0.${host}`, 3)).to.deep.equal([false, "too_many", "too_many"]);
    }
    expect(await failures("10.0.0.99", 3, "another account")).to.deep.equal([false, false, false]);
  });

  it("looks at no more of an address at once than it may fail: a thousand at once are no way around", async () => {
    const answer = Promise.withResolvers<boolean>();
    const crowd = Array.from({ length: 60 }, () => attempt(ATTACKER, answer.promise));
    answer.resolve(false);
    const outcomes = await Promise.all(crowd);
    expect(outcomes.filter((outcome) => outcome === false)).to.have.lengthOf(5);
    expect(outcomes.filter((outcome) => outcome === "too_many")).to.have.lengthOf(55);
  });

  it("lets a crowd of one address in, all of whom know their passwords", async () => {
    const crowd = Array.from({ length: 60 }, () => attempt(TABLET, true));
    expect(await Promise.all(crowd)).to.deep.equal(Array(60).fill(true));
  });

  it("takes turns by address, those first that somebody has signed in from, then those with the fewest failures", async () => {
    await attempt(TABLET, true);
    await failures(ATTACKER, 1);
    const first = Promise.withResolvers<boolean>();
    const busy = [attempt("10.0.0.1", first.promise), attempt("10.0.0.2", first.promise)];
    looked = [];
    const waiting = [ATTACKER, ATTACKER, "10.0.0.3", "10.0.0.4", "10.0.0.3", TABLET].map((address) =>
      attempt(address, true),
    );
    expect(looked).to.deep.equal([]);
    first.resolve(true);
    await Promise.all([...busy, ...waiting]);
    expect(looked).to.deep.equal([TABLET, "10.0.0.3", "10.0.0.4", "10.0.0.3", ATTACKER, ATTACKER]);
  });

  it("drops who has hung up before its turn, without a look", async () => {
    expect(await attempt(ATTACKER, true, { isGone: () => true })).to.equal("too_many");
    expect(looked).to.deep.equal([]);
    expect(await attempt(TABLET, true)).to.equal(true);
  });

  it("counts a failure of its own as nobody's, and goes on", async () => {
    for (let count = 0; count < 10; count += 1) {
      const broken = Promise.reject(new FlancoError("unavailable", "Passwords cannot be checked."));
      expect(await attempt(TABLET, broken)).to.equal("unavailable");
    }
    expect(await attempt(TABLET, true)).to.equal(true);
  });

  it("holds 64 of an address and 256 in all; whoever has most gives a place up to who has fewer", async () => {
    const held = Promise.withResolvers<boolean>();
    const busy = [attempt("10.0.0.1", held.promise), attempt("10.0.0.2", held.promise)];
    const crowds = [1, 2, 3, 4].map((host) =>
      Array.from({ length: 64 }, () => attempt(`10.0.1.${host}`, true)),
    );
    expect(await attempt("10.0.1.1", true)).to.equal("overloaded");
    const late = attempt(TABLET, true);
    held.resolve(true);
    const outcomes = await Promise.all([...crowds.flat(), late, ...busy]);
    expect(outcomes.filter((outcome) => outcome === "overloaded")).to.have.lengthOf(1);
    expect(await late).to.equal(true);
  });

  describe("of an IPv6 network, in which a machine has as many addresses as it likes,", () => {
    /** Fails once from each of so many addresses of one network. */
    async function failFromMany(count: number): Promise<Outcome[]> {
      const outcomes: Outcome[] = [];
      for (let host = 1; host <= count; host += 1) {
        outcomes.push(await attempt(`2001:db8::${host.toString(16)}`, false, { account: `account ${host}` }));
      }
      return outcomes;
    }

    it("lets 50 failures a minute pass, then delays every address that nobody has signed in from", async () => {
      expect(await failFromMany(60)).to.deep.equal([...Array(50).fill(false), ...Array(10).fill("too_many")]);
      expect(await attempt("2001:db8::ffff", true)).to.equal("too_many");
    });

    it("lets in as ever where somebody has signed in before", async () => {
      expect(await attempt("2001:db8::ffff", true)).to.equal(true);
      await failFromMany(60);
      expect(await attempt("2001:db8::ffff", true)).to.equal(true);
    });

    it("delays no other network, and no IPv4 address", async () => {
      await failFromMany(60);
      expect(await attempt("2001:db8:0:1::1", true)).to.equal(true);
      expect(await attempt(TABLET, true)).to.equal(true);
    });

    it("delays its one address that fails like any other: its neighbours sign in", async () => {
      await failures("2001:db8::1", 100);
      expect(await attempt("2001:db8::2", true)).to.equal(true);
    });
  });
});
