import { expect } from "chai";
import { PASSWORD } from "../cli/program.ts";
import { EMAIL, LANGUAGES, OpenedService, PAGE_TEST_MS, signIn, WIDTHS } from "./opened.ts";

describe("The page's door", function () {
  this.timeout(PAGE_TEST_MS);
  let opened: OpenedService;

  before(async () => {
    opened = await OpenedService.start();
  });
  after(() => opened.close());

  for (const language of LANGUAGES) {
    for (const width of WIDTHS) {
      it(`lets in whoever has the password, to where the address leads: ${language}, ${width} px`, async () => {
        const shown = await opened.open("/habitaciones", { language, width, isSignedIn: false });
        await signIn(shown.page, language);
        const title = language === "es" ? "Habitaciones" : "Rooms";
        await shown.page.getByRole("heading", { level: 1, name: title }).waitFor();
        expect(new URL(shown.page.url()).pathname).to.equal("/habitaciones");
        await shown.close();
      });
    }
  }

  it("says kindly what was wrong, and keeps what was typed", async () => {
    const shown = await opened.open("/", { isSignedIn: false });
    const { page } = shown;
    await page.getByLabel("Correo electrónico").fill(EMAIL);
    await page.getByLabel("Contraseña", { exact: true }).fill(`${PASSWORD}?`);
    await page.keyboard.press("Enter");
    await page.getByText("El correo o la contraseña no son correctos.").waitFor();
    expect(await page.getByLabel("Correo electrónico").inputValue()).to.equal(EMAIL);
    await shown.close();
  });

  it("leads back to where one was when the session ends while the page is open", async () => {
    const shown = await opened.open("/", { isSignedIn: false });
    const { page } = shown;
    await signIn(page);
    await page.getByRole("link", { name: "Habitaciones" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Habitaciones" }).waitFor();
    // Another window of the same browser signs out: the server ends the session for both.
    await page.evaluate(() =>
      fetch("/api/logout", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
    );
    await page.getByText("Su sesión ha terminado.").waitFor();
    await signIn(page);
    await page.getByRole("heading", { level: 1, name: "Habitaciones" }).waitFor();
    expect(new URL(page.url()).pathname).to.equal("/habitaciones");
    await shown.close();
  });

  it("closes behind whoever signs out, and the way back shows nothing", async () => {
    const shown = await opened.open("/", { isSignedIn: false });
    const { page } = shown;
    await signIn(page);
    await page.getByRole("button", { name: "Salir" }).click();
    await page.getByRole("heading", { level: 1, name: "Iniciar sesión" }).waitFor();
    await page.goBack().catch(() => null);
    await page.goto("/registros");
    await page.getByRole("heading", { level: 1, name: "Iniciar sesión" }).waitFor();
    expect((await page.context().cookies()).length).to.equal(0);
    await shown.close();
  });

  it("speaks English at a press, and remembers it", async () => {
    const shown = await opened.open("/", { isSignedIn: false });
    const { page } = shown;
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await shown.close();
  });
});
