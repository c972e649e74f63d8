import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import { initialise, pageAccess, type RoleAccess } from "../../src/company/company.ts";
import type { ClinicMonth, GatewayReport } from "../../src/contract/clinic.ts";
import { DAY_MS } from "../../src/domain/clock.ts";
import { LINK_PATH } from "../../src/domain/member.ts";
import { append } from "../../src/notify/central-sink.ts";
import { HookReceiver, Secrets } from "../notify/receivers.ts";
import { sharedBrowser } from "../page/browser.ts";
import { buildPage, OpenedPage, signIn } from "../page/opened.ts";
import { PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase } from "./postgres.ts";
import { OWN } from "./simulated-gateway.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = [
  ...["/", "/clinicas", "/equipos", "/liquidaciones", "/registros", "/informe"],
  ...["/lugares", "/personas", "/mi-cuenta"],
];

const REPORT: GatewayReport = {
  version: "0.1.0",
  clockTrusted: false,
  certificateEndsMs: Date.parse("2027-11-20T12:00:00Z"),
  disk: { freeBytes: 90_000_000, totalBytes: 30_000_000_000, lifeUsedPercent: 40 },
  backupMs: Date.parse("2025-11-20T12:00:00Z"),
  remoteBackupMs: null,
  faults: [
    { code: "disk_low", count: 1, sinceMs: 0, details: { freeBytes: 90_000_000 } },
    { code: "roof_leaks", count: 2, sinceMs: 0, details: {} },
    // Of another version: its time is no number.
    { code: "certificate_ending", count: 1, sinceMs: 0, details: { endsTime: "=soon" } },
  ],
};

/** The last month that has ended. */
const MONTH = new Date(Date.UTC(new Date().getFullYear(), new Date().getMonth() - 1))
  .toISOString()
  .slice(0, 7);

describe("flanco central serve", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  const programs: Program[] = [];
  /** Two processes of one company, and one of another. */
  let one: RunningService;
  let two: RunningService;
  let other: RunningService;
  let cookie = "";
  const secrets = new Secrets();
  let hook: HookReceiver;

  async function start({ role, password }: RoleAccess, settings = {}): Promise<RunningService> {
    const program = await Program.make();
    programs.push(program);
    const file = program.write("page.password", password);
    chmodSync(file, 0o600);
    return program.start(
      { FLANCO_CENTRAL_DATABASE: database.url(role), FLANCO_CENTRAL_PASSWORD_FILE: file, ...settings },
      { command: ["central", "serve"] },
    );
  }

  /** A member with a password, made as a company makes its first. */
  async function invite(email: string, company: string, at: RunningService): Promise<string> {
    const [program] = programs;
    const pgpass = database.directory.file("pgpass");
    writeFileSync(pgpass, "*:*:*:*:admin\n", { mode: 0o600 });
    const words = ["--email", email, "--name", "Ana", "--page", "https://ventas.example.org"];
    const where = ["--company", company, "--database", database.url("admin")];
    const made = await program?.call(["central", "member", "add", ...words, ...where], "", {
      PGPASSFILE: pgpass,
    });
    const token = new RegExp(`${LINK_PATH}#([\\w-]+)/`).exec(made?.stdout ?? "")?.[1];
    expect((await at.post("/api/link", { token, password: PASSWORD })).status).to.equal(200);
    return at.signIn(email, PASSWORD);
  }

  before(async () => {
    await buildPage();
    await database.start();
    await initialise(database.admin, "Otra", "Europe/Madrid");
    for (const [index, name] of ["malaga", "lugo", "soria"].entries()) {
      const gateway = await database.addGateway(name);
      if (name === "soria") continue;
      const chain = new TestChain().sellMany(20, (sale) => ({
        locationName: `Hospital ${name}`,
        deviceId: "7",
        room: "101",
        valorMicros: 2_500_000,
        createdTimeMs: Date.now() - index * DAY_MS - sale,
      }));
      // Malaga has closed the month with what was sold, lugo with a sale too many.
      const [year, month] = [new Date().getFullYear(), new Date().getMonth()];
      const span = [Date.UTC(year, month - 1), Date.UTC(year, month)] as const;
      chain.sell({ createdTimeMs: span[0], valorMicros: 1_500_000 });
      chain.close(MONTH, span, chain.position, index + 1, 1.5 + 3 * index);
      const connection = await database.connectAs(gateway);
      await append(connection, chain.batch(), Date.now());
      if (name === "lugo") await append(connection, null, Date.now(), OWN, REPORT);
    }
    const page = await pageAccess(database.admin, await database.company(), "flanco_page");
    one = await start(page, { FLANCO_METRICS: "true" });
    await database.admin.query(
      "INSERT INTO flanco.told VALUES (1, 'webhook', 'soria', 'silent', 0, NULL, NULL)",
    );
    await secrets.open();
    hook = new HookReceiver(secrets.good);
    two = await start(page, {
      FLANCO_WEBHOOK_URL: `https://localhost:${await hook.open()}/`,
      FLANCO_WEBHOOK_KEY_FILE: secrets.keyFile,
      FLANCO_WEBHOOK_AUTHORITY_FILE: secrets.authorityFile,
    });
    other = await start(await pageAccess(database.admin, await database.company("Otra"), "flanco_page_b"));
    cookie = await invite("ana@example.org", "Televida", one);
  });

  after(async () => {
    for (const program of programs) await program.close();
    await hook?.close();
    secrets.remove();
    await database.stop();
  });

  const read = async (at: RunningService, path: string, as = cookie) => {
    const answer = await at.get(`/api${path}`, as);
    return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data };
  };

  it("shows the sales of all clinics, and how each gateway fares", async () => {
    const overview = (await read(one, "/overview?period=week")).data;
    expect(overview).to.deep.include({ period: "week", sales: 40, revenue: 100 });
    const { clinics } = (await read(two, "/clinic?period=week")).data as {
      clinics: readonly { name: string; sales: number; states: readonly string[] }[];
    };
    expect(clinics.map(({ name, sales, states }) => [name, sales, states.join()])).to.deep.equal([
      ["lugo", 20, "full,faulty"],
      ["malaga", 20, "good"],
      ["soria", 0, "silent"],
    ]);
    expect((await read(one, "/status")).data).to.deep.include({ timeZone: "Europe/Madrid", troubled: 2 });
    expect((await read(one, "/me")).data).to.include({ role: "owner", serves: "company" });
    for (const path of ["/location", "/device", "/record", "/data?period=anual", "/letterhead", "/gap"]) {
      expect((await read(one, path)).status, path).to.equal(200);
    }
    expect((await read(one, "/report?month=2026-01")).status).to.equal(200);
    expect(await (await one.get("/api/export?lang=es", cookie)).text()).to.contain("Hospital lugo");
    expect(await (await one.get("/")).text()).to.contain("<title>");
  });

  it("shows who has closed a month, who has not, and whose figures differ, and each settlement in full", async () => {
    const { clinics } = (await read(one, `/clinic/settlements?month=${MONTH}`)).data as ClinicMonth;
    const rows = clinics.map(({ name, now, settlement }) => [name, now?.sales, settlement?.differs]);
    expect(rows).to.deep.equal([
      ["lugo", 1, { sales: 1, revenue: 3 }],
      ["malaga", 1, { sales: 0, revenue: 0 }],
      ["soria", 0, undefined],
    ]);
    const found = await read(two, `/clinic/settlement?id=${clinics[0]?.settlement?.id}`);
    expect(found.data).to.deep.include({ month: MONTH, number: 22, hash: clinics[0]?.settlement?.hash });
    expect((await read(one, "/clinic/settlement?id=1")).status).to.equal(404);
    expect((await read(one, "/clinic/settlements?month=2026-13")).status).to.equal(400);
  });

  it("shows what each gateway tells of itself, its faults in words", async () => {
    const { data } = await read(one, "/gateway");
    const [lugo, malaga] = data as readonly { name: string; told: Record<string, unknown> | null }[];
    expect(malaga).to.deep.include({ name: "malaga", told: null, waiting: 0 });
    expect(lugo?.told).to.deep.include({ version: "0.1.0", clockTrusted: false, disk: REPORT.disk });
    const faults = lugo?.told?.["faults"] as readonly { severity: string; texts: { en: { what: string } } }[];
    expect(faults.map(({ severity, texts }) => `${severity}: ${texts.en.what}`)).to.deep.equal([
      "warning: The disk is nearly full: 90 MB left.",
      "warning: roof_leaks",
      "alarm: certificate_ending",
    ]);
  });

  it("tells people of a silent gateway by the receiver of its settings", async () => {
    await until("the receiver was told", () => hook.posted.length > 0);
    expect(JSON.parse(hook.posted[0]?.body ?? "")).to.deep.include({
      kind: "clinic_begun",
      subject: "Aviso: soria: Sin noticias",
      details: { company: "Televida", count: 1, clinics: "soria silent" },
    });
  });

  it("tells Prometheus how each gateway fares, by the setting", async () => {
    const answer = await one.get("/metrics");
    expect(answer.headers.get("content-type")).to.contain("text/plain");
    const text = await answer.text();
    expect(text.match(/^flanco_clinic_(?:waiting|state).*$/gm)).to.deep.equal([
      ...["lugo", "malaga", "soria"].map((clinic) => `flanco_clinic_waiting{clinic="${clinic}"} 0`),
      'flanco_clinic_state{clinic="lugo",state="full"} 1',
      'flanco_clinic_state{clinic="lugo",state="faulty"} 1',
      'flanco_clinic_state{clinic="malaga",state="good"} 1',
      'flanco_clinic_state{clinic="soria",state="silent"} 1',
    ]);
    expect(text).to.match(/^flanco_clinic_seen_seconds\{clinic="lugo"\} \d/m);
    expect(text).not.to.contain('flanco_clinic_seen_seconds{clinic="soria"');
    expect((await other.get("/metrics")).status).to.equal(404);
  });

  it("lets owners say who reads, and staff and accountants read alone", async () => {
    for (const role of ["staff", "accountant"]) {
      const member = { name: "Eva", email: `${role}@example.org`, role };
      const invited = await one.post("/api/member", { member }, cookie);
      const { token } = ((await invited.json()) as { data: { token: string } }).data;
      expect((await two.post("/api/link", { token, password: PASSWORD })).status).to.equal(200);
      expect((await one.post("/api/link", { token, password: PASSWORD })).status).to.equal(401);
      const eva = await two.signIn(member.email, PASSWORD);
      expect((await read(one, "/clinic?period=month", eva)).status).to.equal(200);
      expect((await read(one, "/member", eva)).status).to.equal(403);
    }
    for (const role of ["display", "program"]) {
      const member = { name: "Eva", email: `${role}@example.org`, role };
      expect((await one.post("/api/member", { member }, cookie)).status).to.equal(400);
    }
  });

  it("shows a member of one company nothing of another", async () => {
    const theirs = await invite("ana@example.org", "Otra", other);
    expect((await read(other, "/overview?period=week", theirs)).data).to.deep.include({ sales: 0 });
    expect((await read(other, "/clinic?period=week", theirs)).data).to.deep.include({ clinics: [] });
    expect((await read(other, "/me", cookie)).status).to.equal(401);
    expect((await read(one, "/me", theirs)).status).to.equal(401);
  });

  it("has no operation that changes a sale", async () => {
    const { paths } = (await (await one.get("/api/openapi.json")).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const changing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => (method === "get" ? [] : [`${method} ${path}`])),
    );
    expect(changing.toSorted()).to.deep.equal([
      ...["delete /api/member", "patch /api/me", "patch /api/member", "post /api/link", "post /api/login"],
      ...["post /api/logout", "post /api/member", "post /api/member/link", "post /api/member/sign-out"],
      "put /api/me/password",
    ]);
    expect((await one.post("/api/data", {}, cookie)).status).to.equal(405);
  });

  for (const [width, language] of [
    [320, "es"],
    [1440, "en"],
  ] as const) {
    it(`has a page that reads alone, at ${width} px in ${language}`, async () => {
      const context = await (await sharedBrowser()).newContext({
        baseURL: one.baseUrl.replace("127.0.0.1", "localhost"),
        reducedMotion: "reduce",
        locale: language === "es" ? "es-ES" : "en-GB",
        viewport: { width, height: 900 },
      });
      const opened = new OpenedPage(context, await context.newPage());
      const { page } = opened;
      const failed: string[] = [];
      page.on("response", (answer) => {
        if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
      });
      await page.goto("/");
      await signIn(page, language);
      await page.locator(".panel-figures").waitFor();
      for (const path of VIEWS) {
        await page.goto(path);
        await page.locator(".view > :not(.aloud)").nth(0).waitFor();
        await page.waitForLoadState("networkidle");
        const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(wider, path).to.equal(0);
        await page.evaluate(AXE);
        const found = (await page.evaluate("axe.run(document)")) as {
          violations: readonly { id: string }[];
        };
        expect(
          found.violations.map(({ id }) => id),
          path,
        ).to.deep.equal([]);
      }
      await page.goto("/equipos");
      const rows = page.locator("tbody th");
      await page.getByText(language === "es" ? "soria: Sin noticias" : "soria: Silent").waitFor();
      expect(await rows.allTextContents(), "the worst first").to.deep.equal(["soria", "lugo", "malaga"]);
      await page.getByRole("radio", { name: language === "es" ? "Por mirar" : "To see to" }).check();
      await page.getByLabel(language === "es" ? "Clínica o versión" : "Clinic or version").fill("lu");
      await until("one is left", async () => (await rows.allTextContents()).join() === "lugo");
      const href = await page.locator("a[download]").getAttribute("href");
      const [, row = "", ...more] = decodeURIComponent(href ?? "").split("\r\n");
      expect(row).to.match(
        language === "es" ? /^lugo;Disco lleno, Con avisos;/ : /^lugo,"Disk full, With faults",/,
      );
      expect(row).to.contain("roof_leaks (2)");
      expect(more).to.deep.equal([""]);
      await page.goto(`/liquidaciones?month=${MONTH}`);
      await page
        .getByText(language === "es" ? "No coincide lo liquidado: lugo" : "Settled figures differ: lugo")
        .waitFor();
      await page.getByRole("link", { name: language === "es" ? "Abrir: malaga" : "Open: malaga" }).click();
      await page.locator("article.report .report-seal").waitFor();
      expect(await page.title()).to.equal(
        `${language === "es" ? "Liquidación" : "Settlement"} ${MONTH} malaga`,
      );
      await page.evaluate(AXE);
      const inDocument = (await page.evaluate("axe.run(document)")) as {
        violations: readonly { id: string }[];
      };
      expect(inDocument.violations.map(({ id }) => id)).to.deep.equal([]);
      // What a gateway alone has is no view here.
      await page.goto("/lineas");
      await page.locator(".panel-figures").waitFor();
      expect(failed).to.deep.equal([]);
      await opened.close();
    });
  }

  it("says while the database is away that it is, and is back with it", async () => {
    expect((await one.get("/healthz")).status).to.equal(200);
    await database.kill();
    const away = await one.get("/api/overview?period=week", cookie);
    expect(away.status).to.equal(503);
    expect(away.headers.get("retry-after")).to.match(/^\d+$/);
    expect(await away.text()).to.contain("The database");
    expect((await one.get("/healthz")).status).to.equal(503);
    await database.resume();
    await until("the page is healthy", async () => (await one.get("/healthz")).status === 200);
    expect((await read(two, "/overview?period=week")).data).to.deep.include({ sales: 40 });
  });

  it("refuses a role that is no page's", async () => {
    const program = await Program.make();
    programs.push(program);
    const file = program.write("admin.password", "admin");
    chmodSync(file, 0o600);
    const environment = {
      FLANCO_CENTRAL_DATABASE: database.url("admin"),
      FLANCO_CENTRAL_PASSWORD_FILE: file,
    };
    const ended = await program.run(["central", "serve"], { environment });
    expect(ended).to.deep.include({ exitCode: 78 });
    expect(ended.stderr).to.contain("flanco central page makes it");
    expect((await program.run(["central", "serve"])).stderr).to.contain("are not set");
  });
});
