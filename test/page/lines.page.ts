import { expect } from "chai";
import type { Locator } from "playwright-core";
import { DAY_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import type { Price, Report, Status, Wiring } from "../../src/web/api/shapes.ts";
import { until } from "../rig/until.ts";
import { FilledSuite } from "./filled.ts";
import { focused, type OpenedPage } from "./opened.ts";

describe("The technician's page of lines", () => {
  const suite = new FilledSuite({ sales: 40, days: 10 });
  const { opened } = suite;
  let opening: OpenedPage;
  beforeEach(async () => {
    opening = await opened.open("/lineas");
    await opening.page.getByRole("heading", { name: "Conectadas a habitaciones" }).waitFor();
  });
  afterEach(() => opening.close());

  const wirings = () => opened.get<readonly Wiring[]>("/api/wiring");

  it("wires a free line to a room with its price and settings, and its sales are recorded from then on", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Conectar la línea SIM2", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Conectar SIM2" });
    await dialog.getByLabel("Habitación").selectOption({ label: "Habitación 103 · Pasillo A" });
    await dialog.getByLabel("Precio de cada venta").fill("3,75");
    await dialog.getByText("Ajustes eléctricos").click();
    await dialog.getByLabel("Antirrebote (ms)").fill("0");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("La línea SIM2 queda asignada a la habitación 103.").waitFor();
    expect((await wirings()).find(({ line }) => line === "SIM2")).to.include({
      actuatorId: "103",
      valor: 3.75,
      activeLow: false,
      debounceMs: 0,
    });

    const row = page.getByRole("row", { name: /^103/ });
    await row.getByText("3,75").waitFor();
    await row.getByRole("switch", { name: "Interruptor simulado de SIM2", exact: true }).click();
    await row.getByText("Encendida").waitFor({ timeout: 5_000 });
    const query = new URLSearchParams({ month: await thisMonth(), location: "Clínica Norte" });
    const { rooms } = await opened.get<Report>(`/api/report?${query}`);
    const sold = rooms.find(({ room }) => room === "103");
    // Its last sale is the only one with such a price.
    expect((sold?.revenue ?? 0) % 0.5).to.equal(0.25);
    await row.getByRole("switch").click();
    await row.getByText("Apagada").waitFor({ timeout: 5_000 });
  });

  it("plans a price for chosen rooms from a day on, shows it, and takes it back before that day", async () => {
    const { page } = opening;
    const before = await wirings();
    const [first] = before;
    if (first === undefined) throw new Error("no line is wired");
    await page.getByRole("link", { name: "Precios" }).last().click();
    await page.getByRole("button", { name: "Cambiar precios" }).click();
    const dialog = page.getByRole("dialog", { name: "Cambiar precios" });
    for (const { actuatorId } of before.slice(1)) {
      await dialog.getByRole("checkbox", { name: `${actuatorId} (ahora` }).check();
    }
    await dialog.getByLabel("Precio de cada venta").fill("40");
    await dialog.getByLabel("Vale desde").fill("2035-01-01");
    const save = dialog.getByRole("button", { name: /→ 40,00.*desde el lunes, 1 de enero de 2035$/ });
    await save.click();
    await focused(dialog.getByLabel(/40,00.*seguro/));
    await page.keyboard.press("Space");
    await save.click();
    const shown = page.locator(".planned li");
    await shown.getByText("40,00").waitFor();
    expect(await wirings(), "the price of today stays").to.deep.equal(before);
    const planned = await opened.get<readonly Price[]>("/api/wiring/price");
    expect(planned.map(({ room }) => room)).to.have.members(
      before.slice(1).map(({ actuatorId }) => actuatorId),
    );

    await page.getByRole("button", { name: `Precios de la habitación ${before.at(-1)?.actuatorId}` }).click();
    await page.getByRole("dialog").locator("li", { hasText: "2035" }).getByText("40,00").waitFor();
    await page.keyboard.press("Escape");

    await shown.getByRole("button", { name: "Anular el cambio" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Anular el cambio" }).click();
    await shown.waitFor({ state: "detached" });
    expect(await opened.get<readonly Price[]>("/api/wiring/price")).to.deep.equal([]);
  });

  it("changes prices of the rooms that are chosen, none at first, and says what it does", async () => {
    const { page } = opening;
    await page.getByRole("link", { name: "Precios" }).last().click();
    const before = await wirings();
    const begin = async (price: string) => {
      await page.getByRole("button", { name: "Cambiar precios" }).click();
      await page.getByRole("dialog").getByLabel("Precio de cada venta").fill(price);
      return page.getByRole("dialog");
    };
    const dialog = await begin("0");
    expect(await dialog.locator("fieldset input:checked").count()).to.equal(0);
    await dialog.getByRole("button", { name: "Cambiar precios" }).click();
    await dialog.getByText("Elija una habitación.").waitFor();
    await dialog.getByLabel(/^0,00.*seguro.*no sumarían nada/).waitFor();
    await dialog.getByRole("checkbox", { name: `${before[0]?.actuatorId} (ahora` }).check();
    await dialog.getByRole("button", { name: /^Cambiar 1 habitación: \d+,\d+.€ → 0,00.€$/ }).click();
    await focused(dialog.getByLabel(/^0,00/));
    await page.keyboard.press("Escape");

    for (const { actuatorId } of before) {
      const again = page.getByRole("dialog");
      if (actuatorId === before[0]?.actuatorId) await begin("4,75");
      await again.getByRole("checkbox", { name: `${actuatorId} (ahora` }).check();
    }
    const change = page
      .getByRole("dialog")
      .getByRole("button", { name: /^Cambiar \d+ habitaciones: .* → 4,75.€$/ });
    await change.waitFor();
    await page.keyboard.press("Escape");
    expect(await wirings()).to.deep.equal(before);

    await (await begin("4,75")).getByRole("checkbox", { name: `${before[0]?.actuatorId} (ahora` }).check();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /→ 4,75/ })
      .click();
    await page.getByText("1 habitación cuesta 4,75").waitFor();
    const [own, ...others] = await wirings();
    expect(own?.valor).to.equal(4.75);
    expect(others).to.deep.equal(before.slice(1));
  });

  it("names at each field what is missing, and takes the keyboard to the first", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Conectar la línea SIM3" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Precio de cada venta").fill("4.500");
    await dialog.getByLabel(/^4,50.*seguro/).waitFor();
    await dialog.getByLabel("Precio de cada venta").fill("mucho");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Elija una habitación.").waitFor();
    await dialog.getByText("Escriba un precio, como 3,50 o 1234,50, sin puntos de millares.").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).to.equal("SELECT");
    await dialog.getByLabel("Habitación").selectOption({ index: 1 });
    await dialog.getByLabel("Precio de cada venta").fill("10000001");
    await dialog.getByLabel(/seguro/).check();
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Escriba un precio de hasta 10.000.000.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });

  it("says so when the line was taken meanwhile", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Conectar la línea SIM7" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Habitación").selectOption({ label: "Habitación 104 · Pasillo A" });
    await dialog.getByLabel("Precio de cada venta").fill("1");
    // Somebody else wires the same line by its other name.
    const wiring = { line: "simchip0:7", dId: suite.filled.devices[0]?.dId, actuatorId: "105", valor: 1 };
    await opened.send("PUT", "/api/wiring", { wiring });
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("La línea o la habitación ya están en uso.", { exact: false }).waitFor();
  });

  it("changes how a wired line behaves, its room staying the same", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Cambiar la línea SIM1", exact: true }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Precio de cada venta").inputValue()).to.equal("4,00");
    await dialog.getByLabel("Precio de cada venta").fill("4.5");
    await dialog.getByText("Ajustes eléctricos").click();
    await dialog.getByLabel(/^Invertida/).check();
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("La línea SIM1 queda asignada a la habitación 102.").waitFor();
    expect((await wirings()).find(({ line }) => line === "SIM1")).to.include({
      actuatorId: "102",
      valor: 4.5,
      activeLow: true,
    });
    // A low signal is on now, and the switch shows the signal.
    const row = page.getByRole("row", { name: /^102/ });
    await row.getByText("Encendida").waitFor();
    expect(await row.getByRole("switch").isChecked()).to.equal(false);
  });

  it("shows at once the price that is set elsewhere, also in an open form, which takes it back no more", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Cambiar la línea SIM1", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await opened.send("PUT", "/api/wiring/price", { price: { lines: ["SIM1"], valor: 6.25 } });
    const price = dialog.getByLabel("Precio de cada venta");
    await until("the new price is shown", async () => (await price.inputValue()) === "6,25");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await wirings()).find(({ line }) => line === "SIM1")).to.include({ valor: 6.25 });
  });

  describe("once the day is over", () => {
    let dialog: Locator;

    beforeEach(async () => {
      const { page } = opening;
      await page.clock.install();
      await page.route("**/api/event", (route) => route.abort());
      await page.reload();
      await page.getByRole("button", { name: "Cambiar la línea SIM1", exact: true }).click();
      dialog = page.getByRole("dialog");
      await dialog.getByText("Ajustes eléctricos").click();
      await page.route("**/api/status", async (route) => {
        const { clock, ...status } = await opened.get<Status>("/api/status");
        const data = { ...status, clock: { ...clock, nowMs: clock.nowMs + DAY_MS } };
        await route.fulfill({ json: { status: "success", data } });
      });
    });

    const wiring = async () => (await wirings()).find(({ line }) => line === "SIM1");

    it("shows the price that has begun in an open form, which takes it back no more", async () => {
      const { page } = opening;
      const before = await wiring();
      await dialog.getByLabel("Antirrebote (ms)").fill("7");
      await opened.send("PUT", "/api/wiring/price", { price: { lines: ["SIM1"], valor: 4.25 } });
      await page.clock.fastForward(MINUTE_MS);
      const price = dialog.getByLabel("Precio de cada venta");
      await until("the new price is shown", async () => (await price.inputValue()) === "4,25");
      await dialog.getByRole("button", { name: "Guardar" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await wiring()).to.deep.equal({ ...before, debounceMs: 7, valor: 4.25 });
    });

    it("keeps what is typed where the gateway does not answer", async () => {
      const { page } = opening;
      await dialog.getByLabel("Antirrebote (ms)").fill("9");
      await page.route("**/api/wiring", (route) => route.abort());
      // The page says so of an answer that did not come, before it shows what follows from that.
      const failed = page.waitForEvent("console", (message) => message.type() === "warning");
      await page.clock.fastForward(MINUTE_MS);
      await failed;
      await page.unroute("**/api/wiring");
      await dialog.getByRole("button", { name: "Guardar" }).click();
      await page.getByText("La línea SIM1 queda asignada a la habitación 102.").waitFor();
      expect(await wiring()).to.include({ debounceMs: 9 });
    });
  });

  it("unwires a line once it was said what that means", async () => {
    const { page } = opening;
    await page.getByRole("button", { name: "Desconectar la línea SIM2", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Sus registros de ventas se conservan todos.").waitFor();
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    expect((await wirings()).some(({ line }) => line === "SIM2")).to.equal(true);
    await page.getByRole("button", { name: "Desconectar la línea SIM2", exact: true }).click();
    await dialog.getByRole("button", { name: "Desconectar la línea SIM2", exact: true }).click();
    await page.getByText("La línea SIM2 queda libre.").waitFor();
    expect((await wirings()).some(({ line }) => line === "SIM2")).to.equal(false);
    await page.getByRole("button", { name: "Conectar la línea SIM2", exact: true }).waitFor();
  });

  async function thisMonth(): Promise<string> {
    const { today } = await opened.get<Status>("/api/status");
    return today?.day.slice(0, 7) ?? "";
  }
});
