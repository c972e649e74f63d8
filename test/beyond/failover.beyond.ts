import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { clinics, companyOf, decideFork, initialise, pageAccess } from "../../src/company/company.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { Cluster } from "./patroni.ts";
import { SimulatedGateway } from "./simulated-gateway.ts";

const GATEWAYS = process.env["FLANCO_BEYOND"] === "short" ? 40 : 1_000;
/** One of so many is restored from a backup of its own. */
const RESTORED = 20;
const AT_ONCE = 12;
const FIRST = 30;
/** What the backup has that it is restored from: less than anything that was sent. */
const KEPT = 20;
const RETRY_MS = 200;
const CALM_MS = 300_000;

describe("A company's database of three nodes", () => {
  const cluster = new Cluster(GATEWAYS + 60);
  const gateways: SimulatedGateway[] = [];
  const stopping = new AbortController();
  /** How often a try failed, by what the gateway's status then says. */
  const failures = new Map<string, number>();
  let lanes: Promise<unknown> = Promise.resolve();
  let program: Program;
  let page: RunningService;

  before(async function () {
    this.timeout(2 * CALM_MS);
    await cluster.start();
    const admin = await cluster.connect();
    await initialise(admin, "Televida", "Europe/Madrid");
    const company = await companyOf(admin, undefined);
    // One commit, as each waits for a standby.
    await admin.query("BEGIN");
    for (let index = 0; index < GATEWAYS; index += 1) {
      const file = cluster.directory.file(`password-${index}`);
      gateways.push(
        await SimulatedGateway.add(admin, company, `clinic-${index}`, (role) => cluster.url(role), file),
      );
    }
    const access = await pageAccess(admin, company, "flanco_page");
    await admin.query("COMMIT");
    await admin.close();
    program = await Program.make({
      FLANCO_CENTRAL_DATABASE: cluster.url(access.role),
      FLANCO_CENTRAL_PASSWORD_FILE: cluster.directory.file("page.password"),
    });
    writeFileSync(cluster.directory.file("page.password"), access.password, { mode: 0o600 });
    page = await program.start({}, { command: ["central", "serve"] });
    for (const gateway of gateways) gateway.chain.sellMany(FIRST);
    lanes = Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => sendFor(lane)));
  });

  after(async () => {
    stopping.abort();
    await lanes;
    await program?.close();
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await cluster.stop();
  });

  /** Each gateway belongs to one lane: it sells, sends, crashes and sends twice, whatever the nodes do. */
  async function sendFor(lane: number): Promise<void> {
    const own = gateways.filter((_, index) => index % AT_ONCE === lane);
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      for (const [index, gateway] of own.entries()) {
        if (stopping.signal.aborted) return;
        if ((round + index) % 7 === 0) gateway.chain.sellMany(3);
        // Its last answer is lost with it, and comes again.
        if ((round + index) % 23 === 0) await gateway.crash();
        if (gateway.waiting === 0) continue;
        try {
          await gateway.deliver(AbortSignal.any([stopping.signal, AbortSignal.timeout(20_000)]), 7);
        } catch (error) {
          if (!(error instanceof FlancoError)) throw error;
          failures.set(error.message, (failures.get(error.message) ?? 0) + 1);
          await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
        }
      }
      await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function entries(): Promise<
    Map<string, { readonly count: number; readonly newest: number; readonly hash: string }>
  > {
    const admin = await cluster.connect();
    const rows = await admin.query<{ name: string; count: string; newest: string; hash: string }>(
      `SELECT g.name, count(*) AS count, max(e.position) AS newest, g.hash
         FROM flanco.entry e JOIN flanco.gateway g USING (company, gateway) GROUP BY 1, g.hash`,
    );
    await admin.close();
    return new Map(
      rows.map(({ name, count, newest, hash }) => [
        name,
        { count: Number(count), newest: Number(newest), hash },
      ]),
    );
  }

  /** What was acknowledged before is there, and goes on to arrive. */
  async function holdsAll(): Promise<void> {
    const before = new Map(gateways.map((gateway) => [gateway.name, gateway.acknowledged]));
    const there = await entries();
    for (const [name, acknowledged] of before) {
      expect(there.get(name)?.newest ?? 0, name).to.be.at.least(acknowledged);
    }
  }

  const sent = () => gateways.reduce((sum, gateway) => sum + gateway.acknowledged, 0);

  const isHealthy = async () => (await page.get("/healthz")).status === 200;

  async function goesOn(): Promise<void> {
    const before = sent();
    await until("entries are acknowledged again", () => sent() > before + 20, CALM_MS);
  }

  it("loses no acknowledged entry when the primary is killed under load", async () => {
    await until("the load is on", () => sent() > GATEWAYS * 5, CALM_MS);
    const killed = await cluster.primary();
    const beganMs = performance.now();
    cluster.killNode(killed);
    // What a killed node still runs may answer for a moment.
    await until("the page is not healthy", async () => (await page.get("/healthz")).status === 503);
    await cluster.primary(killed);
    await until("the page is back", isHealthy, CALM_MS);
    console.log(`        the page back after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
    await goesOn();
    console.log(`        taking entries again after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
    await holdsAll();
    cluster.startNode(killed);
    await cluster.whole();
  });

  it("loses none when the primary is cut off from the others, and goes on to run", async () => {
    const cut = await cluster.primary();
    cut.link.cut();
    await cluster.primary(cut);
    await until("the page is back", isHealthy, CALM_MS);
    await goesOn();
    await holdsAll();
    cut.link.mend();
  });

  it("has in the end every entry once, with the hash that its gateway has, and names each fork", async () => {
    stopping.abort();
    await lanes;
    const restored = gateways.filter((_, index) => index % RESTORED === 0);
    const never = new AbortController().signal;
    const finish = async (gateway: SimulatedGateway) => {
      while (gateway.waiting > 0) await gateway.deliver(never).catch(() => pause(RETRY_MS));
    };
    for (const gateway of gateways) await finish(gateway);
    const there = await entries();
    for (const { name, chain } of gateways) {
      const { position } = chain;
      const hash = chain.entries.at(-1)?.hash;
      expect(there.get(name), name).to.deep.equal({ count: position, newest: position, hash });
    }
    for (const gateway of restored) {
      gateway.restore(KEPT);
      gateway.chain.sellMany(2, () => ({ room: "restored" }));
      const failure = await gateway.deliver(never).then(
        () => "",
        ({ message }: FlancoError) => message,
      );
      expect(failure).to.contain(`From entry ${KEPT + 1} on this is another ledger`);
    }
    const admin = await cluster.connect();
    const company = await companyOf(admin, undefined);
    const found = await clinics(admin, company);
    const forked = found.clinics
      .filter(({ forkedAt }) => forkedAt !== null)
      .map(({ name, forkedAt }) => `${name} ${forkedAt}`);
    expect(forked.sort()).to.deep.equal(restored.map(({ name }) => `${name} ${KEPT + 1}`).sort());
    expect(await entries()).to.deep.equal(there);
    const [first] = restored;
    if (first === undefined) throw new Error("no gateway was restored");
    await decideFork(admin, company, first.name, "accept");
    await first.deliver(never);
    expect(first.waiting).to.equal(0);
    const [sums] = await admin.query<{ count: string }>(
      "SELECT sum(counts[31]) AS count FROM flanco.sum WHERE unit = 'day' AND location = ''",
    );
    const all = [...there.values()].reduce((sum, { count }) => sum + count, 0);
    expect(Number(sums?.count)).to.equal(all + 2);
    await admin.close();
    console.log(
      `        ${all} entries of ${GATEWAYS} gateways; failures on the way: ${JSON.stringify(Object.fromEntries(failures))}`,
    );
  });
});
