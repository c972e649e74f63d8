import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { expect } from "chai";
import { onlyLine, PASSWORD, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { EMAIL, recordRows, seededProgram } from "./ledger.ts";

/** Cheap to compare with: what is tested is elsewhere. */
const BCRYPT_COST = 4;
const NOON_MS = Date.UTC(2026, 2, 11, 12);
const TIMES = [NOON_MS, NOON_MS + 1_000, NOON_MS + 1_000, NOON_MS + 86_400_000];
const TOTALS = /added: (\d+) locations, (\d+) devices, (\d+) records; there already: (\d+) records\./;

/** What an import said: locations, devices and records that are new, and records that were there. */
function countsOf(said: string): readonly number[] {
  return (TOTALS.exec(said)?.slice(1) ?? []).map(Number);
}

/** The columns of a table that has them all. */
const HEAD =
  "locationName,deviceName,deviceId,habitacion,valor,createdTime,endedTime,provisional,voidReason,refundOf,reason";
const entriesOf = (exported: string) =>
  exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const linesOf = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry)).join("\n");
const ana = ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"];

describe("flanco export and flanco import", () => {
  const from = forSuite(() => seededProgram(TIMES));
  const to = forSuite(() => Program.make());
  const another = forSuite(() => Program.make());
  let exported = "";
  let file = "";

  before(async () => {
    await from.succeed(["void", "1", "--reason", 'una "prueba", dos']);
    exported = await from.succeed(["export"]);
    file = to.write("clinic.jsonl", exported);
    for (const program of [to, another]) await program.succeed(ana, `${PASSWORD}\n`);
  });

  it("say first what would be added, and write nothing", async () => {
    const said = await to.succeed(["import", file, "--dry-run"]);
    expect(said).to.match(/^would be added: 1 locations, 2 devices, 4 records/);
    expect(said).to.include("Lines that would be wired: 8.");
    expect(recordRows(to.ledgerFile)).to.deep.equal([]);
  });

  it("bring places, wiring and records over, once, and give the same file again", async () => {
    expect(countsOf(await to.succeed(["import", file]))).to.deep.equal([1, 2, 4, 0]);
    expect(countsOf(await to.succeed(["import", file]))).to.deep.equal([0, 0, 0, 4]);
    expect(recordRows(to.ledgerFile).map(({ origin }) => origin)).to.deep.equal(Array(4).fill("imported"));
    expect(entriesOf(await to.succeed(["export"]))).to.deep.equal(entriesOf(exported));
    expect(await to.succeed(["verify"])).to.match(/^4 records: /);
    const audit = await to.succeed(["audit"]);
    expect(audit).to.include("data_imported").and.to.include("clinic.jsonl");
  });

  it("take devices whose location was removed: it is made by the name that they have for it", async () => {
    const devices = entriesOf(exported).filter(({ kind }) => kind === "device");
    const [location] = devices.map(({ locationName }) => locationName);
    const file = another.write("removed.jsonl", linesOf(devices));
    const dry = await another.succeed(["import", file, "--dry-run"]);
    expect([dry, await another.succeed(["import", file])].map(countsOf)).to.deep.equal([
      [1, 2, 0, 0],
      [1, 2, 0, 0],
    ]);
    const [made, ...found] = entriesOf(await another.succeed(["export"]));
    expect(made).to.deep.equal({ kind: "location", name: location, description: "" });
    expect(found).to.deep.equal(devices);
    await another.succeed(["user", "remove", "--email", EMAIL, "--with-devices"]);
    await another.succeed(ana, `${PASSWORD}\n`);
  });

  it("take the longest description, texts that hold the line ends of Unicode, and ids that every object has", async () => {
    const records = entriesOf(exported).filter(({ kind }) => kind === "record");
    const long = [
      { kind: "location", name: "Norte", description: "d".repeat(2_000) },
      ...records.map((record) => ({
        ...record,
        locationName: "Norte\u2028Sur\u2029",
        deviceId: "constructor",
      })),
    ];
    const file = another.write("long.jsonl", linesOf(long));
    expect(countsOf(await another.succeed(["import", file]))).to.deep.equal([1, 0, 4, 0]);
    const [location, ...found] = entriesOf(await another.succeed(["export"]));
    expect(location).to.deep.equal(long[0]);
    expect(found.map(({ locationName }) => locationName)).to.deep.equal(Array(4).fill("Norte\u2028Sur"));
    expect(found.map(({ deviceId }) => deviceId)).to.deep.equal(Array(4).fill("constructor"));
  });

  it("take a table as a Spanish spreadsheet writes it, and know its records in one with commas again", async () => {
    const rows = ["4.5", "1234.25", "3"].map((valor) => `Clínica Ñ,Pasillo,7234,101,${valor},${NOON_MS},,,`);
    const english = another.write("english.csv", [HEAD, ...rows].join("\n"));
    const columns = [HEAD, ...rows].map((row) => row.replaceAll(",", ";").replace(/(\d)\.(\d)/, "$1,$2"));
    // With a byte-order mark, and an empty row behind the last.
    const spanish = another.write("spanish.CSV", `\uFEFF${[...columns, ";;;;;;;;"].join("\r\n")}\r\n`);
    expect(countsOf(await another.succeed(["import", spanish]))).to.deep.equal([0, 0, 3, 0]);
    expect(countsOf(await another.succeed(["import", english]))).to.deep.equal([0, 0, 0, 3]);
    const prices = entriesOf(await another.succeed(["export"]))
      .filter(({ locationName }) => locationName === "Clínica Ñ")
      .map(({ valor }) => valor);
    expect(prices).to.have.members([4.5, 1234.25, 3]);
    const short = columns.map((row) => row.replace(/;+$/, "")).join("\n");
    another.write("spanish.CSV", short.replaceAll("101", "102"));
    expect(countsOf(await another.succeed(["import", spanish]))).to.deep.equal([0, 0, 3, 0]);
  });

  it("say what is wrong with a whole table: its columns, its letters, a row that is too long", async () => {
    const table = join(another.directory, "wrong.csv");
    const head = "locationName;deviceName;deviceId;habitacion;valor;createdTime";
    const row = `Clínica Ñ;Pasillo;7234;101;4.500;${NOON_MS}`;
    for (const [content, said] of [
      [
        "locationName;room\nNorte;101",
        ":1: the first row does not name deviceName, deviceId, habitacion, valor, ",
      ],
      [
        Buffer.from(`${head}\n${row}`, "latin1"),
        ': this is not UTF-8. Save it as UTF-8; a spreadsheet calls that "CSV UTF-8".',
      ],
      [
        `${head}\n${row}`,
        ":2: valor: must be a number in digits, such as 4.5, without a separator of thousands",
      ],
      [`${head}\n${row};;`, "on line 2. Nothing was imported."],
    ] as const) {
      writeFileSync(table, content);
      expect(await another.refused(["import", table])).to.include(said);
    }
  });

  it("refuse a table in which a spreadsheet has rounded times, and take its capitals", async () => {
    const table = join(another.directory, "spreadsheet.csv");
    const write = (...ends: string[]) =>
      writeFileSync(table, [HEAD, ...ends.map((end) => `Norte,Pasillo,7234,101,${end},`)].join("\n"));
    write("4,1.77323E+12,,", `4,${NOON_MS},1.77323E+12,`, `4,${NOON_MS},,1`, `1e1,${NOON_MS},,`);
    const { exitCode, stderr } = await another.call(["import", table, "--dry-run"]);
    expect(exitCode).to.equal(1);
    const digits = "must be milliseconds, such as ";
    for (const mistake of [`:2: createdTime: ${digits}`, `:3: endedTime: ${digits}`]) {
      expect(stderr).to.include(mistake);
    }
    expect(stderr).to.include(":4: provisional: must be true or false\n");
    expect(stderr).to.include(":5: valor: must be a number in digits, such as 4.5, ");
    const times = [`${NOON_MS},,TRUE`, `${NOON_MS}.0,,FALSE`, `${NOON_MS},,VERDADERO`, `${NOON_MS},,FALSO`];
    write(...times.map((time, index) => `${["4", "4.", ".5", "-1"][index]},${time}`));
    expect(countsOf(await another.succeed(["import", table]))).to.deep.equal([0, 0, 4, 0]);
    const added = entriesOf(await another.succeed(["export"])).slice(-4);
    expect(added.map(({ provisional }) => provisional)).to.deep.equal([true, false, true, false]);
    expect(added.map(({ valor }) => valor)).to.deep.equal([4, 4, 0.5, -1]);
  });

  it("refuse times in seconds, but for sales of a ledger whose clock was wrong, and a table with another name", async () => {
    const [sale] = entriesOf(exported).filter(({ kind }) => kind === "record");
    const seconds = [
      { ...sale, key: `${"0".repeat(32)}/7/${"0".repeat(16)}`, createdTime: 5, provisional: true },
      { ...sale, key: "another/3", createdTime: 1_479_520_924 },
    ];
    const file = another.write("seconds.jsonl", linesOf(seconds));
    const said = await another.refused(["import", file, "--dry-run"]);
    expect(said)
      .to.include(":2: createdTime: must be milliseconds, such as 1773230400000")
      .and.not.include(":1:");
    const table =
      "locationName;deviceName;deviceId;habitacion;valor;createdTime\nNorte;Pasillo;7234;101;4;1479520924";
    expect(await another.refused(["import", another.write("t.csv", table)])).to.include(
      ":2: createdTime: must be",
    );
    expect(await another.refused(["import", another.write("t.txt", table)])).to.include("ends in .csv.");
  });

  it("name each line that is wrong, and write nothing of such a file", async () => {
    const record = { ...entriesOf(exported).at(-1), key: "another/1" };
    const bad = to.write("bad.jsonl", linesOf([record, { ...record, valor: "4" }, { kind: "sale" }]));
    const before = recordRows(to.ledgerFile).length;
    const refused = await to.call(["import", bad]);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include(`${bad}:2: valor: `).and.to.include(`${bad}:3: kind: `);
    expect(refused.stderr).to.include("Nothing was imported");
    expect(recordRows(to.ledgerFile)).to.have.length(before);
    const missing = await to.call(["import", join(to.directory, "none.jsonl")]);
    expect(onlyLine(missing)).to.include("none.jsonl");
  });

  it("work beside a running service, which shows what is new", async () => {
    const service = await to.start();
    const record = {
      ...entriesOf(exported).at(-1),
      key: "another/2",
      voidReason: null,
      createdTime: NOON_MS,
    };
    const more = to.write("more.jsonl", linesOf([record]));
    expect(countsOf(await to.succeed(["import", more]))).to.deep.equal([0, 0, 1, 0]);
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const answer = await service.get("/api/record?limit=200", cookie);
    const { data } = (await answer.json()) as { readonly data: readonly { readonly origin: string }[] };
    expect(data).to.have.length(5);
    expect(data.every(({ origin }) => origin === "imported")).to.equal(true);
    await service.end("SIGTERM");
  });
});

describe("flanco import-mongo", () => {
  const program = forSuite(() => Program.make());
  const [userId, deviceId] = ["65f000000000000000000001", "65f000000000000000000002"];
  const record = {
    userId,
    locationName: "Clínica Norte",
    deviceName: "Pasillo A",
    deviceId: "7234",
    habitacion: "101",
    valor: 4.5,
    createdTime: NOON_MS,
    __v: 0,
  };
  const documents = {
    users: [
      { _id: { $oid: userId }, name: "Ana", email: EMAIL, password: hashSync(PASSWORD, BCRYPT_COST), __v: 0 },
    ],
    locations: [
      { _id: { $oid: "65f000000000000000000009" }, userId, name: "Clínica Norte", description: "" },
    ],
    devices: [
      {
        _id: { $oid: deviceId },
        userId,
        dId: "7234",
        name: "Pasillo A",
        selected: false,
        locationId: "65f000000000000000000009",
        locationName: "Clínica Norte",
        actuators: [
          { id: "101", value: true },
          { id: "102", value: false },
        ],
      },
    ],
    data: [
      { _id: { $oid: "65f000000000000000000011" }, ...record },
      {
        _id: { $oid: "65f000000000000000000012" },
        ...record,
        valor: { $numberDouble: "3.25" },
        createdTime: { $numberLong: String(NOON_MS + 1) },
      },
      {
        _id: { $oid: "65f000000000000000000013" },
        ...record,
        deviceId,
        createdTime: { $date: new Date(NOON_MS + 2).toISOString() },
      },
    ],
  };
  let folder = "";

  before(() => {
    folder = join(program.directory, "old");
    mkdirSync(folder);
  });

  function write(changed: Partial<Record<keyof typeof documents, readonly object[]>> = {}): void {
    for (const [name, all] of Object.entries({ ...documents, ...changed })) {
      writeFileSync(join(folder, `${name}.json`), `${linesOf(all)}\n`);
    }
  }

  it("names each document that is wrong, and writes nothing", async () => {
    const [first] = documents.data;
    write({
      data: [first ?? {}, { ...first, userId: "65f0000000000000000000ff" }, { ...first, valor: "mucho" }],
    });
    const refused = await program.call(["import-mongo", folder]);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include("data.json:2: userId: no user of users.json has this _id");
    expect(refused.stderr).to.include("data.json:3: valor: ");
    expect(existsSync(program.dataDir)).to.equal(false);
  });

  it("says which form a document must have: a time in seconds would be a sale of 1970", async () => {
    const [first] = documents.data;
    const forms = [
      [{ ...first, createdTime: 1_479_520_924 }, "createdTime: must be milliseconds, such as 1773230400000"],
      [{ ...first, createdTime: "2026-03-11T12:00:00Z" }, 'or {"$date": "2026-03-11T12:00:00Z"}'],
      [{ ...first, createdTime: { $date: "yesterday" } }, 'or {"$date": "2026-03-11T12:00:00Z"}'],
      [{ ...first, createdTime: undefined }, "createdTime: is required"],
      [{ ...first, valor: "4.50" }, "valor: must be a number, such as 4.5 or "],
    ] as const;
    write({ data: forms.map(([document]) => document) });
    const { stderr } = await program.call(["import-mongo", folder, "--dry-run"]);
    forms.forEach(([, said], index) => {
      const line = stderr.split("\n").find((one) => one.includes(`data.json:${index + 1}: `));
      expect(line).to.include(said);
    });
    for (const [content, said] of [
      ['{"valor": NumberLong(33)}', "are the shell's. mongoexport writes JSON. Nothing"],
      [`[${JSON.stringify(first)}]`, "mongoexport writes them without --jsonArray. Nothing"],
    ] as const) {
      writeFileSync(join(folder, "data.json"), content);
      expect(await program.refused(["import-mongo", folder])).to.include(said);
    }
    rmSync(join(folder, "data.json"));
    rmSync(join(folder, "users.json"));
    const said = await program.refused(["import-mongo", folder]);
    expect(said).to.include("users.json, data.json is missing. The folder holds users.json, locations.json");
  });

  it("says so of what the ledger would not take, before a user is made", async () => {
    const [user] = documents.users;
    const [device] = documents.devices;
    const twice = [{ id: "101" }, { id: "101" }];
    for (const [changed, mistake] of [
      [{ users: [{ ...user, email: "ana" }] }, "users.json:1: email: "],
      [{ devices: [{ ...device, actuators: twice }] }, "devices.json:1: actuators: names a room twice"],
      [{ devices: [[device]] }, "devices.json:1: begins an array"],
    ] as const) {
      write(changed);
      const refused = await program.call(["import-mongo", folder]);
      expect(refused.stderr).to.include(mistake);
      expect(existsSync(program.dataDir)).to.equal(false);
    }
  });

  it("says first what would be added", async () => {
    write();
    const said = await program.succeed(["import-mongo", folder, "--dry-run"]);
    expect(said).to.equal(
      `${EMAIL}: would be added: 1 locations, 1 devices, 3 records; there already: 0 records.\n`,
    );
    expect(await program.succeed(["user", "list"])).to.equal("There are no users.\n");
  });

  it("takes users, places and records over, once, under the ids that they had", async () => {
    expect(countsOf(await program.succeed(["import-mongo", folder]))).to.deep.equal([1, 1, 3, 0]);
    expect(countsOf(await program.succeed(["import-mongo", folder]))).to.deep.equal([0, 0, 0, 3]);
    const entries = entriesOf(await program.succeed(["export"]));
    expect(entries.find(({ kind }) => kind === "device")).to.include({ id: deviceId, dId: "7234" });
    const records = entries.filter(({ kind }) => kind === "record");
    expect(records.map(({ valor, createdTime }) => [valor, createdTime])).to.deep.equal([
      [4.5, NOON_MS],
      [3.25, NOON_MS + 1],
      [4.5, NOON_MS + 2],
    ]);
    expect(new Set(records.map((one) => one["deviceId"])), "a dId becomes the device's id").to.deep.equal(
      new Set([deviceId]),
    );
    expect(await program.succeed(["verify"])).to.match(/^3 records: /);
  });

  it("lets a user in by the password of before", async () => {
    const service = await program.start();
    expect(await service.signIn(EMAIL, PASSWORD)).to.match(/^auth_token=/);
    await service.end("SIGTERM");
  });
});
