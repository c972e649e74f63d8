import { expect } from "chai";
import type { Page } from "playwright-core";
import { type Summary, summaryOf } from "../../src/web/api/summary.ts";
import { OpenedService, PAGE_TEST_MS } from "./opened.ts";
import { expectPanel, formatOf, plain } from "./panel-figures.ts";

const DAY_MS = 86_400_000;
const SALES = [
  { daysAgo: 0, valor: 3.5, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 0, valor: 0.1, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 1, valor: 0.2, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 3, valor: 1234.56, deviceId: "d2", locationName: "Clínica Sur" },
  { daysAgo: 6, valor: 5.5, deviceId: "d2", locationName: "Clínica Sur" },
  { daysAgo: 9, valor: 1_000, deviceId: "d2", locationName: "Clínica Sur" },
] as const;

describe("The panel", function () {
  this.timeout(PAGE_TEST_MS);
  let opened: OpenedService;

  before(async () => {
    opened = await OpenedService.start();
    for (const sale of SALES) await sell(opened, sale);
  });
  after(() => opened.close());

  it("shows the year, and keeps it in the address", async () => {
    const shown = await opened.open("/");
    await shown.page.getByRole("radio", { name: "Año" }).check();
    await shown.page.getByRole("heading", { name: "Ingresos por mes" }).waitFor();
    expect(new URL(shown.page.url()).search).to.equal("?period=year");
    await expectPanel(shown.page, await summary("year"), formatOf("es"));
    await shown.close();
  });

  it("sums up one location alone when asked to", async () => {
    const shown = await opened.open("/");
    // Its records are all that is known of a device that was never registered, or is gone: they have its name.
    const devices = shown.page.getByLabel("Dispositivo", { exact: true });
    await devices
      .getByRole("option", { name: "Pasillo A (ya no existe)" })
      .first()
      .waitFor({ state: "attached" });
    await shown.page.getByLabel("Lugar", { exact: true }).selectOption("Clínica Sur");
    await shown.page.waitForURL(/location=/);
    await shown.page.locator(".panel-figures[aria-busy=false]").waitFor();
    await expectPanel(shown.page, await summary("week", "&location=Cl%C3%ADnica+Sur"), formatOf("es"));
    await shown.close();
  });

  it("gives every bar's exact values to the keyboard", async () => {
    const shown = await opened.open("/");
    const { page } = shown;
    const format = formatOf("es");
    const { chart } = await summary("week");
    const chosen = page.locator(".chart-bar[tabindex='0']");
    await chosen.focus();
    await page.keyboard.press("Home");
    for (const entry of chart) {
      const said = plain((await page.locator(".chart-chosen").innerText()).replaceAll("\n", " "));
      expect(said).to.contain(plain(format.money(entry.revenue)));
      await page.locator(".chart-bar-chosen:focus").waitFor({ state: "attached" });
      expect(plain((await chosen.getAttribute("aria-label")) ?? "")).to.contain(
        plain(format.money(entry.revenue)),
      );
      await page.keyboard.press("ArrowRight");
    }
    await shown.close();
  });

  it("gives the chart as a table too, which sums up", async () => {
    const shown = await opened.open("/");
    const { page } = shown;
    const format = formatOf("es");
    const { chart, totals } = await summary("week");
    await page.getByRole("button", { name: "Ver tabla" }).click();
    const cells = await page.locator(".chart-panel tbody tr td:last-child").allInnerTexts();
    expect(cells.map(plain)).to.deep.equal(chart.map((entry) => plain(format.money(entry.revenue))));
    const foot = await page.locator(".chart-panel tfoot td:last-child").innerText();
    expect(plain(foot)).to.equal(plain(format.money(totals.revenue)));
    await shown.close();
  });

  it("grows with a sale while it is open", async () => {
    const shown = await opened.open("/");
    const before = await summary("week");
    await figure(shown.page, 0).waitFor();
    await sell(opened, SALES[0]);
    const format = formatOf("es");
    const after = await summary("week");
    expect(after.totals.sales).to.equal(before.totals.sales + 1);
    await figure(shown.page, 0).getByText(format.money(after.totals.revenue)).waitFor();
    await figure(shown.page, 1).getByText(format.money(after.today.revenue)).waitFor();
    await expectPanel(shown.page, after, format);
    await shown.close();
  });

  it("speaks kindly of a period without a sale", async () => {
    const empty = await OpenedService.start();
    const shown = await empty.open("/");
    await shown.page.getByText("Sin ventas en este período").waitFor();
    await shown.page.getByText("Todavía no hay ninguna venta.").waitFor();
    await shown.page.getByRole("link", { name: "Empezar" }).click();
    await shown.page.getByRole("heading", { level: 1, name: "Primeros pasos" }).waitFor();
    await shown.close();
    await empty.close();
  });

  async function summary(period: "week" | "year", filter = ""): Promise<Summary> {
    const data = await opened.get(`/api/summary?period=${period}${filter}`);
    return summaryOf(data as Readonly<Record<string, unknown>>);
  }
});

function figure(page: Page, index: number) {
  return page.locator(".figure").nth(index);
}

async function sell(opened: OpenedService, { daysAgo, ...sale }: (typeof SALES)[number]): Promise<void> {
  await opened.send("POST", "/api/data", {
    ...sale,
    deviceName: "Pasillo A",
    habitacion: "101",
    createdTime: Date.now() - daysAgo * DAY_MS,
  });
}
