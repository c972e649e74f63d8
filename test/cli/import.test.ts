import { expect } from "chai";
import type { StoreWriter } from "../../src/ledger/engine/writer.ts";
import { newDevice, newRecord, newWiring } from "../ledger/test-ledger.ts";
import { readIn } from "../rig/ledger-file.ts";
import { PASSWORD, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { inLedger } from "../rig/writer.ts";
import { EMAIL, seededProgram, seedLedger } from "./ledger.ts";

const NOON_MS = Date.UTC(2026, 2, 11, 12);
const [NORTE, SUR] = ["Clínica Norte", "Clínica Sur"];
const LEFT_OUT =
  "Left out, because this account has other content by their keys, or not the sale of a refund: ";

const ADD_ANA = ["user", "add", "--email", EMAIL, "--name", "Ana", "--password-stdin"];

describe("flanco import into an account that has something", () => {
  const here = forEachTest(() => seededProgram([NOON_MS, NOON_MS + 1, NOON_MS + 2]));
  const there = forEachTest(() => Program.make());
  const third = forEachTest(() => Program.make());

  /** Changes the ledger of a gateway whose service does not run. */
  const change = <T>({ ledgerFile }: Program, run: (writer: StoreWriter, userId: string) => Promise<T>) =>
    inLedger(ledgerFile, (writer) => run(writer, userOf(ledgerFile)));

  const userOf = (file: string) => readIn(file, (reader) => reader.members()[0]?.userId ?? "");

  /** A sale for each price, all at one time in one room: only the ledger tells them from those of another history. */
  const sell = (program: Program, timeMs: number, ...prices: readonly number[]) =>
    change(program, async (writer, userId) => {
      for (const price of prices) {
        const sale = newRecord({ deviceId: "7234", valorMicros: price * 1e6, createdTimeMs: timeMs });
        await writer.addRecord(userId, sale, null);
      }
    });

  const sold = (program: Program) =>
    readIn(program.ledgerFile, (reader) =>
      reader
        .exportedRecords(userOf(program.ledgerFile), 0, 1_000)
        .map(({ valorMicros, createdTimeMs }) => [valorMicros / 1e6, createdTimeMs - NOON_MS] as const)
        .toSorted(([price, time], [otherPrice, otherTime]) => time - otherTime || price - otherPrice),
    );

  /** Exports from one gateway and imports on another; gives what that said of records. */
  async function carry(from: Program, to: Program): Promise<string> {
    const file = to.write("carried.jsonl", await from.succeed(["export"]));
    const dry = await to.succeed(["import", file, "--dry-run", "--no-wiring"]);
    const said = await to.succeed(["import", file, "--no-wiring"]);
    const counts = (text: string) => /(\d+) records; there already: (\d+) records/.exec(text)?.slice(1);
    expect(counts(dry)).to.deep.equal(counts(said));
    return counts(said)?.join(" added, ") ?? said;
  }

  const backUp = async (program: Program): Promise<string> => {
    const made = JSON.parse(await program.succeed(["backup", "--json"])) as Record<string, string>[];
    return `${made[0]?.["directory"]}/${made[0]?.["file"]}`;
  };

  it("brings over what a gateway sold after the backup that another one began from", async () => {
    await there.succeed(["restore", await backUp(here)]);
    await sell(here, NOON_MS + 3, 5, 6);
    // The other one gives the same numbers to other sales.
    await sell(there, NOON_MS + 4, 7);
    expect(await carry(here, there)).to.equal("2 added, 3");
    expect(await carry(here, there)).to.equal("0 added, 5");
    const own = [0, 1, 2].map((time) => [4, time]);
    const all = [...own, [5, 3], [6, 3], [7, 4]];
    expect(sold(there)).to.deep.equal(all);
    expect(await carry(there, here)).to.equal("1 added, 5");
    expect(sold(here)).to.deep.equal(all);
    await third.succeed(ADD_ANA, `${PASSWORD}\n`);
    for (const program of [here, there]) await carry(program, third);
    expect(sold(third), "what both histories have is there once").to.deep.equal(all);
    expect(await there.succeed(["verify"])).to.match(/^6 records: /);
  });

  it("brings back what an older backup lacks, also where its numbers were given again", async () => {
    const older = await backUp(here);
    await sell(here, NOON_MS + 3, 50);
    const file = here.write("before.jsonl", await here.succeed(["export"]));
    await here.succeed(["restore", older]);
    await sell(here, NOON_MS + 3, 600);
    const { stdout } = await here.call(["import", file]);
    expect(stdout).to.include("1 records; there already: 3 records.").and.to.include("Lines wired: 0.");
    expect(sold(here).slice(3)).to.deep.equal([
      [50, 3],
      [600, 3],
    ]);
    expect(await here.succeed(["import", file])).to.include("0 records; there already: 4 records.");
  });

  describe("of the table of records, once a spreadsheet has saved it", () => {
    const ODD_ROOMS = ["0101", "1E5", "3-1"];

    /** What the account sold in those rooms as `flanco export --csv` writes it: its head, and a row of each room. */
    async function exported(): Promise<readonly string[]> {
      await change(here, async (writer, userId) => {
        for (const [index, room] of ODD_ROOMS.entries()) {
          const sale = {
            room,
            deviceId: "0072",
            valorMicros: 4_500_000,
            createdTimeMs: NOON_MS + 10 + index,
          };
          await writer.addRecord(userId, newRecord(sale), null);
        }
      });
      const [head = "", ...rows] = (await here.succeed(["export", "--csv"])).trim().split("\n");
      return [head, ...rows.filter((row) => row.includes(",0072,"))];
    }

    /** As LibreOffice in Spanish saves it: semicolons, and other rooms and device where they look like numbers. */
    const saved = (rows: readonly string[], changes: readonly (readonly [string, string])[]) => {
      const changed = rows.map((row) => changes.reduce((text, [from, to]) => text.replace(from, to), row));
      return here.write("saved.csv", changed.map((row) => row.replaceAll(",", ";")).join("\r\n"));
    };
    const NUMBERS = [
      [",0072,", ",72,"],
      [",0101,", ",101,"],
      [",1E5,", ",100000,"],
    ] as const;

    it("adds nothing, and names row and column of what the spreadsheet has changed", async () => {
      const rows = await exported();
      const before = sold(here);
      expect(await here.succeed(["import", saved(rows, [])])).to.include("0 records; there already: 3");
      const { exitCode, stdout, stderr } = await here.call(["import", saved(rows, NUMBERS)]);
      expect([exitCode, stdout]).to.deep.equal([
        3,
        "added: 0 locations, 0 devices, 0 records; there already: 1 records.\n",
      ]);
      expect(stderr).to.match(/saved\.csv:2: habitacion: \S+: room 101 of /);
      expect(stderr).to.match(/saved\.csv:3: habitacion: \S+: room 100000 of /);
      expect(sold(here)).to.deep.equal(before);
    });

    it("adds nothing either where the column of keys was removed", async () => {
      const rows = (await exported()).map((row) => row.slice(row.indexOf(",") + 1));
      const before = sold(here);
      for (const [changes, known] of [
        [[], 3],
        [NUMBERS, 1],
      ] as const) {
        const { stdout } = await here.call(["import", saved(rows, changes)]);
        expect(stdout).to.include(`0 records; there already: ${known} records.`);
      }
      expect(sold(here)).to.deep.equal(before);
    });

    it("takes a room of the same number that sold at another time for another room", async () => {
      const rows = (await exported()).map((row) => row.slice(row.indexOf(",") + 1));
      const later = rows.map((row) => row.replace(String(NOON_MS + 10), String(NOON_MS + 20)));
      expect(await here.succeed(["import", saved(later, [[",0101,", ",101,"]])])).to.include("1 records;");
    });

    for (const [changes, mistake] of [
      [[[",3-1,", ",03/01/26,"]], "saved.csv:4: habitacion: 03/01/26 is what a spreadsheet makes of"],
      [[[",3-1,", ",03-ene,"]], "saved.csv:4: habitacion: 03-ene is what a spreadsheet makes of"],
      [[[",1E5,", ",1.00E+05,"]], "saved.csv:3: habitacion: 1.00E+05 is what a spreadsheet makes of"],
      [[[`,${NOON_MS + 10},`, ",1.77323E+12,"]], "saved.csv:2: createdTime: must be milliseconds"],
      [[[`,${NOON_MS + 10},`, ",11/03/2026 12:00,"]], "saved.csv:2: createdTime: must be milliseconds"],
      [[[",4.5,", ",04-may,"]], "saved.csv:2: valor: must be a number in digits"],
      [
        [[",Pasillo A,", ",01/02/2026,"]],
        "saved.csv:2: deviceName: 01/02/2026 is what a spreadsheet makes of",
      ],
      [[["habitacion", "Habitación"]], "saved.csv:1: the first row does not name habitacion."],
    ] as const) {
      it(`names row and column: ${changes[0][1]}`, async () => {
        const rows = await exported();
        const before = sold(here);
        const { exitCode, stderr } = await here.call(["import", saved(rows, changes)]);
        expect(exitCode).to.equal(1);
        expect(stderr).to.include(mistake);
        expect(sold(here)).to.deep.equal(before);
      });
    }
  });

  it("leaves out, and names, what has a key of the account with another content, or is void in the file alone", async () => {
    const lines = (await here.succeed(["export"])).trim().split("\n");
    const [wrong = {}, voided = {}, right = {}] = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ kind }) => kind === "record");
    const changed = [
      { ...wrong, valor: 40 },
      { ...voided, voidReason: "a test" },
      right,
      { ...right, key: "another/1", createdTime: NOON_MS + 9 },
      { ...right, key: "another/1", createdTime: NOON_MS + 8 },
    ];
    const file = here.write("changed.jsonl", changed.map((one) => JSON.stringify(one)).join("\n"));
    const { exitCode, stdout, stderr } = await here.call(["import", file]);
    expect(exitCode).to.equal(3);
    expect(stdout).to.include("1 records; there already: 1 records.");
    expect(stderr).to.include(`${LEFT_OUT}3 records.`);
    expect(stderr).to.include(`${wrong["key"]}: room 101 of Pasillo A, 40, 2026-03-11T12:00:00.000Z\n`);
    expect(stderr).to.include(`${voided["key"]}: room 101 of Pasillo A, 4, 2026-03-11T12:00:00.001Z, void\n`);
    expect(stderr).to.include("another/1: ").and.to.include("flanco void");
    expect(sold(here)).to.have.length(4);
  });

  it("leaves out, and names, a refund that is none of a sale here: by its key, its sign or its size", async () => {
    const lines = (await here.succeed(["export"])).trim().split("\n");
    const records = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ kind }) => kind === "record");
    const [sale = {}] = records;
    const refund = (key: string, valor: number, refundOf: unknown) => ({
      ...sale,
      ...{ key, valor, refundOf, reason: "no signal", createdTime: NOON_MS + 60_000 },
    });
    const file = here.write(
      "refunds.jsonl",
      [
        ...[refund("x/1", -1, "nowhere"), refund("x/2", 1, sale["key"]), refund("x/3", -40, sale["key"])],
        ...[refund("x/4", -1, sale["key"]), refund("x/5", -1, "x/4")],
      ]
        .map((entry) => JSON.stringify(entry))
        .join("\n"),
    );
    const { exitCode, stdout, stderr } = await here.call(["import", file]);
    expect([exitCode, stdout]).to.deep.equal([
      3,
      "added: 0 locations, 0 devices, 1 records; there already: 0 records.\n",
    ]);
    for (const [line, key] of [
      [1, "x/1"],
      [2, "x/2"],
      [3, "x/3"],
      [5, "x/5"],
    ]) {
      expect(stderr).to.include(`refunds.jsonl:${line}: refundOf: ${key}: `);
    }
    expect(await here.succeed(["verify"])).to.match(/^4 records: /);
  });

  it("leaves the settings of a wired line as they are, and says what the file has otherwise", async () => {
    const file = here.write("clinic.jsonl", await here.succeed(["export"]));
    const set = { valorMicros: 5e6, rearmMs: 60_000, dId: "7234", actuatorId: "101" };
    await change(here, async (writer, userId) => {
      await writer.setWiring([{ userId, wiring: newWiring({ ...set, line: "SIM0" }) }]);
      await writer.removeWiring(userId, "SIM3");
    });
    const wiring = async () => JSON.parse(await here.succeed(["wiring", "list", "--json"])) as object[];
    const before = await wiring();
    for (const [flags, verb] of [
      [["--dry-run"], "that would be wired"],
      [[], "wired"],
    ] as const) {
      const said = await here.succeed(["import", file, ...flags]);
      expect(said).to.include(`Lines ${verb}: 1.\nThese lines are wired, and keep what they have:\n`);
      expect(said).to.include("\nSIM0: valor 5, rearm_ms 60000 here; valor 4, rearm_ms 0 in the file\n");
    }
    expect((await wiring()).filter((row) => !("line" in row && row.line === "SIM3"))).to.deep.equal(before);
    expect(await wiring()).to.have.length(8);
  });

  it("keeps another clinic's device of the same dId apart, with its sales, its room and its price", async () => {
    await seedLedger(there.ledgerFile);
    await change(there, async (writer, userId) => {
      const locationId = await writer.addLocation(userId, { name: SUR, description: "" });
      await writer.removeDevice(userId, "7234");
      const device = newDevice({ locationId, locationName: SUR }, ["101"]);
      const id = await writer.addDevice(userId, device);
      const wiring = newWiring({ line: "GPIO4", valorMicros: 300e6 });
      await writer.setWiring([{ userId, wiring }]);
      const sale = newRecord({
        deviceId: id,
        locationName: SUR,
        valorMicros: 300e6,
        createdTimeMs: NOON_MS + 9,
      });
      await writer.addRecord(userId, sale, null);
      await writer.addRecord(userId, { ...sale, deviceId: "7234" }, null);
    });
    const file = here.write("sur.jsonl", await there.succeed(["export"]));
    for (const added of ["1 locations, 1 devices, 2 records", "0 locations, 0 devices, 0 records"]) {
      const said = await here.succeed(["import", file]);
      expect(said).to.include(`added: ${added}`);
      expect(said).to.include(
        `Device 7234 of the file is another one than 7234 here: it is 7234 (${SUR}).\n`,
      );
    }
    const userId = userOf(here.ledgerFile);
    const devices = readIn(here.ledgerFile, (reader) => reader.devices(userId));
    const ofSur = devices.find(({ dId }) => dId === `7234 (${SUR})`);
    expect(devices.map(({ dId, locationName }) => [dId, locationName])).to.deep.equal([
      ["7234", NORTE],
      ["7235", NORTE],
      [`7234 (${SUR})`, SUR],
    ]);
    const wirings = readIn(here.ledgerFile, (reader) => reader.wirings(userId));
    const priced = wirings.filter(({ actuatorId }) => actuatorId === "101");
    expect(priced.map(({ line, dId, valorMicros }) => [line, dId, valorMicros / 1e6])).to.deep.equal([
      ["GPIO4", `7234 (${SUR})`, 300],
      ["SIM0", "7234", 4],
    ]);
    const sales = readIn(here.ledgerFile, (reader) => reader.exportedRecords(userId, 0, 1_000));
    const devicesOfSales = sales
      .filter(({ valorMicros }) => valorMicros === 300e6)
      .map(({ deviceId }) => deviceId);
    expect(devicesOfSales).to.deep.equal([ofSur?.id, ofSur?.dId]);
  });

  it("knows the rows of a table without keys, however it was saved again, and says that they have none", async () => {
    const columns = ["locationName", "deviceName", "deviceId", "habitacion", "valor", "createdTime"];
    const rows = [0, 0, 1].map((time) => [NORTE, "Pasillo A", "7234", "102", "4.50", String(NOON_MS + time)]);
    const table = (head: readonly string[], cells: readonly (readonly string[])[]) =>
      here.write("table.csv", [head, ...cells].map((row) => row.join(",")).join("\n"));
    const first = await here.call(["import", table(columns, rows)]);
    expect(first.stdout).to.include("3 records; there already: 0 records.");
    expect(first.stderr).to.include("3 rows have no key: ");
    const again = [
      table(
        columns,
        rows.map((row) => row.with(4, "4.5")),
      ),
      table(
        columns.toReversed(),
        rows.map((row) => row.toReversed()),
      ),
      table(
        [...columns, "endedTime"],
        rows.map((row) => [...row, ""]),
      ),
      table(
        columns,
        rows.map((row) => row.with(3, "102 ")),
      ),
    ];
    for (const file of again) {
      expect(await here.succeed(["import", file])).to.include("0 records; there already: 3 records.");
    }
    const [head = "", ...own] = (await here.succeed(["export", "--csv"])).trim().split("\n");
    const withoutKeys = [head, ...own].map((row) => row.slice(row.indexOf(",") + 1)).join("\n");
    const said = await here.succeed(["import", here.write("own.csv", withoutKeys)]);
    expect(said).to.include("0 records; there already: 6 records.");
  });
});
