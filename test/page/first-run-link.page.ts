import { expect } from "chai";
import { PASSWORD } from "../cli/program.ts";
import { OpenedService, PAGE_TEST_MS } from "./opened.ts";

describe("A first-run link", function () {
  this.timeout(PAGE_TEST_MS);

  it("that was used says so, and leads to sign-in", async () => {
    const opened = await OpenedService.start();
    const token = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const shown = await opened.open(`/primer-uso#${token}/ana@example.org`, { isSignedIn: false });
    const { page } = shown;
    expect(await page.getByLabel("Correo electrónico").inputValue()).to.equal("ana@example.org");
    await page.getByLabel("Su nombre").fill("Ana");
    await page.getByLabel("Correo electrónico").fill("otra@example.org");
    await page.getByLabel("Contraseña", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Repita la contraseña").fill(PASSWORD);
    await page.getByRole("button", { name: "Crear la cuenta" }).click();
    await page.getByRole("heading", { name: "Este enlace ya no sirve" }).waitFor();
    await page.getByRole("button", { name: "Ir a iniciar sesión" }).click();
    await page.getByRole("heading", { name: "Iniciar sesión" }).waitFor();
    await shown.close();
    await opened.close();
  });
});
