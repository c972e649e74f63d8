import { expect } from "chai";
import type { Status, Wiring } from "../../src/web/api/shapes.ts";
import { until } from "../rig/until.ts";
import { FilledSuite } from "./filled.ts";
import { focused } from "./opened.ts";
import { printed } from "./printed.ts";

const LONGER_THAN_A_BOUNCE_MS = 300;

describe("Commissioning on the page", () => {
  const suite = new FilledSuite({ sales: 8, days: 2, rooms: 2 });
  const { opened } = suite;

  /** Switches a relay on and off, slowly as a person does: what is quicker is a bounce. */
  async function switchRelay(line: string): Promise<void> {
    for (const level of [true, false]) {
      await opened.drive(line, level);
      await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_BOUNCE_MS));
    }
  }

  it("puts chosen rooms under test, says so on every view, and they sell again once it is ended there", async () => {
    const { page } = await opened.open("/puesta-en-marcha");
    const sales = async () => (await opened.get<Status>("/api/status")).today?.sales ?? 0;
    const before = await sales();
    await page.getByText("Solo algunas habitaciones").click();
    await page.getByRole("checkbox", { name: "101", exact: true }).check();
    await page.getByRole("button", { name: "Empezar" }).click();
    // With its day where the test ends tomorrow.
    const endTime = /(\d+ \S+( \d{4})?, )?\d\d:\d\d/.source;
    const banner = page.getByText(
      new RegExp(`^1 línea en prueba hasta ${endTime}\\. No se cuentan ventas de: 101\\.$`),
    );
    await banner.waitFor();
    await page.getByText("0 de 1 comprobadas", { exact: true }).first().waitFor();
    await page.getByRole("row", { name: /^101/ }).getByText("Ahora").waitFor();
    await switchRelay("SIM0");
    await page.getByText("1 de 1 comprobadas", { exact: true }).first().waitFor();
    expect(await sales()).to.equal(before);
    // A room that was not chosen sells.
    await switchRelay("SIM1");
    await until("it is a sale", async () => (await sales()) === before + 1);
    await page.goto("/habitaciones");
    await banner.waitFor();
    await page.locator(".tile", { hasText: "101" }).getByText("En prueba").waitFor();
    await page.goto("/");
    await page.route("**/api/commission?*", (route) => route.abort());
    const shown = page.locator(".under-test");
    await shown.getByRole("button", { name: "Terminar", exact: true }).click();
    await shown.getByText("El equipo no contesta.").waitFor();
    await page.unroute("**/api/commission?*");
    await shown.getByRole("button", { name: "Terminar", exact: true }).click();
    await shown.waitFor({ state: "detached" });
    await switchRelay("SIM0");
    await until("it is a sale again", async () => (await sales()) === before + 2);
    await page.goto("/puesta-en-marcha");
    await page.getByRole("button", { name: "Seguir" }).click();
    await banner.waitFor();
    await page.getByRole("button", { name: "Terminar sin informe" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Terminar sin informe" }).click();
    await banner.waitFor({ state: "detached" });
  });

  it("leads from room to room on a phone: ticks off what is good by itself, mends what is swapped, and sells nothing", async () => {
    const { page } = await opened.open("/puesta-en-marcha", { width: 390 });
    const before = (await opened.get<Status>("/api/status")).today?.sales;
    await page.getByText(/^Mirar también las líneas libres \(\d+\)/).waitFor();
    await page.getByRole("button", { name: "Empezar" }).click();
    await page.getByRole("heading", { name: "Habitación 101" }).waitFor();
    await page.getByText("Esperando a que se mueva…").waitFor();
    await switchRelay("SIM0");
    await page.getByText("1 de 8 comprobadas", { exact: true }).first().waitFor();
    await page.getByRole("status").getByText("101: bien. Ahora la 102.").waitFor();

    const card = page.locator(".commission-card").first();
    await card.getByRole("heading", { name: "Habitación 102" }).waitFor();
    await page.getByRole("row", { name: /^102/ }).getByText("Ahora").waitFor();
    const lineOf = async (room: string) =>
      (await opened.get<readonly Wiring[]>("/api/wiring")).find(({ actuatorId }) => actuatorId === room)
        ?.line;
    // The technician is at another room again: the lines stay where they are.
    await opened.drive("SIM0", true);
    await card.getByText("Se ha movido la 101").waitFor();
    expect(await card.locator(".button-main").count()).to.equal(0);
    const here = card.getByRole("button", { name: "Estoy en la 101", exact: true });
    expect(await here.isDisabled()).to.equal(true);
    await card.getByRole("button", { name: "Estoy en la 102: los cables están cambiados" }).click();
    await page
      .getByRole("dialog")
      .getByText("La 102 recibe la línea SIM0; la 101 recibe la línea SIM1.")
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancelar" }).click();
    await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_BOUNCE_MS));
    await opened.drive("SIM0", false);
    await here.click();
    await card.getByText("Esperando a que se mueva…").waitFor();
    await card.getByRole("heading", { name: "Habitación 102" }).waitFor();
    expect([await lineOf("101"), await lineOf("102")]).to.deep.equal(["SIM0", "SIM1"]);
    // Its wire is at another line.
    await switchRelay("SIM5");
    await card.getByText("cambiada").waitFor();
    await card.getByRole("button", { name: "Darle la línea SIM5" }).click();
    await card.getByText("Encienda y apague su relé.").waitFor();
    expect(await lineOf("102")).to.equal("SIM5");
    await switchRelay("SIM5");
    await page.getByText("2 de 8 comprobadas", { exact: true }).first().waitFor();

    await card.getByRole("heading", { name: "Habitación 201" }).waitFor();
    await card.getByText("sin línea").waitFor();
    await card.getByLabel("Observación para el informe (opcional)").fill("El relé llega el lunes");
    await card.getByRole("button", { name: "Dar por comprobada la 201" }).press("Enter");
    await page.getByText("3 de 8 comprobadas", { exact: true }).first().waitFor();
    await focused(card.getByRole("heading", { name: "Habitación 202" }));
    expect((await opened.get<Status>("/api/status")).today?.sales).to.equal(before);
  });

  it("ends with a report that two people sign: on the page, on paper, and as JSON", async () => {
    const { page } = await opened.open("/puesta-en-marcha");
    await page.getByRole("button", { name: "Terminar con informe" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Quedan 5 habitaciones sin comprobar.").waitFor();
    await dialog.getByLabel("Firma por la instalación").fill("Eva Ruiz");
    await dialog.getByRole("button", { name: "Terminar con informe" }).click();
    await dialog.getByText("Falta este dato.").waitFor();
    await dialog.getByLabel("Firma por la clínica").fill("Dr. Mora");
    await dialog.getByRole("button", { name: "Terminar con informe" }).click();
    const sheet = page.locator(".acceptance");
    const row = sheet.getByRole("row", { name: /^201/ });
    await row.getByText("El relé llega el lunes").waitFor();
    await sheet.getByRole("row", { name: /^101/ }).getByText("ninguno").waitFor();
    await sheet.getByRole("row", { name: /^102/ }).getByText("SIM5").waitFor();
    const hash = (await sheet.locator(".report-seal code").textContent()) ?? "";
    expect(hash).to.match(/^[0-9a-f]{64}$/);
    const href = await page.getByRole("link", { name: "JSON" }).getAttribute("href");
    const stored = await opened.get<{ hash: string; technician: string }>(href ?? "");
    expect(stored).to.include({ hash, technician: "Eva Ruiz" });
    const paper = await printed(page);
    for (const text of ["Informe de puesta en marcha", "Eva Ruiz", "Dr. Mora", "Fecha y firma", hash]) {
      expect(paper).to.contain(text);
    }
    await page.getByRole("link", { name: "Volver" }).click();
    await page.getByRole("link", { name: /^Informe del / }).waitFor();
    await page.getByRole("button", { name: "Empezar" }).waitFor();
  });
});
