import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Status } from "../../src/web/api/shapes.ts";
import { HookReceiver, KEY, Secrets } from "../notify/receivers.ts";
import { AVAHI_PATH } from "../rig/avahi.ts";
import { forSuite } from "../rig/standing.ts";
import { focused, PAGE_TEST_MS, suiteService } from "./opened.ts";
import { printed } from "./printed.ts";

describe("What the gateway sends, on the page", function () {
  this.timeout(PAGE_TEST_MS);
  const secrets = forSuite(() => new Secrets().open());
  const opened = suiteService({ environment: { PATH: AVAHI_PATH } });
  let receiver: HookReceiver;
  let url: string;
  before(async () => {
    receiver = new HookReceiver(secrets.good);
    url = `https://localhost:${await receiver.open()}/flanco`;
  });
  after(() => receiver.close());

  it("is set up by an owner, who is told what is missing, tests it, and turns it off", async () => {
    const { page } = await opened.open("/avisos", { width: 320 });
    await page.locator("summary", { hasText: "Avisos a otros programas" }).click();
    await page.getByRole("button", { name: "Configurar: Webhook" }).click();
    const dialog = page.getByRole("dialog");
    const field = (label: string) => dialog.getByLabel(label, { exact: true });
    await field("Dirección").fill("http://localhost/");
    await field("Clave de la firma").fill(KEY);
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Este dato no es válido.").waitFor();
    await focused(field("Dirección"));
    await field("Dirección").fill(url);
    await field("Certificado propio (opcional)").fill(readFileSync(secrets.authorityFile, "utf8"));
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("Webhook: guardado, ya en marcha. Envíe una prueba.").waitFor();
    await page.getByRole("button", { name: "Enviar una prueba: Webhook" }).click();
    await page.getByText("La prueba ha llegado.").waitFor();
    expect(JSON.parse(receiver.posted[0]?.body ?? "{}")).to.include({ kind: "test" });
    receiver.status = 403;
    await page.getByRole("button", { name: "Enviar una prueba: Webhook" }).click();
    await page.getByText("La prueba no ha llegado.").waitFor();
    await page.getByText("answers 403", { exact: false }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(320);

    await page.getByRole("button", { name: "Cambiar: Webhook" }).click();
    expect(await field("Dirección").inputValue()).to.equal(url);
    expect(await field("Clave de la firma").inputValue()).to.equal("");
    await field("Dirección").fill("https://elsewhere.example.org/");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Escríbala de nuevo: iría a otro sitio que antes.").waitFor();
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    await page.getByRole("button", { name: "Apagar: Webhook" }).click();
    await dialog.getByRole("button", { name: "Apagar" }).click();
    await page.getByText("Webhook: apagado.").waitFor();
    await page.getByRole("button", { name: "Configurar: Webhook" }).waitFor();
    await page.goto("/estado");
    await page.getByText("Cambió lo que el equipo envía: Webhook").first().waitFor();
  });

  it("calls a monitor, whose address is written and never shown", async () => {
    receiver.status = 200;
    const { page } = await opened.open("/avisos");
    await page.locator("summary", { hasText: "Avisos a otros programas" }).click();
    await page.getByRole("button", { name: "Configurar: Pulso" }).click();
    const dialog = page.getByRole("dialog");
    const address = dialog.getByLabel("Dirección que se llama", { exact: true });
    await address.fill(url.replace("https", "http"));
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Este dato no es válido.").waitFor();
    await address.fill(url);
    await dialog
      .getByLabel("Certificado propio (opcional)")
      .fill(readFileSync(secrets.authorityFile, "utf8"));
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("Pulso: guardado, ya en marcha. Envíe una prueba.").waitFor();
    await page.getByRole("button", { name: "Enviar una prueba: Pulso" }).click();
    await page.getByText("La prueba ha llegado.").waitFor();
    await page.getByText("answers 200", { exact: false }).waitFor();
    receiver.text = "OK (not found)";
    await page.getByRole("button", { name: "Enviar una prueba: Pulso" }).click();
    await page.getByText("answers: OK (not found)", { exact: false }).waitFor();
    receiver.text = "";
    await page.getByRole("button", { name: "Cambiar: Pulso" }).click();
    expect(await address.inputValue()).to.equal("");
    await dialog.getByText("Guardada, no se muestra.", { exact: false }).first().waitFor();
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    await page.getByRole("button", { name: "Apagar: Pulso" }).click();
    await dialog.getByText("páuselo también allí", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Apagar" }).click();
    await page.getByText("Pulso: apagado.").waitFor();
    expect(await page.content()).to.not.contain("/flanco");
  });

  it("has a form of its own for the notices, and for MQTT what topics begin with, in English too", async () => {
    const { page } = await opened.open("/avisos", { language: "en" });
    await page.locator("summary", { hasText: "Notices to other programs" }).click();
    await page.getByRole("button", { name: "Set up: Notices" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Quiet hours").fill("22-7");
    await dialog.getByLabel("Of each day").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("This is not valid.").waitFor();
    await dialog.getByLabel("Quiet hours").fill("22:00-07:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("As chosen here").waitFor();
    const { values } =
      (await opened.get<readonly { name: string; values: object }[]>("/api/sink")).find(
        ({ name }) => name === "notice",
      ) ?? {};
    expect(values).to.deep.equal({
      notice_language: "en",
      notice_quiet_hours: "22:00-07:00",
      notice_silent_days: 0,
      notice_summaries: ["daily"],
    });
    await page.getByRole("button", { name: "Set up: MQTT" }).click();
    await dialog.getByLabel("MQTT server").fill("mqtt://localhost:1");
    expect(await dialog.getByLabel("What topics begin with").inputValue()).to.equal("flanco");
    await dialog.getByLabel("Earlier sales too").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("MQTT: saved and in force.").waitFor();
    await page.getByRole("button", { name: "Change: MQTT" }).click();
    expect(await dialog.getByLabel("Earlier sales too").isChecked()).to.equal(true);
  });

  it("shows the passphrase of the backups outside of the house once, on a sheet for paper", async () => {
    const { page } = await opened.open("/estado", { width: 320 });
    const name = "Copias fuera de la casa";
    await page.getByRole("button", { name: `Configurar: ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Dirección", { exact: true }).fill("sftp://nosuch.invalid/clinica");
    await dialog.getByLabel("Usuario", { exact: true }).fill("ana");
    await dialog.getByLabel("Contraseña o clave").fill("canary-of-the-place");
    expect(await dialog.getByLabel("remote_passphrase").count()).to.equal(0);
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("Falta imprimir la frase").waitFor();
    await page.getByRole("button", { name: "Crear la frase e imprimirla" }).click();
    await dialog.getByRole("button", { name: "Crear la frase e imprimirla" }).click();
    await page.getByRole("heading", { name: "Hoja para recuperar la clínica" }).waitFor();
    const passphrase = (await page.locator("code").textContent()) ?? "";
    expect(passphrase).to.match(/^([a-z]{4}-){6}[a-z]{4}$/);
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(320);
    const paper = await printed(page);
    expect(paper).to.contain("sftp://nosuch.invalid/clinica").and.contain(passphrase);
    await page.getByRole("button", { name: "Ya está impresa" }).click();
    await page.getByRole("button", { name: "Crear otra frase" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Crear otra frase" }).waitFor();
    expect(await page.content()).to.not.contain(passphrase);
  });

  it("is shown to a technician without a way to change it", async () => {
    const mail = {
      email_server: "smtp://localhost:1",
      email_login: "",
      email_from: "a@example.org",
      email_to: ["b@example.org"],
    };
    await opened.send("PUT", "/api/sink", { name: "email", values: mail });
    const { cookie } = opened;
    opened.cookie = await opened.addMember("Luis", "technician");
    const { page } = await opened.open("/estado");
    opened.cookie = cookie;
    const panel = page.getByRole("region", { name: "Qué envía el equipo" });
    await panel.getByRole("heading", { name: "Correo" }).waitFor();
    expect(await panel.getByRole("button").count()).to.equal(0);
  });

  it("stands apart from the other gateways that are found here, each with a way to its page", async () => {
    const { page } = await opened.open("/estado");
    const others = page.getByRole("region", { name: "Otros equipos aquí" });
    await others.getByText("flanco sur").waitFor();
    const link = others.getByRole("link", { name: "192.168.77.2" });
    expect(await link.getAttribute("href")).to.equal("https://192.168.77.2:8443/");
  });

  it("says what became of updates by night, and an owner chooses their hours", async () => {
    const { page } = await opened.open("about:blank", { width: 320 });
    const failure = {
      reason: "version",
      sinceMs: 1,
      version: "9.9.9",
      message: "it does not start",
    } as const;
    const updates = { hours: "04:00-06:00", ranMs: 1, succeededMs: null, failure };
    const data = { ...(await opened.get<Status>("/api/status")), updates };
    await page.route("**/api/status", (route) => route.fulfill({ json: { status: "success", data } }));
    await page.goto("/estado");
    await page.getByText("Sigue la versión anterior: no funcionó la 9.9.9").waitFor();
    await page.getByText("De 04:00 a 06:00").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(320);
    await page.getByRole("button", { name: "Cambiar: Actualizaciones" }).click();
    const dialog = page.getByRole("dialog");
    const hours = dialog.getByLabel("Horas de las actualizaciones", { exact: true });
    expect(await hours.inputValue()).to.equal("04:00-06:00");
    await hours.fill("a las cuatro");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.getByText("Este dato no es válido.").waitFor();
    await hours.fill("02:30-05:00");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await page.getByText("Guardado.").waitFor();
    await page.reload();
    await page.getByText("Cambiaron las horas de las actualizaciones").first().waitFor();
    await page.getByRole("button", { name: "Cambiar: Actualizaciones" }).click();
    expect(await hours.inputValue()).to.equal("02:30-05:00");
  });
});
