import axe from "axe-core";
import { expect } from "chai";
import type { Report, Status } from "../../src/web/api/shapes.ts";
import { daysBefore } from "../../src/web/format/day.ts";
import { createFormat } from "../../src/web/format/format.ts";
import { FilledSuite } from "./filled.ts";
import { TIME_ZONE } from "./opened.ts";
import { plain } from "./panel-figures.ts";
import { printed } from "./printed.ts";

const LOCATION = "Clínica Norte";
/** An empty picture. */
const LOGO =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("The report and the state on the page", () => {
  const suite = new FilledSuite({
    sales: 1_500,
    days: 80,
    voided: 2,
    withTrouble: true,
  });
  const { opened } = suite;
  let status: Status;
  before(async () => {
    status = await opened.get<Status>("/api/status");
  });

  /** The report of the month of what was sold last: in its first hour this month has none of it. */
  const address = () =>
    `/informe?${new URLSearchParams({ month: suite.filled.troubleMonth, location: LOCATION })}`;
  const reportOf = (month: string) =>
    opened.get<Report>(`/api/report?${new URLSearchParams({ month, location: LOCATION })}`);

  for (const [language, locale] of [
    ["es", "es-ES"],
    ["en", "en-GB"],
  ] as const) {
    it(`shows for each room and in all what the API has (${language})`, async () => {
      const report = await reportOf(suite.filled.troubleMonth);
      const format = createFormat(locale, TIME_ZONE, status.currency);
      const { page } = await opened.open(address(), { language });
      const foot = page.locator(".report-table:not(.report-net) tfoot");
      await foot.waitFor();
      expect(await foot.locator(".number").allTextContents()).to.deep.equal([
        "",
        format.count(report.totals.sales),
        format.money(report.totals.revenue),
      ]);
      const priceOf = ({ prices }: Report["rooms"][number]) =>
        prices === null ? "" : [...new Set([prices.least, prices.most])].map(format.money).join(" – ");
      const rows = await page
        .locator(".report-table:not(.report-net) tbody tr")
        .evaluateAll((found) =>
          found.map((row) => [
            row.querySelector("th a")?.textContent ?? "",
            ...[...row.querySelectorAll(".number")].map((cell) => cell.textContent ?? ""),
          ]),
        );
      const today = format.day(Date.now());
      const days = report.days
        .filter(({ day }) => day <= today)
        .map(({ day, sales, revenue, before }) => [
          `${format.dayName(day, "weekday")} ${Number(day.slice(-2))}`,
          ...[format.count(sales), format.money(revenue), format.money(before)],
        ]);
      const rooms = report.rooms.map((one) => [
        ...[one.room, priceOf(one), format.count(one.sales), format.money(one.revenue)],
      ]);
      expect(rows).to.deep.equal([...days, ...rooms]);
    });
  }

  it("is of one day too, with the ledger's fingerprint, and goes from day to day", async () => {
    const today = createFormat("es-ES", TIME_ZONE, status.currency).day(Date.now());
    const { page } = await opened.open(`/informe?${new URLSearchParams({ day: today, location: LOCATION })}`);
    await page.locator(".report-remarks").getByText("El día no ha terminado", { exact: false }).waitFor();
    expect(await page.locator(".report-seal code").textContent()).to.match(/^[0-9a-f]{64}$/);
    expect(await page.getByRole("button", { name: "Día siguiente" }).isDisabled()).to.equal(true);
    const yesterday = daysBefore(today, 1);
    await page.getByRole("button", { name: "Día anterior" }).click();
    await page.waitForURL(new RegExp(`day=${yesterday}`));
    const format = createFormat("es-ES", TIME_ZONE, status.currency);
    await page
      .locator(".report-when[aria-live=polite]")
      .getByText(format.dayName(yesterday, "long"), { exact: false })
      .waitFor();
    const query = new URLSearchParams({ day: yesterday, location: LOCATION });
    const { totals } = await opened.get<Report>(`/api/report?${query}`);
    await page.locator(".report-main").getByText(format.money(totals.revenue), { exact: true }).waitFor();
    await page.getByLabel("Día", { exact: true }).selectOption({ label: "Todo el mes" });
    await page.waitForURL(new RegExp(`month=${yesterday.slice(0, 7)}`));
  });

  it("has no empty table of days on the first one of a month", async () => {
    const today = createFormat("es-ES", TIME_ZONE, status.currency).day(Date.now());
    const report = await reportOf(today.slice(0, "2026-11".length));
    const { page } = await opened.open("about:blank");
    await page.route("**/api/report?*", (route) => {
      const days = report.days.filter(({ day }) => day >= today);
      return route.fulfill({ json: { status: "success", data: { ...report, days } } });
    });
    await page.goto("/informe");
    const tables = page.locator(".report-days table");
    await tables.first().waitFor();
    expect(await tables.count()).to.equal(1);
  });

  it("has its sum on one line, however long it is, and is no wider than a phone", async () => {
    const report = await reportOf(suite.filled.troubleMonth);
    const { page } = await opened.open("about:blank", { width: 320 });
    await page.route("**/api/report?*", (route) => {
      const totals = { ...report.totals, revenue: 510_063_971.119578 };
      const days = report.days.map((day) => ({ ...day, revenue: 16_453_676.498321, before: 1.000001 }));
      return route.fulfill({ json: { status: "success", data: { ...report, totals, days } } });
    });
    await page.goto("/informe");
    const sum = page.locator(".report-main dd");
    await sum.getByText("510.063.971,119578").waitFor();
    const lines = await sum.evaluate((element) => {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect(lines).to.equal(1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(320);
  });

  it("keeps what is typed in its letterhead where no picture is chosen after all", async () => {
    const { page } = await opened.open("/informe");
    await page.getByRole("button", { name: "Membrete" }).click();
    const dialog = page.getByRole("dialog");
    const name = dialog.getByRole("textbox").first();
    await name.fill("Clínica de la Paz");
    // As browsers do where a person leaves their own dialog of files.
    await dialog.getByLabel("Logotipo").dispatchEvent("cancel", {}, { timeout: 5_000 });
    expect(await name.inputValue()).to.equal("Clínica de la Paz");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("puts no sign of all well beside interruptions, also once no fault tells of them, and says who set the clock", async () => {
    const { page } = await opened.open("about:blank");
    expect(status.gaps.all).to.be.greaterThan(0);
    const clock = { ...status.clock, trusted: true };
    for (const [last30Days, kind, verdict, trustedSinceMs, by] of [
      [1, "warn", "Ahora todo va bien", null, "el ajuste «clock_trust» dice que va bien"],
      [0, "off", "Todo va bien", status.clock.nowMs, "En hora, por la red o por su reloj con pila, desde"],
    ] as const) {
      const gaps = { ...status.gaps, last30Days };
      const answer = { ...status, faults: [], gaps, clock: { ...clock, trustedSinceMs } };
      await page.route("**/api/status", (route) =>
        route.fulfill({ json: { status: "success", data: answer } }),
      );
      await page.goto("/estado");
      await page.getByRole("heading", { name: verdict, exact: true }).waitFor();
      const part = page.locator(".part", { has: page.getByRole("heading", { name: "Interrupciones" }) });
      expect(await part.getAttribute("class")).to.equal(`part is-${kind}`);
      await page.locator(".part").getByText(by).waitFor();
      await page.unroute("**/api/status");
    }
  });

  it("leads to the technician's guide in the language of the page, with its drawings", async () => {
    for (const [language, link, title] of [
      ["es", "Guía del técnico", "Para el técnico"],
      ["en", "Technician's guide", "For the technician"],
    ] as const) {
      const { page } = await opened.open("/estado", { language, width: 320 });
      await page.getByRole("link", { name: link }).click();
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      const drawings = await page.evaluate(
        "Promise.all([...document.images].map((image) => image.decode().then(() => image.naturalWidth > 0)))",
      );
      expect(drawings).to.deep.equal([true, true, true, true]);
      const overhang = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(overhang, "as wide as the phone").to.equal(0);
      const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
      expect(violations.map(({ id }) => id)).to.deep.equal([]);
    }
  });

  it("names the gaps and the provisional records", async () => {
    const { page } = await opened.open(address());
    const remarks = page.locator(".report-remarks");
    await remarks.getByText("2 ventas quedaron sin registrar", { exact: false }).waitFor();
    await remarks.getByText("1 registro tiene la hora provisional", { exact: false }).waitFor();
  });

  it("goes to the month before, kindly also where nothing was sold", async () => {
    const { page } = await opened.open(address());
    await page.locator(".report-table:not(.report-net) tfoot").waitFor();
    const month = monthBefore(suite.filled.troubleMonth);
    await page.getByRole("button", { name: "Mes anterior" }).click();
    await page.waitForURL(new RegExp(`month=${month}`));
    const format = createFormat("es-ES", TIME_ZONE, status.currency);
    const { totals } = await reportOf(month);
    await page
      .locator(".report-table:not(.report-net) tfoot")
      .getByText(format.money(totals.revenue), { exact: true })
      .waitFor();
    await page.getByLabel("Mes", { exact: true }).selectOption({ index: 30 });
    await page.getByText("No hubo ventas en este mes.").waitFor();
  });

  it("is printed for all locations under the letterhead, on numbered pages, with every word inside the margins", async () => {
    const { page } = await opened.open(`/informe?month=${suite.filled.troubleMonth}`);
    await page.getByRole("button", { name: "Membrete" }).click();
    await page.getByLabel("Empresa").fill("Televisión Clínica, S. L.");
    await page.getByLabel("NIF o CIF").fill("B12345678");
    await page.getByLabel("Dirección").fill("Calle Mayor, 1, Madrid");
    await page
      .getByLabel("Logotipo")
      .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from(LOGO, "base64") });
    await page.getByRole("button", { name: "Guardar" }).click();
    await page.locator(".report address").getByText("Televisión Clínica, S. L.").waitFor();
    expect(await page.locator(".report img").isVisible()).to.equal(true);
    const report = await opened.get<Report>(`/api/report?month=${suite.filled.troubleMonth}`);
    expect(report.locations.map(({ name }) => name)).to.have.length(2);

    const paper = await printed(page);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".report-seal .qr").isVisible()).to.equal(true);
    expect(await page.title()).to.equal(`Informe ${suite.filled.troubleMonth}`);
    const heads = paper.split("Televisión Clínica, S. L. · Todos los lugares · ").length - 1;
    expect(heads, "one for each page").to.be.at.least(2);
    // No menu, and no buttons.
    for (const text of ["Habitaciones Registros", "Imprimir", "Membrete"]) expect(paper).to.not.contain(text);
    const format = createFormat("es-ES", TIME_ZONE, status.currency);
    for (const text of [
      ...[
        "Televisión Clínica, S. L.",
        "B12345678",
        "Calle Mayor, 1, Madrid",
        "Informe de ventas: Todos los lugares",
      ],
      // The reader of the file may take a table by its columns.
      ...report.locations.flatMap(({ name, revenue }) => [name, plain(format.money(revenue))]),
      ...[
        `Habitaciones de ${LOCATION}`,
        "Habitaciones de Clínica Sur",
        "Observaciones",
        "Por la clínica",
        "Este informe no es una factura",
        (await page.locator(".report-seal code").textContent()) ?? "",
      ],
    ]) {
      expect(paper).to.contain(text);
    }
  });

  it("shows in the state every fault that the gateway tells, and that it is simulated", async () => {
    const { page } = await opened.open("/estado");
    const { faults } = await opened.get<Status>("/api/status");
    expect(faults.map(({ code }) => code)).to.include("edges_lost");
    await page.getByRole("heading", { name: `Hay ${faults.length} cosas que atender` }).waitFor();
    // What is read aloud whenever it changes is the verdict, and not the time, which changes each minute.
    const told = page.locator(".verdict").getByRole("status");
    expect(await told.innerText()).to.equal(`Hay ${faults.length} cosas que atender`);
    expect(await page.locator(".view .notice").count()).to.equal(faults.length);
    await page
      .getByText(/se perdieron señales \(101\)\. 2 ventas quedaron sin registrar/)
      .first()
      .waitFor();
    expect(await page.getByText("Simulado", { exact: true }).first().isVisible()).to.equal(true);
  });
});

function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, "0")}`;
}
