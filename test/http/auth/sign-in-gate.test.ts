import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import { SignInGate } from "../../../src/http/auth/sign-in-gate.ts";
import { NOON_MS } from "../../rig/appliance.ts";
import { rejection } from "../../rig/rejection.ts";
import { SetClock } from "../fakes.ts";

const ANA = "ana@example.org";
const ATTACKER = "192.168.1.66";
const TABLET = "192.168.1.20";

type Outcome = boolean | string;

describe("The sign-in gate", () => {
  let clock: SetClock;
  let gate: SignInGate;
  /** Addresses whose attempts were compared, in order. */
  let looked: string[];
  /** Addresses of the attempts that were noted for the audit log. */
  let failed: string[];

  beforeEach(() => {
    failed = [];
    clock = new SetClock(NOON_MS);
    gate = new SignInGate(clock, { note: (address) => failed.push(address) });
    looked = [];
  });

  /** One attempt, with the result of its comparison. Gives that, or the code of the refusal. */
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
      return (await gate.attempt({ address, account, userId: null, isGone, prove })) ?? false;
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

  it("takes five failures a minute, then refuses right and wrong passwords without a comparison", async () => {
    expect(await failures(ATTACKER, 5)).to.deep.equal(Array(5).fill(false));
    expect(await attempt(ATTACKER, false)).to.equal("too_many");
    expect(await attempt(ATTACKER, true)).to.equal("too_many");
    expect(looked).to.have.lengthOf(5);
    expect(await attempt(TABLET, true)).to.equal(true);
    expect(failed, "noted for the audit log").to.deep.equal(Array(7).fill(ATTACKER));
  });

  it("gives the remaining delay in whole seconds, which refused attempts do not prolong, and compares after it", async () => {
    await failures(ATTACKER, 5);
    for (let count = 0; count < 100; count += 1) await attempt(ATTACKER, false);
    clock.pass(400);
    const account = { account: ANA, userId: null, isGone: () => false, prove: async () => true };
    const refusal = await rejection(gate.attempt({ address: ATTACKER, ...account }));
    expect(refusal.retryAfterSeconds).to.equal(1);
    clock.pass(600);
    expect(await attempt(ATTACKER, true)).to.equal(true);
  });

  it("counts the failures of an address over all accounts", async () => {
    for (let count = 0; count < 5; count += 1) await attempt(ATTACKER, false, { account: `user ${count}` });
    expect(await attempt(ATTACKER, false, { account: "one more" })).to.equal("too_many");
  });

  it("keeps counting failures after a success on another account", async () => {
    for (let count = 0; count < 20; count += 1) expect(await attempt(TABLET, true)).to.equal(true);
    await failures(TABLET, 4);
    expect(await attempt(TABLET, true, { account: "own account" })).to.equal(true);
    await failures(TABLET, 1);
    expect(await attempt(TABLET, false)).to.equal("too_many");
  });

  it("lets an account's owner in from another address at once, however many failures the account has", async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      await failures(ATTACKER, 3_000);
      clock.pass(60_000);
      expect(await attempt(TABLET, true)).to.equal(true);
    }
  });

  it("leaves nothing free on an account with five failures, so that many addresses guess no faster than one", async () => {
    await failures(ATTACKER, 5);
    for (let host = 1; host <= 50; host += 1) {
      expect(await failures(`10.0.0.${host}`, 3)).to.deep.equal([false, "too_many", "too_many"]);
    }
    expect(await failures("10.0.0.99", 3, "another account")).to.deep.equal([false, false, false]);
  });

  it("compares no more attempts of an address at once than it has free failures", async () => {
    const answer = Promise.withResolvers<boolean>();
    const crowd = Array.from({ length: 60 }, () => attempt(ATTACKER, answer.promise));
    answer.resolve(false);
    const outcomes = await Promise.all(crowd);
    expect(outcomes.filter((outcome) => outcome === false)).to.have.lengthOf(5);
    expect(outcomes.filter((outcome) => outcome === "too_many")).to.have.lengthOf(55);
  });

  it("lets a crowd of one address in with right passwords", async () => {
    const crowd = Array.from({ length: 60 }, () => attempt(TABLET, true));
    expect(await Promise.all(crowd)).to.deep.equal(Array(60).fill(true));
  });

  /** A comparison that keeps all others waiting; resolves once it is let go, as right or wrong. */
  function occupy(): (isRight: boolean) => Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    // Not `attempt`: its comparison is not among those that a test looks at.
    const other = { account: ANA, userId: null, isGone: () => false, prove: () => promise };
    const busy = gate.attempt({ address: "10.9.0.1", ...other });
    return (isRight) => {
      resolve(isRight);
      return busy;
    };
  }

  /** Addresses in the order of their turns, of attempts that all wait at once. */
  async function turnsOf(addresses: readonly string[], isRight = true): Promise<string[]> {
    const letGo = occupy();
    looked = [];
    const waiting = addresses.map((address, index) => attempt(address, isRight, { account: `${index}` }));
    expect(looked).to.deep.equal([]);
    await letGo(false);
    await Promise.all(waiting);
    return looked;
  }

  it("takes those with the fewest attempts of their minute first, and of equals the latest", async () => {
    const [one, other, often] = ["10.0.0.5", "10.0.0.4", "10.0.0.3"];
    expect(
      await turnsOf([often, often, often, other, one], false),
      "three attempts rank as one",
    ).to.deep.equal([one, other, often, often, often]);
    clock.pass(600_000);
    expect(await turnsOf([often, often, often, often, other, one], false)).to.deep.equal([
      ...[one, other, often, often, often, often],
    ]);
  });

  it("takes an address that has signed in before and a new one by turns", async () => {
    gate = new SignInGate(clock, { note: () => {} }, [TABLET, "10.0.0.7"]);
    const waiting = [TABLET, TABLET, TABLET, "10.0.0.3", "10.0.0.4"];
    const turns = await turnsOf(waiting, false);
    expect(turns.map((address) => address === TABLET)).to.deep.equal([true, false, true, false, true]);
  });

  it("keeps no address out for one that signs in without end, familiar as it is", async () => {
    gate = new SignInGate(clock, { note: () => {} }, [ATTACKER, TABLET]);
    for (let count = 0; count < 50; count += 1) await attempt(ATTACKER, true, { account: `of ${count}` });
    const letGo = occupy();
    const crowd = Array.from({ length: 256 }, (_, index) => attempt(ATTACKER, true, { account: `${index}` }));
    looked = [];
    const late = [TABLET, "10.0.0.3"].map((address) => attempt(address, true));
    await letGo(true);
    expect(await Promise.all(late), "though the queue was full").to.deep.equal([true, true]);
    expect(looked.slice(0, 2)).to.have.members([TABLET, "10.0.0.3"]);
    await Promise.all(crowd);
  });

  it("lets familiar and new addresses in while 300 addresses guess", async () => {
    gate = new SignInGate(clock, { note: () => {} }, [TABLET]);
    const letGo = occupy();
    const crowd = Array.from({ length: 300 }, (_, index) =>
      attempt(`10.1.${index >> 7}.${index & 127}`, false),
    );
    looked = [];
    const late = [TABLET, "10.0.0.3"].map((address) => attempt(address, true));
    await letGo(false);
    expect(await Promise.all(late)).to.deep.equal([true, true]);
    expect(looked.slice(0, 2)).to.have.members([TABLET, "10.0.0.3"]);
    await Promise.all(crowd);
  });

  it("keeps the attempt of an address that has signed in before, though a full crowd of new ones comes after it", async () => {
    gate = new SignInGate(clock, { note: () => {} }, [TABLET]);
    const letGo = occupy();
    const early = attempt(TABLET, true);
    const crowd = Array.from({ length: 300 }, (_, index) =>
      attempt(`10.1.${index >> 7}.${index & 127}`, false),
    );
    await letGo(false);
    expect(await early).to.equal(true);
    await Promise.all(crowd);
  });

  it("lets in at its second attempt who came in the midst of a crowd that tries again at once", async () => {
    const letGo = occupy();
    const guess = async (address: string): Promise<void> => {
      for (let tries = 0; tries < 10; tries += 1) {
        if ((await attempt(address, false)) !== "overloaded") return;
      }
    };
    const crowdOf = (network: number, count: number) =>
      Array.from({ length: count }, (_, host) => guess(`10.${network}.${host >> 7}.${host & 127}`));
    const before = crowdOf(1, 100);
    const refused = attempt("10.0.0.3", true);
    const after = crowdOf(2, 300);
    expect(await refused).to.equal("overloaded");
    // The crowd has tried again and again by the time that a person does.
    await setImmediate();
    looked = [];
    const late = attempt("10.0.0.3", true);
    await letGo(false);
    expect(await late).to.equal(true);
    expect(looked[0]).to.equal("10.0.0.3");
    await Promise.all([...before, ...after]);
  });

  it("refuses who has waited two seconds behind a full crowd's later attempts, and lets them in at their second", async () => {
    const letGo = occupy();
    const crowdOf = (network: number, count: number) =>
      Array.from({ length: count }, (_, host) => attempt(`10.${network}.0.${host}`, false));
    const before = crowdOf(1, 100);
    const overtaken = attempt("10.0.0.3", true);
    clock.pass(1_999);
    const after = crowdOf(2, 155);
    clock.pass(1);
    const next = attempt("10.3.0.1", false);
    expect(await overtaken).to.equal("overloaded");
    expect(await Promise.all(before)).to.deep.equal(Array(100).fill("overloaded"));
    looked = [];
    const late = attempt("10.0.0.3", true);
    await letGo(false);
    expect(await late).to.equal(true);
    expect(looked[0]).to.equal("10.0.0.3");
    await Promise.all([...after, next]);
  });

  it("takes 60 sign-ins of an account a minute, and as many of another", async () => {
    for (let count = 0; count < 60; count += 1) expect(await attempt(`10.0.0.${count}`, true)).to.equal(true);
    clock.pass(15_000);
    const refused = {
      address: TABLET,
      account: ANA,
      userId: null,
      isGone: () => false,
      prove: async () => true,
    };
    const said = await rejection(gate.attempt(refused));
    expect([said.code, said.retryAfterSeconds]).to.deep.equal(["too_many", 45]);
    expect(await attempt(TABLET, true, { account: "another" })).to.equal(true);
    clock.pass(45_000);
    expect(await attempt(TABLET, true)).to.equal(true);
  });

  it("takes no more of an account that come all at once", async () => {
    const crowd = Array.from({ length: 70 }, (_, at) => attempt(`10.0.0.${at}`, true));
    expect((await Promise.all(crowd)).filter((outcome) => outcome === true)).to.have.lengthOf(60);
  });

  it("refuses an address before its attempt is read once five of them could not be read", async () => {
    for (let count = 0; count < 5; count += 1) {
      gate.admit(ATTACKER);
      gate.refuse(ATTACKER);
    }
    expect(() => gate.admit(ATTACKER))
      .to.throw(FlancoError)
      .with.property("code", "too_many");
    expect(await attempt(ATTACKER, true)).to.equal("too_many");
    gate.admit(TABLET);
    expect(failed, "noted for the audit log").to.deep.equal(Array(7).fill(ATTACKER));
  });

  it("drops an attempt whose client has hung up, without a comparison", async () => {
    expect(await attempt(ATTACKER, true, { isGone: () => true })).to.equal("too_many");
    expect(looked).to.deep.equal([]);
    expect(await attempt(TABLET, true)).to.equal(true);
  });

  it("counts an error of the comparison as no failure, and continues", async () => {
    for (let count = 0; count < 10; count += 1) {
      const broken = Promise.reject(new FlancoError("unavailable", "Passwords cannot be checked."));
      expect(await attempt(TABLET, broken)).to.equal("unavailable");
    }
    expect(await attempt(TABLET, true)).to.equal(true);
  });

  it("holds 256 attempts; the address with the most gives up its first for one with fewer", async () => {
    const letGo = occupy();
    const account = (index: number) => ({ account: `${index}` });
    const crowd = Array.from({ length: 256 }, (_, index) => attempt(ATTACKER, true, account(index)));
    const late = attempt(TABLET, true);
    await letGo(true);
    const outcomes = await Promise.all([...crowd, late]);
    expect(outcomes.filter((outcome) => outcome === "overloaded")).to.have.lengthOf(1);
    expect(outcomes[0]).to.equal("overloaded");
    expect(await late).to.equal(true);
  });

  describe("for the addresses of one IPv6 /64", () => {
    /** Fails once from each of so many addresses of one network. */
    async function failFromMany(count: number): Promise<Outcome[]> {
      const outcomes: Outcome[] = [];
      for (let host = 1; host <= count; host += 1) {
        outcomes.push(await attempt(`2001:db8::${host.toString(16)}`, false, { account: `account ${host}` }));
      }
      return outcomes;
    }

    it("takes 50 failures a minute, then delays every address that has not signed in before", async () => {
      expect(await failFromMany(60)).to.deep.equal([...Array(50).fill(false), ...Array(10).fill("too_many")]);
      expect(await attempt("2001:db8::ffff", true)).to.equal("too_many");
    });

    it("lets an address in that has signed in before", async () => {
      expect(await attempt("2001:db8::ffff", true)).to.equal(true);
      await failFromMany(60);
      expect(await attempt("2001:db8::ffff", true)).to.equal(true);
    });

    it("delays no other network, and no IPv4 address", async () => {
      await failFromMany(60);
      expect(await attempt("2001:db8:0:1::1", true)).to.equal(true);
      expect(await attempt(TABLET, true)).to.equal(true);
    });

    it("delays a single failing address without its neighbours", async () => {
      await failures("2001:db8::1", 100);
      expect(await attempt("2001:db8::2", true)).to.equal(true);
    });
  });
});
