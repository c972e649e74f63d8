import { OpenedService, PAGE_TEST_MS } from "./opened.ts";

describe("The page without a gateway", function () {
  this.timeout(PAGE_TEST_MS);

  it("opens all the same, says kindly why it shows nothing, and goes on once the gateway is back", async () => {
    const opened = await OpenedService.start();
    const shown = await opened.open("/habitaciones");
    const { page } = shown;
    await page.locator("h1").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await opened.service.end("SIGTERM");
    await page.goto("/registros");
    await page.getByText("No se puede conectar con el equipo.").waitFor();
    opened.service = await opened.appliance.start();
    await page.getByRole("heading", { level: 1, name: "Registros" }).waitFor();
    await shown.close();
    await opened.close();
  });
});
