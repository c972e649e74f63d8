import { writeFileSync } from "node:fs";
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { ClosedSettlement, SettlementCheck } from "../../src/contract/settlement.ts";
import { FilledSuite } from "./filled.ts";
import { printed } from "./printed.ts";

describe("The settlement on the page", () => {
  const suite = new FilledSuite({ sales: 600, days: 80, voided: 2 });
  const { opened } = suite;
  const month = () => new Date(Date.now() - 45 * 86_400_000).toISOString().slice(0, 7);

  async function expectAccessible(page: Page): Promise<void> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: { id: string }[] }>("axe.run()");
    expect(violations.map(({ id }) => id)).to.deep.equal([]);
  }

  it("is agreed, closed, printed on paper for both to sign, and checked against the ledger by an owner on a phone", async () => {
    const { page } = await opened.open("/lugares", { width: 390 });
    await page
      .getByRole("button", { name: /^Condiciones de/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Desde el mes").fill(month());
    await dialog.getByLabel("Porcentaje, con IVA").fill("25,5");
    await dialog.getByLabel("Firma por la clínica").fill("Luis Gil");
    await shot(page, "terms-390");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText(/^Condiciones de .*: guardadas\.$/).waitFor();

    await page.goto(`${new URL(page.url()).origin}/liquidacion?month=${month()}`);
    await page.locator(".report-table").first().waitFor();
    await shot(page, "draft-390");
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Cerrar/ }).click();
    await shot(page, "close-390");
    await expectAccessible(page);
    await dialog
      .getByRole("button", { name: /^Cerrar (?!\W)/ })
      .last()
      .click();
    await page.getByText(/: cerrado\.$/).waitFor();
    await page.locator(".report-seal").waitFor();
    await shot(page, "closed-390");
    await expectAccessible(page);
    const hash = (await page.locator(".report-seal code").textContent()) ?? "";
    expect(hash).to.match(/^[0-9a-f]{64}$/);

    await page.getByLabel("Lugar", { exact: true }).selectOption("Clínica Norte");
    await page.getByRole("heading", { name: "Liquidación: Clínica Norte" }).waitFor();
    const paper = await printed(page);
    for (const text of ["Liquidación:", "IVA", "Luis Gil", hash.slice(0, 16)]) expect(paper).to.include(text);
    expect(await page.title()).to.match(new RegExp(`^Liquidación ${month()}`));
    if (process.env["SHOTS"] !== undefined)
      writeFileSync(`${process.env["SHOTS"]}/settlement.pdf`, await page.pdf({ preferCSSPageSize: true }));

    await page.goto(`${new URL(page.url()).origin}/liquidacion?month=${month()}&location=Otra`);
    await page.getByText("Este mes no tiene nada que liquidar aquí.").waitFor();
    expect(await page.locator(".report-figures, .signatures").count(), "the figures of all").to.equal(0);

    await page.getByRole("button", { name: "Comprobar…" }).click();
    await dialog.getByLabel("Huella o número").fill(`flanco verify --settlement ${hash}`);
    await dialog.getByLabel("A liquidar, según el papel (opcional)").fill("mil");
    await dialog.getByRole("button", { name: "Comprobar", exact: true }).click();
    await dialog.getByText("Escriba un importe, como 120,50.").waitFor();
    await dialog.getByLabel("A liquidar, según el papel (opcional)").fill("1");
    await dialog.getByRole("button", { name: "Comprobar", exact: true }).click();
    await dialog.getByText("El importe del papel es otro.").waitFor();
    await dialog.getByText(/^El apunte está intacto/).waitFor();
    await shot(page, "check-390");
    await expectAccessible(page);

    const { totals } = (await opened.get<ClosedSettlement>(`/api/settlement?month=${month()}`)).content;
    const onPaper = new Intl.NumberFormat("es-ES", { minimumFractionDigits: 2, useGrouping: "always" });
    await dialog
      .getByLabel("A liquidar, según el papel (opcional)")
      .fill(`${onPaper.format(totals.due.net)} €`);
    const path = `/api/settlement/check?hash=${hash}&net=${totals.due.net}`;
    const data = await opened.get<SettlementCheck>(path);
    expect(data.netIsRight).to.equal(true);
    const differences = [{ part: "numbers", name: "", settled: 0, ledger: 2 }];
    await page.route(`**${path}`, (route) =>
      route.fulfill({ json: { status: "success", data: { ...data, differences } } }),
    );
    await dialog.getByRole("button", { name: "Comprobar", exact: true }).click();
    await dialog.getByText("Números que faltan : la liquidación dice 0; los registros, 2.").waitFor();
    expect(await dialog.getByText("El importe del papel es otro.").count()).to.equal(0);

    const { content } = await opened.get<ClosedSettlement>(`/api/settlement?month=${month()}`);
    const body = { void: { number: content.numbers?.first, reason: "Prueba" } };
    await page.evaluate(async (sent) => {
      const headers = { "Content-Type": "application/json" };
      await fetch("/api/record/void", { method: "POST", headers, body: JSON.stringify(sent) });
    }, body);
    await page.goto(`${new URL(page.url()).origin}/informe?month=${month()}`);
    await page.getByRole("heading", { name: "Rectificaciones posteriores al cierre" }).waitFor();
    await page.getByText(/anulado después del cierre/).waitFor();
    await shot(page, "report-390");
    await expectAccessible(page);
  });

  async function shot(page: Page, name: string): Promise<void> {
    if (process.env["SHOTS"] === undefined) return;
    await page.screenshot({ path: `${process.env["SHOTS"]}/${name}.png`, fullPage: true });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.screenshot({ path: `${process.env["SHOTS"]}/${name}-1280.png`, fullPage: true });
    await page.setViewportSize({ width: 390, height: 900 });
  }
});
