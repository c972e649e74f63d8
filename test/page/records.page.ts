import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import type { Overview } from "../../src/web/api/shapes.ts";
import { aRecord } from "../http/bodies.ts";
import { until } from "../rig/until.ts";
import { readWorkbook, serialOf } from "../rig/workbook.ts";
import { FilledSuite } from "./filled.ts";
import { focused } from "./opened.ts";

const SALES = 1_950;
const VOIDED = 3;
const PAGE_RECORDS = 100;

describe("The records on the page", () => {
  const suite = new FilledSuite({ sales: SALES, days: 50, voided: VOIDED });
  const { opened } = suite;
  const newestEntry = async () => {
    const [entry] =
      await opened.get<readonly { readonly kind: string; readonly details: object }[]>("/api/audit");
    return entry;
  };
  const untilVoid = (number: string | null) =>
    until("the record is void", async () => Object((await newestEntry())?.details).number === Number(number));

  it("say on a phone of which day they are, and that is taken away with one touch", async () => {
    const { page } = await opened.open("/registros?from=2026-02-03&to=2026-02-03", { width: 360 });
    await page.getByRole("button", { name: /^3 feb( 2026)?$/ }).click();
    await page.waitForURL(/\/registros$/);
    await page.getByRole("radio", { name: "Todo", exact: true }).and(page.locator(":checked")).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(360);
  });

  it("stand newest first, a page at a time, each of them once, to the end and back", async () => {
    const { page } = await opened.open("/registros");
    const numbers: string[] = [];
    const pages = await toTheEnd(page, async () => {
      numbers.push(...(await page.locator(".record-open").allTextContents()));
      expect(await page.locator(".record").count()).to.be.within(1, PAGE_RECORDS);
    });
    expect(pages).to.equal(Math.ceil(SALES / PAGE_RECORDS));
    expect(new Set(numbers).size).to.equal(SALES);
    await page.getByRole("button", { name: "Más recientes" }).press("Enter");
    await page
      .getByRole("status")
      .getByText(/^Registros 1\.?801 a 1\.?900$/)
      .waitFor();
    await focused(page.getByRole("status").getByText(/^Registros 1\.?801 a 1\.?900$/));
    expect(await page.evaluate("scrollY")).to.equal(0);
  });

  it("name a void one in words, also on a phone", async () => {
    for (const width of [320, 1280]) {
      const { page } = await opened.open("/registros", { width });
      await toTheEnd(page);
      const marks = page.locator(".record.is-void .bad:visible");
      await until("the void records are drawn", async () => (await marks.count()) === VOIDED);
      expect(await marks.first().textContent()).to.contain("Anulada");
    }
  });

  it("have whole numbers on a phone, and open wherever their row is pressed", async () => {
    const { page } = await opened.open("/registros", { width: 320 });
    const number = page.locator(".record-open");
    await number.first().waitFor();
    const lines = await number.evaluateAll((all) =>
      all.map((button) => {
        // The longest there is.
        button.textContent = "1".repeat(13);
        const range = button.ownerDocument.createRange();
        range.selectNodeContents(button);
        return range.getClientRects().length;
      }),
    );
    expect(Math.max(...lines)).to.equal(1);
    expect(await page.evaluate(CUT)).to.equal("");
    await page.reload();
    const row = page.locator(".record").first();
    const { width = 0 } = (await row.boundingBox()) ?? {};
    await row.click({ position: { x: width - 20, y: 10 } });
    await page.getByRole("dialog", { name: /^Registro \d+$/ }).waitFor();
  });

  it("open on a desktop wherever their row is pressed, and by their number in the address", async () => {
    const [{ number } = { number: 0 }] =
      await opened.get<readonly { readonly number: number }[]>("/api/record?state=voided");
    const { page } = await opened.open(`/registros?number=${number}`);
    const dialog = page.getByRole("dialog", { name: `Registro ${number}` });
    await dialog.getByText("Prueba del técnico").waitFor();
    await dialog.getByText("el propio equipo").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("td.record-location").click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("N.º", { exact: true }).fill("6");
    await page.getByRole("button", { name: "Registro 6: ver más" }).waitFor();
    await page.getByLabel("N.º", { exact: true }).fill("");
    await page.getByLabel("Estado", { exact: true }).selectOption("voided");
    await page.getByText(`${VOIDED} registros en total`, { exact: true }).waitFor();
    expect(await page.getByRole("dialog").count(), "what is typed opens none").to.equal(0);
  });

  it("are narrowed down by the filters, whose choice stands in the address", async () => {
    const [device] = suite.filled.devices;
    if (device === undefined) throw new Error("no device");
    const { page } = await opened.open("/registros");
    await page.getByLabel("Lugar").selectOption({ label: device.locationName });
    await page.getByLabel("Dispositivo").selectOption({ label: device.name });
    await page.getByLabel("Habitación", { exact: true }).fill(device.rooms[2] ?? "");
    await page.waitForURL(/room=103/);
    const shown = SALES / suite.filled.devices.length / device.rooms.length;
    await page
      .getByRole("status")
      .getByText(new RegExp(`^(${Math.floor(shown)}|${Math.ceil(shown)}) registros en total$`))
      .waitFor();
    const rooms = await page.locator("th.record-room .record-number").allTextContents();
    expect(new Set(rooms)).to.deep.equal(new Set(["103"]));
    await page.reload();
    await page.locator(".record").first().waitFor();
    expect(await page.getByLabel("Habitación", { exact: true }).inputValue()).to.equal("103");
    await page.getByRole("button", { name: "Quitar filtros" }).click();
    await page.waitForURL(/registros$/);
  });

  it("say what is new instead of moving under one's eyes", async () => {
    const { page } = await opened.open("/registros");
    await page.locator(".record").first().waitFor();
    await page.getByText("En directo", { exact: true }).waitFor();
    const [device] = suite.filled.devices;
    const sold = { deviceId: device?.id, habitacion: "108", valor: 9.25, createdTime: Date.now() };
    await opened.send("POST", "/api/data", aRecord(sold));
    await page.getByRole("button", { name: "Hay 1 registro nuevo: verlo" }).click();
    await page.locator(".record", { hasText: "9,25" }).waitFor();
  });

  for (const [language, name, valueColumn] of [
    ["es", "Descargar Excel", "Importe contado"],
    ["en", "Download Excel", "Counted amount"],
  ] as const) {
    it(`are saved for a spreadsheet in the page's language (${language}), and sum up to the API's own`, async () => {
      const { page } = await opened.open("/registros", { language });
      await page.locator(".record").first().waitFor();
      const saving = page.waitForEvent("download");
      await page.getByRole("link", { name }).click();
      const download = await saving;
      expect(download.suggestedFilename()).to.match(/^flanco-\w+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.xlsx$/);
      const [sheet] = readWorkbook(await readFile(await download.path()));
      const [, head = [], ...rows] = sheet?.rows ?? [];
      const at = head.findIndex((cell) => cell?.value === valueColumn);
      const counted = rows.slice(0, -1).filter((row) => row[at]?.value !== 0);
      // One more was sold since, and is counted too.
      expect(counted).to.have.length(SALES - VOIDED + 1);
      const { from, revenue, sales } = await opened.get<Overview>("/api/overview?period=year");
      // The year may be younger than the ledger.
      const ofYear = counted
        .filter((row) => Number(row[1]?.value) >= serialOf(`${from}T00:00:00`))
        .map((row) => Number(row[at]?.value));
      expect(ofYear).to.have.length(sales);
      expect(ofYear.reduce((sum, value) => sum + value, 0)).to.be.closeTo(revenue, 1e-6);
    });
  }

  it("are saved as a table for programs too", async () => {
    const { page } = await opened.open("/registros?room=20");
    const saving = page.waitForEvent("download");
    await page.getByRole("link", { name: "Descargar CSV" }).click();
    const text = await readFile(await (await saving).path(), "utf8");
    expect(text).to.match(/^\uFEFFRegistro;Fecha;Hora;/);
  });

  it("are voided with a reason, once it was said what that means", async () => {
    const { page } = await opened.open("/registros?room=20", { width: 320 });
    const open = page.locator(".record-open").first();
    const number = await open.textContent();
    const sum = page.locator(".record-sum");
    await sum.locator("b").waitFor();
    const before = await sum.textContent();
    await open.click();
    await page.locator("summary", { hasText: "Anular este registro" }).click();
    await page.getByText("El registro no se borra", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Anular este registro" }).click();
    await page.getByText("Falta este dato.").waitFor();
    await page.locator("details[open]").getByLabel("Motivo").fill("Prueba del técnico");
    await page.getByRole("button", { name: "Cancelar" }).click();
    expect(await sum.textContent()).to.equal(before);
    await beginVoid(open, "Prueba del técnico");
    await page.getByRole("button", { name: "Anular este registro" }).click();
    await page.getByRole("status").getByText(`Registro ${number} anulado.`).waitFor();
    await page.locator(".record.is-void", { hasText: String(number) }).waitFor();
    await until("the sum is without it", async () => (await sum.textContent()) !== before);
    const entry = await newestEntry();
    expect(entry?.kind).to.equal("record_voided");
    expect(entry?.details).to.include({ number: Number(number), reason: "Prueba del técnico" });
  });

  /** Opens the form that voids a record of the list, and fills it in. Gives the record's number. */
  async function beginVoid(open: Locator, reason: string): Promise<string | null> {
    const page = open.page();
    const number = await open.textContent();
    await open.click();
    await page.locator("summary", { hasText: "Anular este registro" }).click();
    await page.locator("details[open]").getByLabel("Motivo").fill(reason);
    return number;
  }

  it("are void all the same where somebody else voids one meanwhile", async () => {
    const { page } = await opened.open("/registros?room=30");
    const number = await beginVoid(page.locator(".record-open").nth(1), "Duplicada");
    const other = { number: Number(number), reason: "Prueba del técnico" };
    await opened.send("POST", "/api/record/void", { void: other });
    await page.getByRole("button", { name: "Anular este registro" }).click();
    await page.getByRole("status").getByText(`Registro ${number} anulado.`).waitFor();
  });

  it("stay as they are where a void does not arrive, and the form says so", async () => {
    const { page } = await opened.open("/registros?room=30");
    const number = await beginVoid(page.locator(".record-open").first(), "Duplicada");
    await page.route("**/api/record/void", (route) => route.abort());
    await page.getByRole("button", { name: "Anular este registro" }).click();
    await page.getByRole("dialog").getByText("El equipo no contesta.", { exact: false }).waitFor();
    await page.unroute("**/api/record/void");
    await page.getByRole("button", { name: "Anular este registro" }).click();
    await untilVoid(number);
  });

  it("are reached and voided by the keyboard alone", async () => {
    const { page } = await opened.open("/");
    await page.locator("h1").waitFor();
    await tabTo(page, page.getByRole("link", { name: "Registros", exact: true }));
    await page.keyboard.press("Enter");
    const number = await page.locator(".record:not(.is-void) .record-open").first().textContent();
    const open = page.locator(".record-open").getByText(String(number), { exact: true });
    await tabTo(page, open);
    await page.keyboard.press("Enter");
    const begin = page.locator("summary", { hasText: "Anular este registro" });
    await begin.waitFor();
    await tabTo(page, begin);
    await page.keyboard.press("Enter");
    await focused(begin);
    await tabTo(page, page.locator("details[open]").getByLabel("Motivo"));
    await page.keyboard.type("Sin ratón");
    // A key that is held down repeats, where the focus is by then.
    await page.keyboard.down("Enter");
    // Where it was, to go on from there.
    await focused(open);
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await untilVoid(number);
    await focused(open);
  });

  it("are refunded in part, which the list marks and the record shows, and one is added by hand", async () => {
    const { page } = await opened.open("/registros?room=30", { width: 390 });
    const open = page.locator(".record:not(.is-void) .record-open").first();
    const number = await open.textContent();
    await open.click();
    await page.locator("summary", { hasText: "Devolver dinero" }).click();
    const form = page.locator("details[open]");
    await form.getByLabel("Cuánto se devuelve").fill("999999");
    await form.getByLabel("Motivo").fill("Se fue antes");
    await form.getByRole("button", { name: "Devolver dinero" }).click();
    await form.getByText("Escriba un importe de hasta", { exact: false }).waitFor();
    await form.getByLabel("Cuánto se devuelve").fill("0,5");
    await form.getByRole("button", { name: "Devolver dinero" }).click();
    await page.getByRole("status").getByText(`de la venta ${number}.`, { exact: false }).waitFor();
    await page.locator(".record", { hasText: "Devueltos 0,50" }).locator(".record-open").click();
    await page.getByRole("dialog").getByText("Se fue antes ·", { exact: false }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Añadir una venta" }).click();
    await page.getByLabel("Precio").fill("3");
    await page.getByLabel("Motivo").fill("Corte de luz");
    await page.getByRole("button", { name: "Añadir la venta" }).click();
    await page
      .getByRole("status")
      .getByText(/^Venta \d+ añadida/)
      .waitFor();
    expect(Object(await newestEntry())).to.include({ kind: "sale_added" });
  });
});

/** The cells of the records, and their headings, that end in dots. */
const CUT = `[...document.querySelectorAll(".records th, .record-id, .record-value")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.className).join()`;

/** The most times that Tab is pressed to come to something. */
const MOST_TABS = 60;

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await wanted.evaluate((element) => element.matches(":focus"))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${wanted.toString()}.`);
}

/** Goes from page to page until there is none. Gives how many there were; `onPage` is called on each. */
async function toTheEnd(page: Page, onPage: () => Promise<void> = async () => {}): Promise<number> {
  const older = page.getByRole("button", { name: "Más antiguos" });
  for (let pages = 1; ; pages += 1) {
    const first = `${(pages - 1) * PAGE_RECORDS + 1}`.replace(/(?=\d{3}$)/, "\\.?");
    await page
      .getByRole("status")
      .getByText(new RegExp(`^Registros ${first} a`))
      .waitFor();
    await onPage();
    if (await older.isDisabled()) return pages;
    await older.click();
  }
}
