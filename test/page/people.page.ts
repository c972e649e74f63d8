import { expect } from "chai";
import type { Page } from "playwright-core";
import { PASSWORD } from "../rig/program.ts";
import { FilledSuite } from "./filled.ts";
import { EMAIL, PAGE_TEST_MS, signIn, VIEWS } from "./opened.ts";

const CHOSEN = "la clave que elige Eva";
const EVA = { name: "Eva Ruiz", email: "eva@example.org" };

describe("The people of an account", function () {
  this.timeout(PAGE_TEST_MS);
  const { opened } = new FilledSuite({ sales: 60, days: 3 });

  /** Invites somebody on the owner's page, and gives the link that it shows. */
  async function invite(page: Page, who: typeof EVA, role: string): Promise<string> {
    await page.getByRole("button", { name: "Invitar" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nombre").fill(who.name);
    await dialog.getByLabel("Correo electrónico").fill(who.email);
    await dialog.getByLabel("Rol").selectOption(role);
    await dialog.getByRole("button", { name: "Invitar" }).click();
    // A gateway of loopback alone: no other device could follow a code.
    await dialog.getByText("Este equipo solo se abre en él mismo").waitFor();
    expect(await dialog.getByRole("img").count()).to.equal(0);
    const link = (await dialog.locator("code").textContent()) ?? "";
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copiar el enlace" }).click();
    await dialog.getByRole("status").getByText("Copiado").waitFor({ state: "attached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(link);
    await dialog.getByRole("button", { name: "Cerrar" }).last().click();
    return link;
  }

  /** Opens a link in a browser of its own, and chooses a password. */
  async function accept(link: string): Promise<Page> {
    const { page } = await opened.open(new URL(link).pathname + new URL(link).hash, { isSignedIn: false });
    await page.getByLabel("Contraseña", { exact: true }).fill(CHOSEN);
    await page.getByLabel("Repita la contraseña").fill(CHOSEN);
    await page.getByRole("button", { name: "Guardar y entrar" }).click();
    await page.getByRole("button", { name: "Salir" }).waitFor();
    return page;
  }

  /** The views that the navigation leads to. */
  function waysOf(page: Page): Promise<string[]> {
    return page.getByRole("navigation", { name: "Secciones" }).getByRole("link").allTextContents();
  }

  it("are invited with a link, see what their role may, and lose their session with another role", async () => {
    const { page: owner } = await opened.open("/personas");
    const eva = await accept(await invite(owner, EVA, "staff"));
    await eva.getByRole("heading", { name: "Panel" }).waitFor();
    expect(await waysOf(eva)).to.deep.equal(["Panel", "Habitaciones", "Registros", "Informe", "Liquidación"]);
    await eva.goto("/lineas");
    await eva.getByRole("heading", { name: "Panel" }).waitFor();
    expect(new URL(eva.url()).pathname).to.equal("/");

    await owner.getByRole("button", { name: "Cambiar a Eva Ruiz" }).click();
    await owner.getByRole("dialog").getByLabel("Rol").selectOption("technician");
    await owner.getByRole("dialog").getByRole("button", { name: "Guardar" }).click();
    await owner.getByText("Se guardó Eva Ruiz.").waitFor();
    await eva.getByText("Su sesión ha terminado.").waitFor();
    await eva.getByLabel("Correo electrónico").fill(EVA.email);
    await eva.getByLabel("Contraseña", { exact: true }).fill(CHOSEN);
    await eva.getByRole("button", { name: "Entrar", exact: true }).click();
    await eva.getByRole("heading", { name: "Líneas" }).waitFor();
    expect(await waysOf(eva)).to.deep.equal([
      "Líneas",
      "Puesta en marcha",
      "Habitaciones",
      "Estado",
      "Lugares",
    ]);
    const { lines, commission, rooms, locations, state } = VIEWS;
    for (const { path, ready } of [lines, commission, rooms, locations, state]) {
      await eva.goto(path);
      await eva.locator(ready).first().waitFor();
      expect(await eva.locator("body").innerText(), path).not.to.include("€");
    }
  });

  it("are told until when no more can be invited, where the account has made its changes of a day", async () => {
    const { page } = await opened.open("/personas");
    const answer = { status: "error", error: "This account has made 1000 changes within a day." };
    await page.route("**/api/member", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await route.fulfill({ status: 429, headers: { "Retry-After": "86400" }, json: answer });
    });
    await page.getByRole("button", { name: "Invitar" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nombre").fill(EVA.name);
    await dialog.getByLabel("Correo electrónico").fill(EVA.email);
    await dialog.getByRole("button", { name: "Invitar" }).click();
    await dialog.getByText("Demasiados cambios en un día. Inténtelo mañana", { exact: false }).waitFor();
    await page.close();
  });

  it("that are screens show the rooms, without money, and nothing else", async () => {
    const { page: owner } = await opened.open("/personas");
    const who = { name: "Enfermería", email: "tv@example.org" };
    const screen = await accept(await invite(owner, who, "display"));
    await screen.locator(".tile").first().waitFor();
    expect(await waysOf(screen)).to.deep.equal(["Habitaciones"]);
    expect(await screen.locator("#content").innerText()).not.to.match(/€|venta/i);
    const cookies = await screen.context().cookies();
    const lasts = cookies.find(({ name }) => name === "auth_token")?.expires ?? 0;
    expect(lasts - Date.now() / 1000).to.be.above(364 * 24 * 60 * 60);
    await owner.reload();
    await owner.getByRole("button", { name: "Cerrar las sesiones de Enfermería" }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Cerrar sus sesiones" }).click();
    await screen.getByText("Su sesión ha terminado.").waitFor();
    await owner.getByRole("button", { name: "Quitar a Enfermería" }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Quitar de la cuenta" }).click();
    await owner.getByText("Se quitó a Enfermería.").waitFor();
  });

  it("are limited to locations, by keyboard too: a screen then shows that clinic's rooms and no other one's", async () => {
    const { page: owner } = await opened.open("/personas", { width: 390 });
    const screen = await accept(
      await invite(owner, { name: "Control Sur", email: "sur@example.org" }, "display"),
    );
    const at = (location: string) => screen.locator(".device", { hasText: location });
    await at("Clínica Norte").first().waitFor();
    // It keeps the place that was chosen on it, also after it was switched off.
    await screen.getByLabel("Lugar").selectOption("Clínica Sur");
    await at("Clínica Norte").first().waitFor({ state: "detached" });
    await screen.goto("/habitaciones");
    await screen.waitForURL("**/habitaciones?location=*Sur");
    await screen.getByLabel("Lugar").selectOption("Todos");
    await at("Clínica Norte").first().waitFor();
    await owner.getByRole("button", { name: "Cambiar a Control Sur" }).click();
    const dialog = owner.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Todos, también los que se añadan" }).press("Space");
    await dialog.getByText("Sin ningún lugar no ve nada.").waitFor();
    await dialog.getByRole("checkbox", { name: "Clínica Sur" }).press("Space");
    await dialog.getByRole("button", { name: "Guardar" }).press("Enter");
    await owner.getByText("Solo Clínica Sur").waitFor();
    await at("Clínica Norte").first().waitFor({ state: "detached" });
    await at("Clínica Sur").first().waitFor();
    expect(await screen.locator("body").innerText()).not.to.include("Clínica Norte");
    await owner.getByRole("button", { name: "Quitar a Control Sur" }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Quitar de la cuenta" }).click();
    await owner.getByText("Se quitó a Control Sur.").waitFor();
  });

  it("share one session with the tabs of a browser: each shows who has signed in last, in whichever of them", async () => {
    const { page: first, context } = await opened.open("/personas");
    const link = await invite(first, { name: "Control", email: "control@example.org" }, "display");
    const second = await context.newPage();
    await second.goto(new URL(link).pathname + new URL(link).hash);
    await second.getByLabel("Contraseña", { exact: true }).fill(CHOSEN);
    await second.getByLabel("Repita la contraseña").fill(CHOSEN);
    await second.getByRole("button", { name: "Guardar y entrar" }).click();
    await first.locator(".tile").first().waitFor();
    expect(await waysOf(first)).to.deep.equal(["Habitaciones"]);

    await second.getByRole("button", { name: "Salir" }).click();
    await second.getByRole("heading", { name: "Iniciar sesión" }).waitFor();
    await first.getByText("Su sesión ha terminado.").waitFor();
    await signIn(second);
    await first.getByRole("link", { name: "Personas" }).waitFor();
    await first.getByText("Su sesión ha terminado.").waitFor({ state: "detached" });
  });

  it("keep their last owner, and are told why", async () => {
    const { page } = await opened.open("/personas");
    await page.getByRole("button", { name: /^Quitar a Ana/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Quitar de la cuenta" }).click();
    await page.getByText("Es el único propietario que puede entrar.").waitFor();
    const { page: english } = await opened.open("/personas", { language: "en", width: 390 });
    await english.getByRole("button", { name: /^Change Ana/ }).click();
    await english.getByRole("dialog").getByLabel("Role").selectOption("staff");
    await english.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await english.getByText("This is the only owner who can sign in.").waitFor();
  });

  it("change their own name and password, and stay signed in", async () => {
    const { page: owner } = await opened.open("/personas");
    const luis = await accept(await invite(owner, { name: "Luis", email: "luis@example.org" }, "staff"));
    await luis.getByRole("link", { name: "Luis: mi cuenta" }).click();
    await luis.getByLabel("Nombre").fill("Luis Gil");
    await luis.getByRole("button", { name: "Guardar el nombre" }).click();
    await luis.getByRole("link", { name: "Luis Gil: mi cuenta" }).waitFor();
    await luis.getByLabel("Contraseña actual").fill(PASSWORD);
    await luis.getByLabel("Contraseña nueva").fill(`${CHOSEN} 2`);
    await luis.getByLabel("Repita la contraseña").fill(`${CHOSEN} 2`);
    await luis.getByRole("button", { name: "Cambiar la contraseña" }).click();
    await luis.getByText("No es su contraseña actual.").waitFor();
    await luis.getByLabel("Contraseña actual").fill(CHOSEN);
    await luis.getByRole("button", { name: "Cambiar la contraseña" }).click();
    await luis.getByText("Se cambió su contraseña.").waitFor();
    await luis.reload();
    await luis.getByRole("heading", { name: "Mi cuenta" }).waitFor();
  });

  it("are told whom to ask for a lost password, and that a used link is dead", async () => {
    const { page } = await opened.open("/", { isSignedIn: false });
    await page.getByText("¿Olvidó la contraseña?").click();
    await page.getByText("Pida al propietario de la cuenta un enlace").waitFor();
    await page.goto(`/enlace#AAAAAAAAAAAAAAAAAAAAAA/${EMAIL}`);
    await page.getByRole("heading", { name: "Este enlace ya no sirve" }).waitFor();
  });
});
