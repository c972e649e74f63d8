import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { FilledSuite } from "./filled.ts";
import { type Look, PAGE_TEST_MS, WIDTHS } from "./opened.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** An address, and what is there once the view is suite.filled. */
const VIEWS = [
  ["/registros", ".record"],
  ["/informe", ".report-table"],
  ["/lugares", ".device-row"],
  ["/lineas", ".wired"],
  ["/estado", ".state-card"],
  ["/personas", ".person"],
  ["/mi-cuenta", ".rules"],
] as const;
const LOOKS = [
  { language: "es", colorScheme: "light" },
  { language: "en", colorScheme: "dark" },
] as const satisfies readonly Look[];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe("The views of records, report, locations, lines, state and people", function () {
  this.timeout(2 * PAGE_TEST_MS);
  const suite = new FilledSuite({
    sales: 300,
    days: 20,
    voided: 2,
    withTrouble: true,
  });
  const { opened } = suite;
  let axe = "";
  before(async () => {
    axe = await readFile(AXE, "utf8");
  });

  for (const look of LOOKS) {
    for (const width of WIDTHS) {
      it(`fit ${width} pixels, and hold to the rules of accessibility (${look.language}, ${look.colorScheme})`, async () => {
        const { page } = await opened.open("/registros", { ...look, width });
        for (const [address, content] of VIEWS) {
          // In the first half hour of a month nothing was sold in it.
          const query = address === "/informe" ? `?month=${suite.filled.troubleMonth}` : "";
          await page.goto(address + query);
          await page.locator(content).first().waitFor();
          await expectSound(page, axe, address);
        }
      });
    }
  }

  it("hold to them in their dialogs and in the test mode too", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByRole("button", { name: "Añadir dispositivo en Clínica Norte" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Crear" }).click();
    await expectSound(page, axe, "new device");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Borrar Clínica Norte" }).click();
    await expectSound(page, axe, "delete a location");
    await page.goto("/lineas");
    await page.getByRole("button", { name: "Probar líneas" }).click();
    await expectSound(page, axe, "which rooms to test");
    await page.getByRole("dialog").getByRole("checkbox").nth(1).check();
    await page.getByRole("button", { name: "Empezar la prueba" }).click();
    await page.getByRole("button", { name: "Probar todas las libres" }).click();
    await page.locator(".chip-line:not(.chip-line-used) .tag").first().waitFor();
    await expectSound(page, axe, "test mode");
    await page.getByRole("button", { name: "Conectar la línea SIM3" }).click();
    await page.getByText("Ajustes eléctricos").click();
    await expectSound(page, axe, "wire a line");
  });
});

async function expectSound(page: Page, axe: string, what: string): Promise<void> {
  expect(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    `${what} overflows`,
  ).to.be.at.most(0);
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document)")) as { violations: readonly Violation[] };
  const told = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
  expect(told, what).to.deep.equal([]);
}
