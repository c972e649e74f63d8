import { expect } from "chai";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import type { Device, Location } from "../../src/web/api/shapes.ts";
import { focused, suiteService } from "./opened.ts";

describe("The locations and devices on the page", () => {
  const opened = suiteService();

  const devices = () => opened.get<readonly Device[]>("/api/device");
  const names = async () => (await opened.get<readonly Location[]>("/api/location")).map(({ name }) => name);

  it("begin with a location, when there is none", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByText("Todavía no hay ningún lugar.").waitFor();
    await page.getByRole("button", { name: "Añadir lugar" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Lugar nuevo" });
    await dialog.getByRole("button", { name: "Crear" }).click();
    await dialog.getByText("Falta este dato.").waitFor();
    await dialog.getByLabel("Nombre").fill("Clínica Norte");
    await dialog.getByLabel(/^Descripción/).fill("Avenida de la Paz, 12");
    await dialog.getByRole("button", { name: "Crear" }).click();
    await page.getByRole("heading", { name: "Clínica Norte" }).waitFor();
    await page.getByText("Lugar guardado: Clínica Norte.").waitFor();
    expect(await names()).to.deep.equal(["Clínica Norte"]);
  });

  it("take a device with rooms in a row, as they are numbered along a corridor", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByRole("button", { name: "Añadir dispositivo en Clínica Norte" }).click();
    const dialog = page.getByRole("dialog", { name: "Dispositivo nuevo" });
    await dialog.getByLabel("Nombre", { exact: true }).fill("Pasillo A");
    await dialog.getByLabel("Número del dispositivo").fill("7234");
    await dialog.getByLabel("Primera").fill("098");
    await dialog.getByLabel("Cuántas").fill("4");
    await dialog.getByText("Serán 4 habitaciones: 098–101").waitFor();
    await dialog.getByRole("button", { name: "Crear" }).click();
    await page.getByRole("rowheader", { name: "Pasillo A" }).waitFor();
    const [device] = await devices();
    expect(device).to.include({ dId: "7234", name: "Pasillo A", locationName: "Clínica Norte" });
    expect(device?.actuators.map(({ id }) => id)).to.deep.equal(["098", "099", "100", "101"]);
  });

  it("say at the field that a number is taken, and take a list of rooms with the next", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByRole("button", { name: "Añadir dispositivo en Clínica Norte" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nombre", { exact: true }).fill("Pasillo B");
    await dialog.getByLabel("Número del dispositivo").fill("7234");
    await dialog.getByRole("radio", { name: "Lista" }).check();
    const list = dialog.getByLabel("Habitaciones, separadas por comas");
    await list.fill("201, 202, 201");
    await dialog.getByText("La habitación 201 está dos veces.").waitFor();
    await list.fill("201, Sala de espera");
    await dialog.getByRole("button", { name: "Crear" }).click();
    await dialog.getByText("Ya tiene un dispositivo con el número 7234. Ponga otro.").waitFor();
    const field = dialog.getByLabel("Número del dispositivo");
    expect(await field.getAttribute("aria-invalid")).to.equal("true");
    await field.fill("7235");
    await dialog.getByRole("button", { name: "Crear" }).click();
    await page.getByRole("rowheader", { name: "Pasillo B" }).waitFor();
    const device = (await devices()).find(({ dId }) => dId === "7235");
    expect(device?.actuators.map(({ id }) => id)).to.deep.equal(["201", "Sala de espera"]);
  });

  it("end the guide once the rooms that want no line are left without one", async () => {
    const { page } = await opened.open("/guia");
    await page.getByRole("heading", { name: "Faltan líneas por conectar" }).waitFor();
    await page.getByRole("button", { name: "Dejarlas sin línea" }).click();
    await page.getByRole("heading", { name: "Todo listo" }).waitFor();
    await page.getByText("6 quedan sin línea a propósito.").waitFor();
    await page.getByRole("link", { name: "Ver las habitaciones" }).click();
    await page.getByText("A propósito").first().waitFor();
    expect(await page.getByRole("radio", { name: /^Sin línea/ }).count()).to.equal(0);
  });

  it("are renamed, and their devices follow", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByRole("button", { name: "Cambiar Clínica Norte" }).click();
    const location = page.getByRole("dialog", { name: "Cambiar el lugar" });
    await location.getByLabel("Nombre").fill("Clínica del Norte");
    await location.getByRole("button", { name: "Guardar" }).click();
    await page.getByRole("heading", { name: "Clínica del Norte" }).waitFor();
    await page.getByText(/Los registros hechos hasta ahora conservan el nombre que tenían\./).waitFor();
    expect((await devices()).map(({ locationName }) => locationName)).to.deep.equal([
      "Clínica del Norte",
      "Clínica del Norte",
    ]);
    await page.getByRole("button", { name: "Cambiar Pasillo B" }).click();
    const device = page.getByRole("dialog", { name: "Cambiar el dispositivo" });
    await device.getByLabel("Nombre", { exact: true }).fill("Planta 2");
    await device.getByRole("button", { name: "Guardar" }).click();
    await page.getByRole("rowheader", { name: "Planta 2" }).waitFor();
    expect((await devices()).map(({ name }) => name)).to.have.members(["Pasillo A", "Planta 2"]);
  });

  async function roomsOfSecond(): Promise<readonly string[] | undefined> {
    return (await devices()).find(({ dId }) => dId === "7235")?.actuators.map(({ id }) => id);
  }

  /** Opens the form of the second device. */
  async function openSecond(page: Page) {
    const dialog = page.getByRole("dialog", { name: "Cambiar el dispositivo" });
    await page.getByRole("button", { name: "Cambiar Planta 2" }).click();
    return { dialog, list: dialog.getByLabel("Habitaciones, separadas por comas") };
  }

  it("have rooms that get another name, or give way to others", async () => {
    const { page } = await opened.open("/lugares");
    const { dialog, list } = await openSecond(page);
    await list.fill("201 bis, Sala de espera");
    await dialog.getByText("Nombres que cambian: 201 → 201 bis").waitFor();
    await dialog.getByRole("radio", { name: "Otras habitaciones" }).check();
    await dialog.getByText("Se quitan: 201", { exact: true }).waitFor();
    await dialog.getByRole("radio", { name: "Las mismas, con otro nombre" }).check();
    await dialog.getByText("Se quitan: 201", { exact: true }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await roomsOfSecond()).to.deep.equal(["201 bis", "Sala de espera"]);
    const renamed = await opened.get<readonly { readonly kind: string }[]>("/api/audit");
    expect(renamed.map(({ kind }) => kind)).to.include("room_renamed");
  });

  it("keep a room that somebody else adds while another one's form is open", async () => {
    const { page } = await opened.open("/lugares");
    const { dialog, list } = await openSecond(page);
    await opened.send("PATCH", "/api/device?dId=7235", {
      device: { rooms: ["201 bis", "Sala de espera", "203"] },
    });
    await list.fill("201 bis, Sala de espera, 202");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await roomsOfSecond()).to.deep.equal(["201 bis", "Sala de espera", "202", "203"]);
  });

  it("open a form by a double click, and close it by a press beside it", async () => {
    const { page } = await opened.open("/lugares");
    const dialog = page.getByRole("dialog", { name: "Lugar nuevo" });
    await page.getByRole("button", { name: "Añadir lugar" }).first().dblclick();
    await dialog.getByLabel("Nombre").fill("Clínica Sur");
    await page.mouse.click(10, 10);
    await dialog.waitFor({ state: "detached" });
  });

  it("are deleted once it was said what that means, and nothing else is", async () => {
    const { page } = await opened.open("/lugares");
    await page.getByRole("button", { name: "Borrar Planta 2" }).click();
    const dialog = page.getByRole("dialog", { name: "¿Borrar el dispositivo Planta 2?" });
    await dialog.getByText("Sus registros de ventas se conservan todos.").waitFor();
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    expect(await devices()).to.have.length(2);
    await page.getByRole("button", { name: "Borrar Planta 2" }).click();
    await dialog.getByRole("button", { name: "Borrar Planta 2" }).click();
    await page.getByRole("rowheader", { name: "Planta 2" }).waitFor({ state: "detached" });
    expect((await devices()).map(({ name }) => name)).to.deep.equal(["Pasillo A"]);
    // The keyboard goes on from the row beside it; from the heading, where there is none.
    await focused(page.getByRole("button", { name: "Cambiar Pasillo A" }));

    await page.getByRole("button", { name: "Borrar Clínica del Norte" }).click();
    const confirm = page.getByRole("dialog", { name: "¿Borrar el lugar Clínica del Norte?" });
    await confirm.getByText(/Su dispositivo no se borra/).waitFor();
    await confirm.getByRole("button", { name: "Borrar Clínica del Norte" }).click();
    await page.getByRole("heading", { name: "Sin lugar conocido" }).waitFor();
    await page.getByRole("rowheader", { name: "Pasillo A" }).waitFor();
    await focused(page.getByRole("heading", { level: 1 }));
    expect(await devices()).to.have.length(1);
  });

  it("say what to do when something was deleted meanwhile", async () => {
    const { page } = await opened.open("/lugares", { language: "en" });
    await page.getByRole("button", { name: "Change Pasillo A" }).click();
    const dialog = page.getByRole("dialog");
    await opened.send("DELETE", "/api/device?dId=7234", {});
    await dialog.getByLabel("Name", { exact: true }).fill("Corridor A");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is not there any more", { exact: false }).waitFor();
  });

  it("say what to do where no answer comes and no connection breaks", async () => {
    const { page } = await opened.open("about:blank");
    await page.clock.install();
    await page.goto("/lugares");
    await page.getByRole("button", { name: "Añadir lugar" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nombre").fill("Clínica Este");
    await page.route("**/api/location", () => {});
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Crear" }).click();
    await sent;
    await page.clock.fastForward(MINUTE_MS);
    await dialog.getByText("El equipo no contesta. Compruebe la red y", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Crear" }).waitFor();
  });

  it("are made once where the answer is lost and the button is pressed again", async () => {
    const { page } = await opened.open("/lugares");
    /** The service makes it, and its answer does not arrive. */
    const loseAnswer = (path: string) =>
      page.route(`**${path}`, async (route) => {
        if (route.request().method() !== "POST") return route.fallback();
        await opened.send("POST", path, route.request().postDataJSON());
        await route.abort();
      });
    const dialog = page.getByRole("dialog");
    const pressTwice = async () => {
      await dialog.getByRole("button", { name: "Crear" }).click();
      await dialog.getByText("El equipo no contesta.", { exact: false }).waitFor();
      await dialog.getByRole("button", { name: "Crear" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await loseAnswer("/api/location");
    await page.getByRole("button", { name: "Añadir lugar" }).first().click();
    await dialog.getByLabel("Nombre").fill("Clínica Oeste");
    await pressTwice();
    expect((await names()).filter((name) => name === "Clínica Oeste")).to.have.length(1);

    await loseAnswer("/api/device");
    await page.getByRole("button", { name: "Añadir dispositivo en Clínica Oeste" }).click();
    await dialog.getByLabel("Nombre", { exact: true }).fill("Pasillo W");
    await dialog.getByLabel("Número del dispositivo").fill("7299");
    await dialog.getByLabel("Primera").fill("901");
    await dialog.getByLabel("Cuántas").fill("2");
    await pressTwice();
    await page.getByRole("rowheader", { name: "Pasillo W" }).waitFor();
  });
});
