import { expect } from "chai";
import { PASSWORD } from "../cli/program.ts";
import { EMAIL, focused, LANGUAGES, OpenedService, PAGE_TEST_MS, WIDTHS } from "./opened.ts";

const WORDS = {
  es: {
    name: "Su nombre",
    email: "Correo electrónico",
    password: "Contraseña",
    again: "Repita la contraseña",
    create: "Crear la cuenta",
    guide: "Primeros pasos",
    place: "Nombre del lugar",
    box: "Nombre del dispositivo",
    dId: "Número del dispositivo",
    first: "Primera",
    count: "Cuántas",
    next: "Seguir",
    price: "Precio de una venta",
    inOrder: "Asignar en orden",
    connect: "Conectar 4 líneas",
    done: "Todo listo",
    toRooms: "Ver las habitaciones",
    on: "Encendida",
  },
  en: {
    name: "Your name",
    email: "E-mail",
    password: "Password",
    again: "Password again",
    create: "Make the account",
    guide: "First steps",
    place: "Name of the location",
    box: "Name of the device",
    dId: "Number of the device",
    first: "First",
    count: "How many",
    next: "Continue",
    price: "Price of one sale",
    inOrder: "Assign in order",
    connect: "Wire 4 lines",
    done: "All set",
    toRooms: "See the rooms",
    on: "On",
  },
} as const;

describe("The way from the first link to the first sale", function () {
  this.timeout(PAGE_TEST_MS);
  let opened: OpenedService;

  afterEach(() => opened.close());

  for (const [index, width] of WIDTHS.entries()) {
    const language = LANGUAGES[index % LANGUAGES.length] ?? "es";
    it(`is walked on the page alone: ${language}, ${width} px`, async () => {
      opened = await OpenedService.start({ withUser: false });
      const words = WORDS[language];
      const token = opened.service.firstRunToken ?? "";
      const shown = await opened.open(`/primer-uso#${token}`, { language, width, isSignedIn: false });
      const { page } = shown;
      const field = (name: string) => page.getByLabel(name, { exact: true });
      const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

      await field(words.name).fill("Ana");
      await field(words.email).fill(EMAIL);
      await field(words.password).fill(PASSWORD);
      await field(words.again).fill(PASSWORD);
      await press(words.create);

      await page.getByRole("heading", { level: 1, name: words.guide }).waitFor();
      expect(page.url()).to.not.contain(token);
      await press(words.next);
      // The first thing that is missing has the keyboard.
      await focused(field(words.place));
      await field(words.place).fill("Clínica Norte");
      await press(words.next);

      await field(words.box).fill("Pasillo A");
      await field(words.dId).fill("7234");
      await field(words.first).fill("101");
      await field(words.count).fill("4");
      await press(words.next);

      await press(words.inOrder);
      await field(words.price).fill("3,50");
      await press(words.connect);

      await page.getByRole("heading", { level: 2, name: words.done }).waitFor();
      await page.getByRole("link", { name: words.toRooms }).click();
      const tile = page.locator(".tile").first();
      await tile.waitFor();
      expect(await page.locator(".tile").count()).to.equal(4);

      opened.cookie = await opened.service.signIn(EMAIL, PASSWORD);
      await opened.drive("SIM0", true);
      await tile.getByText(words.on, { exact: true }).waitFor();
      expect(await opened.get("/api/data?period=semanal")).to.include({ totalRevenue: 3.5, totalSales: 1 });
      await shown.close();
    });
  }
});

describe("A first-run link", function () {
  this.timeout(PAGE_TEST_MS);

  it("that was used says so, and leads to sign-in", async () => {
    const opened = await OpenedService.start();
    const shown = await opened.open("/primer-uso#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", {
      isSignedIn: false,
    });
    const { page } = shown;
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
