import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { FilledSuite } from "./filled.ts";
import { PAGE_TEST_MS, VIEWS } from "./opened.ts";

const NAME = "Relé nº 1";
const PHONE = 390;

describe("A program of an account", function () {
  this.timeout(PAGE_TEST_MS);
  const { opened } = new FilledSuite({ sales: 20, days: 2 });
  const directory = forSuite(async () => new TemporaryDirectory());

  /** Runs a line of the example as a person would; the authority of a gateway on loopback alone is nowhere to be fetched. */
  async function run(line: string): Promise<string> {
    const script = `curl() { command curl -sk "$@"; }\n${line}`;
    return (await promisify(execFile)("bash", ["-c", script], { cwd: directory.path })).stdout;
  }

  /** The dialog's key, and the lines of its example that are no comments. */
  async function keyOf(page: Page): Promise<{ readonly key: string; readonly lines: readonly string[] }> {
    const dialog = page.getByRole("dialog", { name: `Clave de ${NAME}` });
    await dialog.getByRole("button", { name: "Copiar la clave" }).click();
    await dialog.getByRole("status").getByText("Copiado").waitFor({ state: "attached" });
    const key = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(await dialog.locator("p code").allTextContents()).to.deep.equal([
      "rele-no-1@programa.invalid",
      key,
    ]);
    await dialog.getByText("Ejemplo con curl").click();
    const example = (await dialog.locator("pre").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Cerrar" }).last().click();
    return { key, lines: example.split("\n").filter((line) => !line.startsWith("#")) };
  }

  it("gets a key that is shown once, posts with it as the example says, and loses it", async () => {
    const { page } = await opened.open("/personas", { width: PHONE });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Invitar" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Rol").selectOption("program");
    expect(await form.getByLabel("Correo electrónico").count()).to.equal(0);
    await form.getByLabel("Nombre").fill(NAME);
    await form.getByRole("button", { name: "Añadir" }).click();
    const { key, lines } = await keyOf(page);
    const [, keyFile = "", signIn = "", post = ""] = lines;
    writeFileSync(join(directory.path, "clave.json"), keyFile);
    await page.getByText("Sin usar todavía").waitFor();

    const sales = async () => (await opened.get<readonly object[]>("/api/record?limit=200")).length;
    const before = await sales();
    expect(JSON.parse(await run(signIn))).to.have.nested.property("userData.name", NAME);
    for (const _ of [1, 2]) expect(JSON.parse(await run(post)).status).to.equal("success");
    expect(await sales(), "the answer to the first was lost").to.equal(before + 1);
    await page.reload();
    await page.getByText("Último uso: ").waitFor();

    await page.getByRole("button", { name: "Invitar" }).click();
    await form.getByLabel("Rol").selectOption("program");
    await form.getByLabel("Nombre").fill(NAME);
    await form.getByRole("button", { name: "Añadir" }).click();
    await form.getByText("Ya hay un programa con este nombre.").waitFor();
    await page.keyboard.press("Escape");

    const { page: other } = await opened.open("/", { isSignedIn: false, width: PHONE });
    await other.getByLabel("Correo electrónico").fill("rele-no-1@programa.invalid");
    await other.getByLabel("Contraseña", { exact: true }).fill(key);
    await other.getByRole("button", { name: "Entrar", exact: true }).click();
    await other.getByText("Esta clave es de un programa").waitFor();
    expect((await other.context().cookies()).map(({ name }) => name)).not.to.include("auth_token");

    await page.getByRole("button", { name: `Clave nueva para ${NAME}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Crear la clave" }).click();
    const renewed = await keyOf(page);
    expect(JSON.parse(await run(post)).message).to.equal("Unauthorized");
    expect(JSON.parse(await run(signIn)).error).to.equal("Invalid Credentials");
    writeFileSync(join(directory.path, "clave.json"), renewed.lines[1] ?? "");
    expect(JSON.parse(await run(signIn)).status).to.equal("success");

    await page.getByRole("button", { name: `Anular la clave de ${NAME}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Anular la clave" }).click();
    await page.getByText("Sin clave").waitFor();
    expect(JSON.parse(await run(post)).message).to.equal("Unauthorized");
    await page.goto(VIEWS.state.path);
    await page.getByText("Se anuló la clave de rele-no-1@programa.invalid").waitFor();
  });
});

describe("An accountant", function () {
  this.timeout(PAGE_TEST_MS);
  const { opened } = new FilledSuite({ sales: 40, days: 40 });
  before(async () => {
    opened.cookie = await opened.addMember("Gestoría", "accountant");
  });

  it("reads figures, records, export and report on a phone by keyboard, and changes nothing", async () => {
    const { page } = await opened.open("/", { width: PHONE });
    await page.locator(VIEWS.panel.ready).first().waitFor();
    expect(await page.getByText("Ahora mismo").count()).to.equal(0);
    const ways = page.getByRole("navigation", { name: "Secciones" });
    expect(await ways.getByRole("link").allTextContents()).to.deep.equal(["Panel", "Registros", "Informe"]);

    await ways.getByRole("link", { name: "Registros" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(VIEWS.records.ready).first().waitFor();
    expect(await page.locator('a[href^="/api/export"]').count(), "for Excel, and CSV").to.equal(2);
    await page.locator(".record button, button.record").first().focus();
    await page.keyboard.press("Enter");
    const record = page.getByRole("dialog");
    await record.waitFor();
    expect(await record.getByRole("button", { name: "Cerrar" }).count()).to.equal(1);
    expect(await record.getByRole("button").count()).to.equal(1);
    await page.keyboard.press("Escape");

    await ways.getByRole("link", { name: "Informe" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(VIEWS.report.ready).first().waitFor();
    expect(await page.getByRole("button", { name: "Membrete" }).count()).to.equal(0);
    await page.goto(VIEWS.settlement.path);
    await page.locator(VIEWS.settlement.ready).first().waitFor();
    expect(await page.getByRole("button", { name: /^Cerrar / }).count()).to.equal(0);
    for (const { path } of [VIEWS.rooms, VIEWS.lines, VIEWS.state, VIEWS.people]) {
      await page.goto(path);
      await page.getByRole("heading", { name: "Panel" }).waitFor();
    }
    const refused = await opened.service.send(
      "POST",
      "/api/record/void",
      { void: { number: 1, reason: "x" } },
      opened.cookie,
    );
    expect(refused.status).to.equal(403);
  });
});
