import { expect } from "chai";
import { PASSWORD } from "../rig/program.ts";
import { EMAIL, focused, OpenedService, signIn, suiteService } from "./opened.ts";

/** As from another window of the browser. */
const END_SESSION =
  "fetch('/api/logout', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })";

describe("The page's sign-in", () => {
  const opened = suiteService();

  it("says kindly what was wrong, and keeps what was typed", async () => {
    const { page } = await opened.open("/", { isSignedIn: false });
    await page.getByLabel("Correo electrónico").fill(EMAIL);
    await page.getByLabel("Contraseña", { exact: true }).fill(`${PASSWORD}?`);
    await page.keyboard.press("Enter");
    await page
      .getByText("El correo o la contraseña no son correctos. Compruébelos y pruebe de nuevo.")
      .waitFor();
    expect(await page.getByLabel("Correo electrónico").inputValue()).to.equal(EMAIL);
  });

  it("names at each field what is missing, and takes the keyboard to the first", async () => {
    const { page } = await opened.open("/", { isSignedIn: false });
    await page.getByRole("button", { name: "Entrar" }).click();
    await focused(page.getByLabel("Correo electrónico"));
    expect(await page.getByText("Falta este dato.").count()).to.equal(2);
    // The link is none: where the gateway does not answer, the form is shown all the same.
    await page.route("**/api/first-run", (route) => route.abort());
    await page.goto("/primer-uso#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    await page.getByRole("button", { name: "Crear la cuenta" }).click();
    await focused(page.getByLabel("Su nombre"));
    expect(await page.getByText("Falta este dato.").count()).to.equal(2);
    expect(await page.locator(".field-mistake").last().innerText()).to.equal("Al menos 10 caracteres");
  });

  it("says that the browser keeps no session where it drops the cookie, never that the password is wrong, and leads to HTTPS", async () => {
    const { httpPort, httpsPort } = opened.appliance;
    const { page } = await opened.open(`http://localhost:${httpPort}/`, { isSignedIn: false });
    // As WebKit does, which keeps no Secure cookie of http://localhost.
    await page.route("**/api/login", async (route) => {
      const answer = await fetch(`${opened.service.baseUrl}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: route.request().postData(),
      });
      expect(answer.status).to.equal(200);
      await route.fulfill({ status: 200, contentType: "application/json", body: await answer.text() });
    });
    await signIn(page);
    await page.getByRole("heading", { name: "Este navegador no guarda la sesión" }).waitFor();
    expect(await page.getByText("no son correctos").count()).to.equal(0);
    await page.getByRole("link", { name: "Seguir por HTTPS" }).click();
    await page.getByRole("heading", { name: "Confíe en este equipo" }).waitFor();
    await page.unroute("**/api/login");
    await page.getByRole("link", { name: `Abrir https://localhost:${httpsPort}/` }).click();
    await signIn(page);
    await page.getByRole("button", { name: "Salir" }).waitFor();
  });

  it("says how long to wait after too many attempts, and lets in after that", async () => {
    const fresh = await new OpenedService().start();
    try {
      const { page } = await fresh.open("/", { isSignedIn: false });
      await page.getByLabel("Correo electrónico").fill(EMAIL);
      const password = page.getByLabel("Contraseña", { exact: true });
      const told = page.getByText(
        /^Demasiados intentos desde este dispositivo\. Espere \d+ segundos? y pruebe de nuevo\.$/,
      );
      // While the form sends, its button is named otherwise, and Enter sends nothing.
      const idle = page.getByRole("button", { name: /^(Entrar|Salir)$/ });
      for (let count = 0; count < 20 && !(await told.isVisible()); count += 1) {
        await password.fill(`${PASSWORD}?`);
        const answered = page.waitForResponse((response) => response.url().endsWith("/api/login"));
        await page.keyboard.press("Enter");
        await answered;
        await idle.waitFor();
      }
      await told.waitFor();
      // An attempt made too soon gets the same message, and prolongs nothing.
      for (let status = 429; status === 429; ) {
        await password.fill(PASSWORD);
        const answered = page.waitForResponse((response) => response.url().endsWith("/api/login"));
        await page.keyboard.press("Enter");
        status = (await answered).status();
        await idle.waitFor();
      }
      await page.getByRole("button", { name: "Salir" }).waitFor();
    } finally {
      await fresh.close();
    }
  });

  it("tries again by itself where too many sign in at once", async () => {
    const { page } = await opened.open("/", { isSignedIn: false });
    let refused = 0;
    await page.route("**/api/login", (route) => {
      refused += 1;
      return refused > 2 ? route.continue() : route.fulfill({ status: 503, headers: { "retry-after": "1" } });
    });
    await page.getByLabel("Correo electrónico").fill(EMAIL);
    await page.getByLabel("Contraseña", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Salir" }).waitFor();
    expect(refused).to.equal(3);
  });

  it("keeps what was typed where the session ends meanwhile, for the same member alone", async () => {
    const technician = await opened.addMember("Luis", "technician");
    // Both times the owner signs in.
    for (const cookie of [technician, opened.cookie]) {
      opened.cookie = cookie;
      const { page } = await opened.open("/lugares");
      await page.getByRole("button", { name: "Añadir lugar" }).first().click();
      const name = page.getByRole("dialog", { name: "Lugar nuevo" }).getByLabel("Nombre");
      await name.fill("Clínica Norte");
      await page.evaluate(END_SESSION);
      await page.getByText("Su sesión ha terminado.", { exact: false }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await signIn(page);
      const heading = page.getByRole("heading", { level: 1 });
      await heading.getByText("Iniciar sesión").waitFor({ state: "detached" });
      await heading.getByText("Lugares").waitFor();
      if (cookie === technician) {
        expect(await page.locator("dialog").count()).to.equal(0);
        continue;
      }
      await focused(name);
      expect(await name.inputValue()).to.equal("Clínica Norte");
      await page.keyboard.press("Enter");
      await page.locator(".done-note").getByText("Clínica Norte", { exact: false }).waitFor();
      // The connection is there again.
      await page.getByRole("heading", { level: 2, name: "Clínica Norte" }).waitFor();
      await page.locator(".tag-live").waitFor({ state: "attached" });
    }
  });

  it("shows the sales of the time for which the session had ended, once one is signed in again", async () => {
    opened.cookie = await opened.service.signIn(EMAIL, PASSWORD);
    const { page } = await opened.open("/registros");
    await page.locator(".tag-live").waitFor({ state: "attached" });
    await page.evaluate(END_SESSION);
    await page.getByText("Su sesión ha terminado.", { exact: false }).waitFor();
    expect(await page.locator(".tag-live").count()).to.equal(0);
    opened.cookie = await opened.service.signIn(EMAIL, PASSWORD);
    const place = { locationName: "Norte", deviceName: "A", deviceId: "1", habitacion: "204" };
    await opened.send("POST", "/api/data", { ...place, valor: 4, createdTime: Date.now() });
    await signIn(page);
    await page.locator(".record-number").getByText("204").waitFor();
  });

  it("says of a first-run link that it was used, before anything is typed, and leads to sign-in", async () => {
    const { page } = await opened.open("about:blank", { isSignedIn: false });
    await page.route("**/api/first-run", (route) => route.abort());
    await page.goto("/primer-uso#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/ana@example.org");
    // Where the gateway does not answer, the link may be good.
    expect(await page.getByLabel("Correo electrónico").inputValue()).to.equal("ana@example.org");
    await page.unroute("**/api/first-run");
    await page.reload();
    await focused(page.getByRole("heading", { name: "Este enlace ya no sirve" }));
    await page.getByRole("button", { name: "Ir a iniciar sesión" }).click();
    await page.getByRole("heading", { name: "Iniciar sesión" }).waitFor();
  });
});
