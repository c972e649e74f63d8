import { expect } from "chai";
import { networkActor } from "../../src/domain/audit.ts";
import { DAY_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { LASTING_A_DAY } from "../../src/store/ledger/audit.ts";
import { Appliance, NOON_MS, PASSWORD } from "../rig/appliance.ts";
import { until } from "../rig/until.ts";
import { ANY } from "../store/records-of.ts";
import { aDevice, aLocation, aRecord, aWiring, BODIES, KEYS, NOBODY, QUERIES } from "./bodies.ts";
import { WRONG_PASSWORDS } from "./fakes.ts";
import { Exchanges, isRefusal } from "./openapi-description.ts";
import { WiredLine } from "./wired-line.ts";

describe("What happens at the API", () => {
  const exchanges = new Exchanges();
  const { appliance, user, conformance } = exchanges;
  const answers: Exchanges["answers"] = (...exchange) => exchanges.answers(...exchange);

  describe("is described:", () => {
    it("signing in, asking who it is, and signing out", async () => {
      const { email } = user;
      await answers(200, "post", "/api/login", { body: { email, password: PASSWORD } });
      await answers(401, "post", "/api/login", { body: { email, password: "otra clave larga" } });
      await answers(200, "get", "/api/verify");
      await answers(200, "post", "/api/logout", { by: await appliance.signedIn(user) });
    });

    it("the first user", async () => {
      await using fresh = await Appliance.open();
      const account = { name: "Eva", email: "eva@example.org", password: PASSWORD };
      for (const status of [401, 200, 409]) {
        const body = { token: status === 401 ? "x" : fresh.firstRun.issue(), ...account };
        await answers(status, "post", "/api/first-run", { by: fresh.api, body });
      }
    });

    it("too many wrong passwords, and too many wrong links", async () => {
      await using guessed = await Appliance.open({ passwords: WRONG_PASSWORDS });
      const account = { name: "Eva", email: "eva@example.org", password: PASSWORD };
      for (const [path, body] of [
        ["/api/login", account],
        ["/api/first-run", { token: "x", ...account }],
        ["/api/link", { token: "x", password: PASSWORD }],
      ] as const) {
        while ((await guessed.api.post(path).send(body)).status === 401);
        await answers(429, "post", path, { by: guessed.api, body });
      }
      guessed.clock.pass(DAY_MS);
      const by = await guessed.addUser();
      const path = "/api/me/password";
      const body = { current: "otra clave larga", password: PASSWORD };
      while ((await by.put(path, body)).status === 400);
      await answers(429, "put", path, { by, body });
    });

    it("the members of an account, and what each does to itself", async () => {
      const by = await appliance.addUser();
      const { id, email } = by;
      const member = { name: "Eva", email: "eva@example.org", role: "staff" };
      await answers(200, "post", "/api/member", { by, body: { member } });
      await answers(409, "post", "/api/member", { by, body: { member } });
      await answers(200, "get", "/api/member", { by });
      const query = { memberId: appliance.reader.credentials(member.email)?.member.id ?? "" };
      const body = { member: { role: "technician" } };
      await answers(200, "patch", "/api/member", { by, query, body });
      await answers(409, "patch", "/api/member", { by, query: { memberId: id }, body });
      await answers(404, "patch", "/api/member", { by, query: KEYS, body });
      for (const path of ["/api/member/link", "/api/member/sign-out"]) {
        await answers(200, "post", path, { by, body: query });
        await answers(404, "post", path, { by, body: { memberId: NOBODY } });
      }
      const link = await by.post("/api/member/link", query);
      const { token } = link.body.data;
      await answers(200, "post", "/api/link", { body: { token, password: PASSWORD } });
      await answers(401, "post", "/api/link", { body: { token, password: PASSWORD } });
      await answers(200, "delete", "/api/member", { by, query });
      await answers(404, "delete", "/api/member", { by, query });
      await answers(409, "delete", "/api/member", { by, query: { memberId: id } });
      await answers(200, "get", "/api/me", { by });
      await answers(200, "patch", "/api/me", { by, body: { me: { name: "Ana" } } });
      await answers(200, "put", "/api/me/password", {
        by,
        body: { current: PASSWORD, password: PASSWORD },
      });
      await answers(200, "post", "/api/login", { body: { email, password: PASSWORD } });
    });

    it("devices, locations, records and lines, full and empty", async () => {
      const week = { query: { period: "semanal" } };
      for (const path of ["device", "location", "record"]) await answers(200, "get", `/api/${path}`);
      await answers(404, "get", "/api/data", week);
      await answers(200, "post", "/api/location", { body: aLocation() });
      const [location] = appliance.reader.locations(user.id);
      const locationId = location?.id ?? "";
      for (const status of [200, 409]) {
        await answers(status, "post", "/api/device", { body: aDevice({ locationId }) });
      }
      const headers = { "Idempotency-Key": "k" };
      await answers(201, "post", "/api/data", { headers, body: aRecord() });
      const posted = appliance.reader.newestEntry();
      await answers(422, "post", "/api/data", { headers, body: aRecord({ valor: 9 }) });
      for (const [status, otherwise] of [
        [200, { line: "SIM1" }],
        [409, { line: "SIM1", actuatorId: "102" }],
        [404, { line: "SIM2", dId: "none" }],
      ] as const) {
        await answers(status, "put", "/api/wiring", { body: aWiring(otherwise) });
      }
      const price = (line: string) => ({ body: { price: { lines: [line], valor: 5 } } });
      await answers(200, "put", "/api/wiring/price", price("SIM1"));
      await answers(404, "put", "/api/wiring/price", price("SIM9"));
      for (let day = 10; day <= 30; day += 1) {
        const planned = { price: { lines: ["SIM1"], valor: 5, from: `2030-01-${day}` } };
        await answers(day < 30 ? 200 : 409, "put", "/api/wiring/price", { body: planned });
      }
      const planned = { query: { from: "2030-01-10", valor: "5" } };
      for (const status of [200, 404]) await answers(status, "delete", "/api/wiring/price", planned);
      await answers(200, "put", "/api/test", { body: { test: { lines: ["SIM1"] } } });
      await answers(404, "put", "/api/test", { body: { test: { lines: ["SIM9"] } } });
      await answers(200, "delete", "/api/test");
      await commission();
      const line = await WiredLine.wire(appliance, user, "SIM1");
      await line.go(true);
      await line.go(false);
      await line.go(true, 3);
      const toVoid = (recordId: number) => ({
        body: { void: { recordId: appliance.numbers.show(recordId), reason: "Cobro de prueba" } },
      });
      await answers(200, "put", "/api/letterhead", { body: BODIES["put /api/letterhead"] ?? {} });
      await answers(200, "get", "/api/letterhead");
      await answers(200, "post", "/api/record/void", toVoid(posted));
      await answers(409, "post", "/api/record/void", toVoid(posted));
      await answers(404, "post", "/api/record/void", toVoid(99));
      const failures = [{ line: "SIM1", message: "The line SIM1 is held by another program." }];
      appliance.lines.state = { ...appliance.lines.state, failures };
      appliance.faults = [
        { code: "disk_full", sinceMs: NOON_MS, message: "Full.", hint: "Free some space.", details: {} },
      ];
      for (const path of [
        ...["device", "room", "location", "record", "gap", "wiring", "wiring/price", "status", "audit"],
        ...["test/edge", "commission", "commission/reports", "commission/report"],
      ]) {
        await answers(200, "get", `/api/${path}`);
      }
      await answers(200, "get", "/api/data", week);
      for (const [path, query] of Object.entries(QUERIES)) await answers(200, "get", path, { query });
      const body = {
        device: { name: "Pasillo Z", locationId },
        location: { name: "Norte", description: "" },
      };
      for (const [path, known, unknown] of [
        ["/api/device", { dId: "7234" }, { dId: "none" }],
        ["/api/location", { locationId }, { locationId: NOBODY }],
      ] as const) {
        await answers(200, "patch", path, { query: known, body });
        await answers(404, "patch", path, { query: unknown, body });
      }
      for (const [path, query] of [
        ["/api/wiring", { line: "SIM1" }],
        ["/api/device", { dId: "7234" }],
        ["/api/location", { locationId }],
      ] as const) {
        for (const status of [200, 404]) await answers(status, "delete", path, { query });
      }
    });

    /** The line SIM1 of room 101 is commissioned, once whole and once given up. */
    async function commission(): Promise<void> {
      const path = (rest: string) => `/api/commission${rest}`;
      const [room, body] = [{ dId: "7234", room: "101" }, BODIES["post /api/commission/report"] ?? {}];
      const unknown = { dId: "7234", room: "999" };
      await answers(409, "post", path("/report"), { body });
      await answers(404, "get", path("/report"));
      const by = await appliance.addUser();
      await answers(409, "put", path(""), { by, body: { commission: {} } });
      await answers(404, "put", path(""), { body: { commission: { lines: ["SIM9"] } } });
      await answers(409, "put", path("/room"), { body: { room } });
      await answers(200, "put", path(""), { body: { commission: {} } });
      await answers(404, "put", path("/room"), { body: { room: unknown } });
      await answers(200, "put", path("/room"), { body: { room } });
      for (const status of [409, 404]) {
        const asked = status === 404 ? unknown : room;
        await answers(status, "put", path("/tick"), { body: { tick: asked } });
        await answers(status, "post", path("/mend"), { body: { room: asked } });
      }
      const level = { line: "SIM1", active: false, atMs: 0, missed: 0, isFirst: true };
      appliance.lines.move(level);
      // A storm of edges, though the line has a bias.
      appliance.lines.move({ ...level, active: true, missed: 9, isFirst: false });
      await answers(200, "put", path("/tick"), { body: { tick: room } });
      appliance.lines.move({ ...level, active: true });
      await answers(200, "put", path("/room"), { body: { room } });
      appliance.lines.move({ ...level, isFirst: false });
      await answers(200, "post", path("/mend"), { body: { room } });
      await answers(200, "get", path(""));
      await answers(200, "post", path("/report"), { body });
      await answers(200, "put", path(""), { body: { commission: {} } });
      await answers(200, "delete", path(""));
    }

    it("a code of a move, and that there is none where several accounts share the gateway", async () => {
      await using shared = await Appliance.open();
      const by = await shared.addUser();
      await answers(200, "post", "/api/move/code", { by });
      await shared.addUser();
      await answers(409, "post", "/api/move/code", { by });
    });

    it("what is sent to others: set up, tested and turned off, by the owner of the only account", async () => {
      await using own = await Appliance.open();
      const by = await own.addUser();
      const mail = {
        email_server: "smtp://localhost:1",
        email_login: "",
        email_from: "a@example.org",
        email_to: ["b@example.org"],
      };
      const exchanges = async (status: number) => {
        const body = { name: "email", values: mail };
        await answers(status, "put", "/api/sink", { by, body: body });
        await answers(status, "get", "/api/sink", { by });
        await answers(status, "post", "/api/sink/test", { by, body: { name: "email" } });
        await answers(status, "delete", "/api/sink", { by, query: { name: "email" } });
      };
      await exchanges(200);
      await answers(404, "post", "/api/sink/test", { by, body: { name: "email" } });
      await own.addUser();
      await exchanges(409);
    });

    it("that an account has posted as much as it may in a day", async () => {
      await using bounded = await Appliance.open({ config: { daily_records: 1 } });
      const by = await bounded.addUser();
      await by.post("/api/data", aRecord()).expect(201);
      await answers(429, "post", "/api/data", { by, body: aRecord() });
    });

    it("that an account has made as many changes as it may in a day, and what it may still do", async () => {
      await using bounded = await Appliance.open();
      const by = await bounded.addUser();
      await bounded.writer.addDevice(by.id, aDevice().newDevice);
      const { valor: _valor, ...wiring } = aWiring().wiring;
      const actor = networkActor("192.0.2.7", null);
      const eva = { name: "Eva", email: "eva@example.org", role: "technician", passwordHash: null } as const;
      const { id: memberId } = await bounded.writer.addMember(by.id, eva);
      const price = (valorMicros: number) =>
        bounded.writer.setWiring(
          [{ userId: by.id, wiring: { ...wiring, bias: "as-is", valorMicros } }],
          actor,
        );
      await Promise.all(Array.from({ length: LASTING_A_DAY - 1 }, (_, turn) => price(turn)));
      const invited = { name: "Luis", email: "luis@example.org", role: "staff" };
      await answers(429, "post", "/api/member", { by, body: { member: invited } });
      expect(bounded.reader.members(by.id), "no member without a link").to.have.length(2);
      await price(LASTING_A_DAY);
      for (const [path, body] of [
        ["/api/wiring", aWiring()],
        ["/api/wiring/price", { price: { lines: ["SIM0"], valor: 5, from: "2030-01-01" } }],
        ["/api/test", { test: { lines: ["SIM0"] } }],
        ["/api/commission", { commission: {} }],
      ] as const) {
        await answers(429, "put", path, { by, body });
      }
      const sink = BODIES["put /api/sink"] ?? {};
      await answers(429, "put", "/api/sink", { by, body: sink });
      await answers(429, "delete", "/api/sink", { by, query: { name: "email" } });
      const commission = { lines: null, freeLines: [] };
      await bounded.writer.beginCommission(by.id, commission, ["SIM0"], 60_000);
      const level = { line: "SIM0", active: true, atMs: 0, missed: 0, isFirst: true };
      const room = { dId: "7234", room: "101" };
      await until("the commissioning goes on", () => bounded.lines.measured.length > 0);
      bounded.lines.move(level);
      await by.put("/api/commission/room", { room }).expect(200);
      bounded.lines.move({ ...level, active: false, isFirst: false });
      await answers(429, "post", "/api/commission/mend", { by, body: { room } });
      const report = BODIES["post /api/commission/report"] ?? {};
      await answers(429, "post", "/api/commission/report", { by, body: report });
      await answers(429, "post", "/api/member/link", { by, body: { memberId } });
      await answers(429, "post", "/api/move/code", { by });
      const changed = { query: { memberId }, body: { member: { role: "staff" } } };
      await answers(429, "patch", "/api/member", { by, ...changed });
      await answers(200, "post", "/api/member/sign-out", { by, body: { memberId } });
      await answers(200, "delete", "/api/member", { by, query: { memberId } });
    });

    it("that a user has as many locations as may be", async () => {
      const by = await appliance.addUser();
      const { location } = aLocation();
      await Promise.all(Array.from({ length: 200 }, () => appliance.writer.addLocation(by.id, location)));
      await answers(409, "post", "/api/location", { by, body: aLocation() });
    });

    it("that an account has as many rooms as may be", async () => {
      const by = await appliance.addUser();
      const actuators = Array.from({ length: 64 }, (_, room) => ({ id: String(room), value: false }));
      const { newDevice } = aDevice();
      const add = (dId: string, rooms: number) =>
        appliance.writer.addDevice(by.id, { ...newDevice, dId, actuators: actuators.slice(0, rooms) });
      await Promise.all(Array.from({ length: 63 }, (_, turn) => add(String(turn), 64)));
      await Promise.all([add("63", 63), add("64", 1)]);
      const device = { rooms: ["0", "1"] };
      await answers(409, "patch", "/api/device", { by, query: { dId: "64" }, body: { device } });
    });

    it("the lines of the machine, free, wired and held", async () => {
      const free = { wiring: null, watched: false, level: null, problem: null, holder: null };
      appliance.lines.chips = [
        {
          name: "simchip0",
          label: "flanco simulation",
          lines: [
            { chip: "simchip0", offset: 0, name: "SIM0", ...free },
            { chip: "simchip0", offset: 1, name: null, ...free, holder: "other-program", problem: "In use." },
          ],
        },
      ];
      await answers(200, "get", "/api/line");
      await answers(200, "post", "/api/line/read", { body: { line: "SIM0" } });
      await answers(200, "post", "/api/line/drive", { body: { line: "SIM0", level: true } });
      await answers(404, "post", "/api/line/drive", { body: { line: "SIM9", level: true } });
      for (const [status, code] of [
        [404, "not_found"],
        [409, "conflict"],
      ] as const) {
        appliance.lines.refusal = new FlancoError(code, "The line SIM0 is not there, or in use.");
        await answers(status, "post", "/api/line/read", { body: { line: "SIM0" } });
        await answers(status, "post", "/api/line/drive", { body: { line: "SIM0", level: true } });
      }
    });

    it("exports, and that only so many may be under way", async () => {
      const record = appliance.reader.findRecords(user.id, {
        filter: ANY,
        before: null,
        limit: 1,
      }).records[0];
      // A ledger without an end: none of them is done before the last one has come.
      appliance.breaker.instead.set("findRecords", () => ({
        records: Array(1_000).fill(record),
        next: { timeMs: 1, recordId: 1 },
      }));
      const response = await user.begin("/api/export?lang=en");
      await answers(503, "get", "/api/export", { query: { lang: "es" } });
      response.destroy();
      appliance.breaker.instead.clear();
    });

    it("live events", async () => {
      const response = await user.begin("/api/event");
      const type = String(response.headers["content-type"]).split(";")[0] ?? "";
      conformance.observe({ method: "get", path: "/api/event", status: 200, type, body: undefined });
      response.destroy();
    });

    it("nothing that was not seen to happen", () => {
      expect(conformance.unseen().filter((name) => !isRefusal(name))).to.deep.equal([]);
    });
  });
});
