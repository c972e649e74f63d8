import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { type Fault, fault } from "../../src/domain/fault.ts";
import type { Notice } from "../../src/domain/notice.ts";
import type { SinkName } from "../../src/domain/sink.ts";
import { costlyReads } from "../../src/ledger/engine/reader.ts";
import { NoticeOutbox } from "../../src/notify/notice-outbox.ts";
import { NoticeWriter } from "../../src/notify/notice-writer.ts";
import { Notices, type NoticesOptions } from "../../src/notify/notices.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { newDevice, newRecord, newWiring, TestLedger } from "../ledger/test-ledger.ts";
import { forEachTest } from "../rig/standing.ts";

const NINE_MS = Date.UTC(2026, 10, 24, 9);
const DISK = fault("disk_full", NINE_MS);
/** One that no sale is lost by. */
const CLOCK = fault("clock_untrusted", NINE_MS, {});
const UNWATCHED = ["box0/r0", "box0/r1", "box0/r2"].map((line) =>
  fault("line_failed", NINE_MS, { line, reason: "Away." }),
);

describe("the notices of a gateway", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let clock: SetClock;
  let faults: Fault[];
  let quiet: boolean;
  let trusted: boolean;
  let outbox: NoticeOutbox;
  let notices: Notices;

  beforeEach(() => {
    clock = new SetClock(NINE_MS);
    faults = [];
    quiet = false;
    trusted = true;
    restart();
  });
  afterEach(() => notices.close());

  const file = () => `${ledger.directory}/forward/notices.json`;

  /** A process that begins. */
  function restart(
    sinks: readonly SinkName[] = ["email", "webhook"],
    settings: Partial<NoticesOptions> = {},
  ): void {
    const log = new KeptLog();
    outbox = new NoticeOutbox({ file: file(), sinks, log, nowMs: () => clock.nowMs(), isQuiet: () => quiet });
    const { reader } = ledger;
    const status = { status: async () => ({ faults }) };
    notices = new Notices({
      outbox,
      clock,
      log,
      reader,
      status,
      trust: { trusted: () => trusted },
      silentDays: 3,
      writer: new NoticeWriter({
        language: "es",
        timeZone: "UTC",
        currency: { code: "EUR", decimals: 2 },
        clock,
        gateway: () => "recepción",
      }),
      costly: costlyReads(reader, reader.budget, { file: ledger.file, timeZone: "UTC" }),
      summaries: ["daily", "monthly"],
      page: () => "https://192.168.1.20:8443",
      wake: () => {},
      ...settings,
    });
    notices.open();
  }

  async function pass(ms: number, stepMs = MINUTE_MS): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.pass(Math.min(stepMs, ms - passed));
      await notices.announce();
    }
  }

  /** What a sink takes until nothing waits. */
  async function drain(name: SinkName = "email"): Promise<readonly Notice[]> {
    const feed = outbox.feedOf(name);
    const taken: Notice[] = [];
    for (let notice = await feed.next(); notice !== undefined; notice = await feed.next()) {
      taken.push(notice);
      feed.taken(notice);
    }
    return taken;
  }

  const kinds = (taken: readonly Notice[]) => taken.map(({ kind }) => kind);

  it("tell of a fault once, in words for people, and when it is over", async () => {
    faults = [DISK];
    await pass(HOUR_MS);
    const [begun, ...others] = await drain();
    expect(others).to.deep.equal([]);
    expect(begun).to.include({ kind: "fault_begun", language: "es" });
    expect(begun?.subject).to.equal("Aviso: El disco está lleno: no se pueden guardar ventas nuevas.");
    expect(begun?.text).to.contain("Avise a su técnico hoy mismo").and.contain("Desde 24 nov 2026, 9:00");
    expect(begun?.details).to.include({ code: "disk_full", gateway: "recepción" });
    faults = [];
    await pass(HOUR_MS);
    const [over] = await drain();
    expect(over?.subject).to.equal("Resuelto: El disco está lleno: no se pueden guardar ventas nuevas.");
    await pass(HOUR_MS);
    expect(await drain()).to.deep.equal([]);
  });

  it("reach each sink once, however the other one fares, and are then forgotten", async () => {
    faults = [DISK];
    await pass(5 * MINUTE_MS);
    expect(await drain("email")).to.have.length(1);
    expect(outbox.feedOf("webhook").progress().waiting).to.equal(1);
    restart();
    expect(await drain("email")).to.have.length(0);
    expect(await drain("webhook")).to.have.length(1);
    expect(JSON.parse(readFileSync(file(), "utf8")).waiting).to.deep.equal([]);
  });

  it("are neither lost nor repeated by a crash, but for one whose answer was under way", async () => {
    faults = [DISK];
    await pass(5 * MINUTE_MS);
    const [under] = [await outbox.feedOf("email").next()];
    restart();
    await pass(5 * MINUTE_MS);
    const taken = await drain();
    expect(taken).to.deep.equal([under]);
    restart();
    await pass(HOUR_MS);
    expect(await drain()).to.deep.equal([]);
    faults = [];
    restart();
    await pass(HOUR_MS);
    expect(kinds(await drain())).to.deep.equal(["fault_over"]);
  });

  it("are one of all faults of one code that begin together, and one when they are over", async () => {
    faults = [...UNWATCHED, DISK];
    await pass(5 * MINUTE_MS);
    const begun = await drain();
    expect(begun.map(({ subject }) => subject)).to.deep.equal([
      "Aviso (3 casos): La línea box0/r0 no se vigila: sus ventas no se registran.",
      "Aviso: El disco está lleno: no se pueden guardar ventas nuevas.",
    ]);
    expect(begun[0]?.text).to.contain("- La línea box0/r2 no se vigila");
    expect(begun[0]?.details).to.include({ code: "line_failed", count: 3 });
    faults = [DISK];
    await pass(HOUR_MS);
    restart();
    await pass(HOUR_MS);
    expect((await drain()).map(({ subject }) => subject)).to.deep.equal([
      "Resuelto (3 casos): La línea box0/r0 no se vigila: sus ventas no se registran.",
    ]);
  });

  it("name 30 of the faults of one code at most", async () => {
    faults = Array.from({ length: 300 }, (_, at) =>
      fault("line_failed", NINE_MS, { line: `box/r${at}`, reason: "Away." }),
    );
    await pass(5 * MINUTE_MS);
    const [begun, ...others] = await drain();
    expect(others).to.deep.equal([]);
    expect(begun?.subject).to.match(/^Aviso \(300 casos\)/);
    expect(begun?.text.split("\n").filter((line) => line.startsWith("- La línea"))).to.have.length(30);
    expect(begun?.text).to.contain("- y 270 más");
  });

  it("still tell of a fault that lasts where another one of its notice is over before that was delivered", async () => {
    quiet = true;
    const warm = (sink: string) => fault("sink_failing", NINE_MS, { sink, reason: "Away." });
    faults = [warm("mqtt"), warm("central")];
    await pass(5 * MINUTE_MS);
    faults = [warm("mqtt")];
    await pass(HOUR_MS);
    quiet = false;
    expect(kinds(await drain())).to.deep.equal(["fault_begun", "fault_over"]);
  });

  it("name the room of a line, in one line whatever it is called", async () => {
    const { id: userId } = await ledger.addUser();
    await ledger.writer.addDevice(userId, newDevice({ name: "Pasillo\r\nBcc: x\u2028y" }));
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ line: "box0/r0" }) }]);
    faults = UNWATCHED.slice(0, 1);
    await pass(5 * MINUTE_MS);
    const [begun] = await drain();
    const said =
      "La línea box0/r0 no se vigila: sus ventas no se registran. Habitación 101, Pasillo Bcc: x y.";
    expect(begun?.subject).to.equal(`Aviso: ${said}`);
    expect(begun?.text.split("\n")[0]).to.equal(said);
    expect(begun?.details).to.include({ rooms: "101" });
  });

  it("of a fault by which sales are lost do not wait for the morning", async () => {
    quiet = true;
    faults = [CLOCK];
    await pass(HOUR_MS);
    expect(await drain()).to.deep.equal([]);
    const codes = async () => (await drain()).map(({ details }) => details["code"]);
    faults = [CLOCK, ...UNWATCHED];
    await pass(HOUR_MS);
    expect(await codes()).to.deep.equal(["clock_untrusted", "line_failed"]);
    faults = [...faults, fault("edges_refused", NINE_MS, { waiting: 3 })];
    await pass(HOUR_MS);
    expect(await codes()).to.deep.equal(["edges_refused"]);
    faults = [];
    await pass(HOUR_MS);
    expect(await drain()).to.deep.equal([]);
  });

  it("say once of a fault that ends within quiet hours that it was and is over", async () => {
    quiet = true;
    faults = [CLOCK];
    await pass(HOUR_MS);
    faults = [];
    await pass(HOUR_MS);
    quiet = false;
    expect(kinds(await drain())).to.deep.equal(["fault_over"]);
  });

  it("that a sink has refused for good are not sent to it again, still reach the other one, and are counted", async () => {
    faults = [DISK];
    await pass(5 * MINUTE_MS);
    const feed = outbox.feedOf("webhook");
    const notice = await feed.next();
    if (notice === undefined) expect.fail("nothing waits");
    feed.giveUp?.(notice);
    restart();
    const after = outbox.feedOf("webhook").progress();
    expect(after).to.deep.equal({ waiting: 0, givenUp: 1, deliveredMs: null });
    expect(await drain("email")).to.have.length(1);
    expect(outbox.feedOf("email").progress().givenUp).to.equal(0);
  });

  it("begin for a new sink with what is told of from then on", async () => {
    notices.close();
    restart(["email"]);
    faults = [DISK];
    await pass(5 * MINUTE_MS);
    restart(["email", "webhook"]);
    expect(await drain("webhook")).to.deep.equal([]);
    expect(await drain("email")).to.have.length(1);
  });

  it("are kept to a bounded number, the newest", async () => {
    const many = (from: number) =>
      Array.from({ length: 300 }, (_, index) => ({ ...A, id: String(from + index), madeMs: clock.nowMs() }));
    outbox.add(many(0), {});
    outbox.add(many(300), {});
    expect(outbox.feedOf("email").progress().waiting).to.equal(500);
    expect((await outbox.feedOf("email").next())?.id).to.equal("100");
  });

  it("begin anew where their file is damaged, and go on where it cannot be written", async () => {
    faults = [DISK];
    await pass(5 * MINUTE_MS);
    writeFileSync(file(), "{");
    restart();
    await pass(5 * MINUTE_MS);
    expect(kinds(await drain())).to.deep.equal(["fault_begun"]);
    expect(existsSync(file())).to.equal(true);
  });

  describe("of sales", () => {
    beforeEach(async () => {
      const { user, deviceId } = await ledger.wire();
      const sales = Array.from({ length: 40 }, (_, ago) =>
        ["101", "102"].map((room) =>
          newRecord({ deviceId, room, valorMicros: 4_500_000, createdTimeMs: NINE_MS - (ago + 1) * DAY_MS }),
        ),
      );
      await Promise.all(sales.flat().map((sale) => ledger.writer.addRecord(user.userId, sale, null)));
      // The first look of all sums nothing up.
      await pass(MINUTE_MS);
    });

    const sell = async () => {
      const [user] = ledger.reader.members();
      const [device] = ledger.reader.devices(user?.userId ?? "");
      const sale = newRecord({ deviceId: device?.id ?? "", createdTimeMs: clock.nowMs() - HOUR_MS });
      await ledger.writer.addRecord(user?.userId ?? "", sale, null);
    };

    it("sum a day up on the next morning, once", async () => {
      expect(await drain()).to.deep.equal([]);
      await sell();
      await pass(DAY_MS, HOUR_MS / 2);
      restart();
      const [summary, ...others] = await drain();
      expect(others).to.deep.equal([]);
      expect(summary?.kind).to.equal("daily_summary");
      expect(summary?.subject.replaceAll(/\s/g, " ")).to.equal(
        "Resumen del martes, 24 de noviembre: 1 venta, 1,00 €",
      );
      expect(summary?.text.replaceAll(/\s/g, " ")).to.contain("El día anterior: 2 ventas, 9,00 €.");
      expect(summary?.details).to.include({ from: "2026-11-24", sales: 1, revenue: 1, currency: "EUR" });
    });

    it("sum a month up on its first morning after, and only the last day of a time without power", async () => {
      await pass(10 * DAY_MS, 10 * DAY_MS);
      const taken = await drain();
      expect(kinds(taken)).to.include.members(["daily_summary", "monthly_summary"]);
      const monthly = taken.find(({ kind }) => kind === "monthly_summary");
      expect(monthly?.details).to.include({ from: "2026-11-01", to: "2026-11-30", sales: 46 });
      expect(kinds(taken).filter((kind) => kind === "daily_summary")).to.have.length(1);
    });

    it("go on where the clock was years ahead and is set right", async () => {
      await pass(HOUR_MS, HOUR_MS);
      clock.setWall(NINE_MS + 1_000 * DAY_MS);
      await notices.announce();
      restart();
      await drain();
      clock.setWall(NINE_MS + DAY_MS);
      await notices.announce();
      const [summary, ...others] = await drain();
      expect(kinds(others)).to.not.include("daily_summary");
      expect(summary?.details).to.include({ from: "2026-11-24", to: "2026-11-24" });
    });

    it("are none where they are not wanted", async () => {
      notices.close();
      restart(undefined, { silentDays: 0, summaries: [] });
      await pass(10 * DAY_MS, DAY_MS);
      expect(await drain()).to.deep.equal([]);
    });

    it("name the account whose they are, where the gateway has several", async () => {
      const [user] = ledger.reader.members();
      const letterhead = { company: "Clínica Norte, S. L.", taxNumber: "", address: "", logo: "" };
      await ledger.writer.setLetterhead(user?.userId ?? "", letterhead);
      const named = async () => {
        await pass(DAY_MS, DAY_MS);
        const summaries = (await drain()).filter(({ kind }) => kind === "daily_summary");
        return summaries.map(({ subject }) => subject.startsWith("Clínica Norte, S. L.: "));
      };
      expect(await named()).to.deep.equal([false]);
      await ledger.addUser("eva");
      expect(await named()).to.have.members([true, false]);
    });

    it("tell of each month that is closed, once, with its amounts and the way to it", async () => {
      const [user] = ledger.reader.members();
      const userId = user?.userId ?? "";
      const close = async (month: number) => {
        const made = { time: 0, currency: { code: "EUR", decimals: 2 }, counted: new Map<string, number>() };
        await ledger.writer.closeMonth(userId, ledger.reader.draftSettlement(userId, month, made));
      };
      await close(2026_09);
      await notices.announce();
      expect(kinds(await drain())).to.include("month_closed");
      await close(2026_10);
      await notices.announce();
      const told = (await drain()).filter(({ kind }) => kind === "month_closed");
      expect(told.map(({ subject }) => subject)).to.deep.equal([
        "Mes cerrado: octubre de 2026, a liquidar 153,00 €",
      ]);
      expect(told[0]?.details).to.include({
        month: "2026-10",
        net: 153,
        link: "https://192.168.1.20:8443/liquidacion?month=2026-10",
      });
      notices.close();
      restart();
      await notices.announce();
      expect(kinds(await drain())).not.to.include("month_closed");
    });

    it("wait until the clock is right", async () => {
      trusted = false;
      await pass(2 * DAY_MS, HOUR_MS);
      expect(await drain()).to.deep.equal([]);
    });

    it("tell once of a wired room that is silent against its habit, and again after it has sold", async () => {
      await pass(5 * DAY_MS, HOUR_MS);
      const silent = (await drain()).filter(({ kind }) => kind === "rooms_silent");
      expect(silent.map(({ subject }) => subject)).to.deep.equal(["La habitación 101 no vende"]);
      expect(silent[0]?.text).to.contain("- habitación 101, Pasillo A: 3 días");
      restart();
      await pass(3 * DAY_MS, HOUR_MS);
      expect(kinds(await drain())).to.not.include("rooms_silent");
      await sell();
      await pass(DAY_MS, HOUR_MS);
      await drain();
      await pass(8 * DAY_MS, HOUR_MS);
      expect(kinds(await drain()).filter((kind) => kind === "rooms_silent")).to.have.length(1);
    });
  });
});

const A: Notice = {
  id: "",
  kind: "test",
  madeMs: 0,
  language: "es",
  subject: "",
  text: "",
  details: {},
};
