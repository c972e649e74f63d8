import { expect } from "chai";
import { recordsOf } from "../ledger/records-of.ts";
import { Appliance, BOOT_ID, NOON_MS } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forSuite } from "../rig/standing.ts";
import { places, replaced, type Step } from "../security/mutation.ts";
import { aDevice, aRecord, BODIES } from "./bodies.ts";
import { WRONG_PASSWORDS } from "./fakes.ts";
import { WiredLine } from "./wired-line.ts";

type Operation = ReturnType<typeof operationsOf>[number];

/** A request with one place for a value of somebody else's. */
interface Probe {
  readonly operation: Operation;
  readonly place: string;
  readonly fill: (value: string) => FilledRequest;
}

interface FilledRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | undefined;
}

/** What ends the asker's own session, or goes on for ever. */
const LEFT_OUT = ["/api/logout", "/api/event"];

/** What is tried more often here than anybody may, and after how long that is forgotten. */
const GUESSED = ["/api/login", "/api/first-run", "/api/link", "/api/me/password"];
const FORGIVEN_MS = 600_000;

/** What a query should hold, where more than the place in question is needed. */
const QUERY: Readonly<Record<string, string>> = {
  period: "semanal",
  lang: "es",
  month: "2026-03",
  location: "Clínica Norte",
  dId: "7234",
  locationId: "0".repeat(24),
  memberId: "0".repeat(24),
  line: "SIM0",
};

/** What names the secret one where a path asks for more. */
const NAMING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/record/one": { number: "1" },
  "/api/record/price": { dId: "secreto-1", room: "cuarto-77", time: String(NOON_MS) },
  "/api/settlement": { month: "2026-02" },
};

/**
 * Lines are the machine's, not a user's: that one is taken must be told to who would wire or drive it, or two
 * rooms would count one relay. Whose it is, and what it does, is not told. An e-mail signs in to one account alone, so an
 * owner who would invite a known one must be told too.
 */
const TAKEN = ["put /api/wiring line", "post /api/line/drive line", "post /api/member email"];

describe("What is another user's", () => {
  const appliance = forSuite(() => Appliance.open({ passwords: WRONG_PASSWORDS }));
  let victim: SignedInUser;
  /** Two users with the same past: one asks for the victim's ids, the other for ids that do not exist. */
  let curious: SignedInUser;
  let other: SignedInUser;
  let operations: readonly Operation[];
  /** By kind: an id of the victim's, and one of the same form that does not exist. */
  let ids: ReadonlyMap<string, readonly [string, string]>;

  before(async () => {
    operations = operationsOf(await appliance.description());
    victim = await appliance.addUser();
    await settle(appliance, victim);
    curious = await appliance.addUser();
    other = await appliance.addUser();
    ids = idsOf(victim);
  });

  /** Gives a user one of everything. */
  async function settle(to: Appliance, owner: SignedInUser): Promise<void> {
    const location = { name: "Clínica secreta", description: "Piso 3" };
    const locationId = await to.writer.addLocation(owner.id, location);
    const actuators = [{ id: "cuarto-77", value: false }];
    const device = aDevice({ dId: "secreto-1", name: "Pasillo secreto", locationId, actuators });
    await to.writer.addDevice(owner.id, device.newDevice);
    const record = aRecord({
      deviceId: "secreto-1",
      locationName: "Clínica secreta",
      habitacion: "cuarto-77",
    });
    await owner.post("/api/data", record).set("Idempotency-Key", "clave-1").expect(201);
    const room = { dId: "secreto-1", actuatorId: "cuarto-77" };
    const line = await WiredLine.wire(to, owner, "SIM5", room);
    await line.go(true);
    await line.go(false);
    await line.go(true, 3);
    await line.go(false, 0, { provisional: true });
    await to.voidNewest(owner.id);
    await to.writer.setLetterhead(owner.id, { company: "Secreta", taxNumber: "", address: "", logo: "" });
    await to.writer.planPrices(owner.id, ["SIM5"], { valorMicros: 9_000_000, paidMinutes: null }, 20_990_101);
    const names = { technician: "Técnica secreta", clinic: "Secreta" };
    await owner.put("/api/commission", { commission: {} }).expect(200);
    await owner.post("/api/commission/report", { report: names }).expect(200);
    await to.writer.beginCommission(owner.id, { lines: null, freeLines: [] }, ["SIM5"], FORGIVEN_MS);
    await line.go(true);
  }

  function idsOf({ id, email, name, cookie }: SignedInUser): ReadonlyMap<string, readonly [string, string]> {
    const { reader, sessions } = appliance;
    const [device] = reader.devices(id);
    const [location] = reader.locations(id);
    const [record] = recordsOf(reader, id);
    const { number = 0, createdTimeMs = 0 } = record ?? {};
    const shown = String(number);
    const report = reader.acceptanceReports(id, 1)[0]?.number;
    const nobodys = (last: number) => `0123456789abcdef0123456${last}`;
    const token = cookie.replace("auth_token=", "");
    return new Map([
      ["user", [id, nobodys(1)]],
      ["email", [email, "nadie9@example.org"]],
      ["name", [name, "Usuario 9"]],
      ["session", [sessions.check(token)?.sid ?? "", nobodys(2)]],
      ["token", [token, "x".repeat(token.length)]],
      ["device", [device?.id ?? "", nobodys(3)]],
      ["dId", ["secreto-1", "secreto-9"]],
      ["device's name", ["Pasillo secreto", "Pasillo nunca"]],
      ["location", [location?.id ?? "", nobodys(4)]],
      ["location's name", ["Clínica secreta", "Clínica nunca"]],
      ["room", ["cuarto-77", "cuarto-99"]],
      ["line", ["SIM5", "SIM6"]],
      ["record", [shown, shown.replace(/.$/, (digit) => (digit === "9" ? "8" : "9"))]],
      ["record's place", [`${createdTimeMs}-${shown}`, `${createdTimeMs}-0`]],
      ["acceptance report", [String(report), "999"]],
      ["idempotency key", ["clave-1", "clave-9"]],
    ]);
  }

  /** Every place of an operation where a client may put a value. */
  function probesOf(operation: Operation): readonly Probe[] {
    const { parameters = [], method, path } = operation;
    const body = BODIES[`${method} ${path}`];
    // How many are wanted names nothing of anybody's.
    const named = (kind: string) =>
      parameters.filter((one) => one.in === kind && one.name !== "limit").map(({ name }) => name);
    const query = Object.fromEntries(
      named("query").flatMap((name) => (QUERY[name] === undefined ? [] : [[name, QUERY[name]]])),
    );
    return [
      ...named("query").map((name) => ({
        operation,
        place: name,
        fill: (value: string) => ({ query: { ...query, [name]: value }, headers: {}, body }),
      })),
      ...named("header").map((name) => ({
        operation,
        place: name,
        fill: (value: string) => ({ query, headers: { [name]: value }, body }),
      })),
      ...textsIn(body).map((steps) => ({
        operation,
        place: String(steps.at(-1)),
        fill: (value: string) => ({ query, headers: {}, body: Object(replaced(body, steps, value)) }),
      })),
      ...(parameters.length === 0 && body === undefined
        ? [{ operation, place: "nothing", fill: () => ({ query, headers: {}, body }) }]
        : []),
    ];
  }

  async function ask(user: SignedInUser, probe: Probe, value: string): Promise<string> {
    const { method, path } = probe.operation;
    const { query, headers, body } = probe.fill(value);
    const request = appliance.api[method](path)
      .query(query)
      .set({ Cookie: user.cookie, ...headers });
    const response = body === undefined ? await request : await request.send(body);
    const { date: _date, "content-length": _length, "x-flanco-at": _at, ...head } = response.headers;
    const said = JSON.stringify({ status: response.status, head, text: response.text })
      .replaceAll(user.email, "«own e-mail»")
      .replaceAll(user.name, "«own name»");
    // The asker's own may stand in the answer, and what was asked for now or before, the victim's or nobody's alike; ids
    // and numbers of records are new each time.
    return [...ids]
      .reduce(
        (text, [kind, values]) =>
          values.reduce((rest, value) => rest.replaceAll(wholly(value), `«${kind}»`), text),
        said,
      )
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "«token»")
      .replaceAll(/\b[0-9a-f]{24}\b/g, "«id»")
      .replaceAll(/(\\"number\\":)\d+/g, "$1«number»")
      .replaceAll(/(\\r\\n)\d+([;,]\d{4}-)/g, "$1«number»$2")
      .replaceAll(/\b\d{13}-\d+\b/g, "«place»");
  }

  /** All that the victim has, as it is stored. */
  function stored(): object {
    const { reader } = appliance;
    return {
      members: reader.members(victim.id),
      devices: reader.devices(victim.id),
      locations: reader.locations(victim.id),
      wirings: reader.wirings(victim.id),
      tests: reader.lineTests({ bootId: BOOT_ID, monotonicMs: 0 }, victim.id),
      records: recordsOf(reader, victim.id),
      sessions: reader.sessions().filter(({ userId }) => userId === victim.id),
    };
  }

  it("is asked for at every operation: each that takes a body has one here", () => {
    const needed = operations
      .filter(({ requestBody }) => requestBody !== undefined)
      .map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(BODIES)).to.have.members(needed);
  });

  it("answers like an id that does not exist, byte for byte, for every parameter of every operation and every kind of id", async function () {
    this.timeout(120_000);
    const before = stored();
    const differing = new Set<string>();
    let count = 0;
    for (const operation of operations.filter(({ path }) => !LEFT_OUT.includes(path))) {
      // Hours pass while attempts are forgiven, and a session lasts a day.
      if (GUESSED.includes(operation.path)) {
        [curious, other] = [await appliance.signedIn(curious), await appliance.signedIn(other)];
      }
      for (const probe of probesOf(operation)) {
        const where = `${operation.method} ${operation.path} ${probe.place}`;
        for (const [kind, [theirs, nobodys]] of ids) {
          // There it says where a list of the asker's own goes on, and a number more is another place.
          const isNumber = ["record", "acceptance report"].includes(kind);
          if (isNumber && ["before", "number"].includes(probe.place)) continue;
          // A number is a part of the name of many a room of the asker's own.
          if (isNumber && probe.place === "roomPart") continue;
          const answers = [await ask(curious, probe, theirs), await ask(other, probe, nobodys)];
          count += 1;
          if (["line", "email"].includes(kind) && TAKEN.includes(where)) {
            if (answers[0] !== answers[1]) differing.add(where);
          } else expect(answers[0], `${where} with the victim's ${kind}`).to.equal(answers[1]);
          if (GUESSED.includes(operation.path)) appliance.clock.pass(FORGIVEN_MS);
          else expect(answers[0], where).not.to.match(/^."status":401/);
        }
      }
    }
    console.log(`      ${count} pairs of requests`);
    expect(count).to.be.above(500);
    expect([...differing].toSorted(), "where a line is told to be taken").to.deep.equal([
      "post /api/member email",
      "put /api/wiring line",
    ]);
    expect(stored()).to.deep.equal(before);
  });

  it("shows in no list, sum or count of another: each answers as before it was there", async () => {
    await using fresh = await Appliance.open();
    const [stranger, owner] = [await fresh.addUser(), await fresh.addUser()];
    const readings = operations.filter(({ method, path }) => method === "get" && path !== "/api/event");
    const readAll = (by: SignedInUser) =>
      Promise.all(
        readings.map(async ({ path }) => {
          const period = path === "/api/overview" ? "week" : "semanal";
          const query = { ...QUERY, period, location: "Clínica secreta", ...NAMING[path] };
          const { status, text } = await by.get(path, query);
          // The report's fingerprint stands for the whole ledger; it says nothing of whose entries those are.
          return { path, status, text: text.replace(/"(head|hash)":"[0-9a-f]{64}"/, "") };
        }),
      );
    const before = await readAll(stranger);
    await settle(fresh, owner);
    const [{ id: locationId } = { id: "" }] = fresh.reader.locations(owner.id);
    await owner
      .put("/api/terms", { terms: { locationId, from: "2026-02", kind: "share", share: 30 } })
      .expect(200);
    const closed = await owner.post("/api/settlement", { settlement: { month: "2026-02" } });
    expect(closed.body.error).to.equal(undefined);
    for (const [i, one] of (await readAll(stranger)).entries())
      expect(one, one.path).to.deep.equal(before[i]);
    // The control: the owner sees it everywhere but in the lines of the machine, and in what it sends, which is of neither,
    // and where a paper's number is asked for, which the closing gives.
    const seen = await readAll(owner);
    const same = seen.filter(({ text }, index) => text === before[index]?.text).map(({ path }) => path);
    expect(same).to.deep.equal(["/api/settlement/check", "/api/line", "/api/sink"]);
  });

  it("is there for its owner, by the same requests (control)", async () => {
    const [location] = appliance.reader.locations(victim.id);
    const query = { locationId: location?.id ?? "" };
    const change = { location: { description: "Piso 4" } };
    victim = await appliance.signedIn(victim);
    await victim.patch("/api/location", change).query(query).expect(200);
    const data = await victim.data("/api/record", { device: "secreto-1" });
    expect(data).not.to.deep.equal([]);
    await victim.delete("/api/wiring", { line: "SIM5" }).expect(200);
    await victim.delete("/api/device", { dId: "secreto-1" }).expect(200);
  });
});

/** A value where it stands by itself, not as a part of another. */
function wholly(value: string): RegExp {
  return new RegExp(`(?<![\\w-])${value.replaceAll(".", "\\.")}(?![\\w-])`, "g");
}

/** Every text in a body, as the steps that lead to it. */
function textsIn(body: unknown): (readonly Step[])[] {
  const at = (steps: readonly Step[]) =>
    steps.reduce<unknown>((value, step) => Reflect.get(Object(value), step), body);
  return places(body).filter((steps) => typeof at(steps) === "string");
}
