import { expect } from "chai";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { focused, LANGUAGES, suiteService, VIEWS, WIDTHS } from "./opened.ts";

const LINKED = ["panel", "rooms", "records", "report", "locations", "lines", "commission", "state"] as const;
/** Those that ask for something of their own; the records say themselves what they wait for. */
const SLOW = [
  "panel",
  "rooms",
  "report",
  "locations",
  "lines",
  "commission",
  "state",
  "people",
  "guide",
] as const;
const PHONE = 320;
const SELDOM_VIEWS = "**/assets/seldom-views-*.js";

/** The height of what stays where it is while the page scrolls, at the page's full width. */
const HEIGHT_OF_BARS = `[...document.querySelectorAll("body *")]
  .filter((element) => ["fixed", "sticky"].includes(getComputedStyle(element).position))
  .filter((element) => element.getClientRects().length > 0 && element.clientWidth > innerWidth / 2)
  .reduce((sum, element) => sum + element.clientHeight, 0)`;

describe("The page's frame", () => {
  const opened = suiteService();

  for (const language of LANGUAGES) {
    for (const width of WIDTHS) {
      it(`leads to every view, and says on each that it is simulated: ${language}, ${width} px`, async () => {
        const { page } = await opened.open("/", { language, width });
        const { nav } = frameTexts[language];
        for (const view of LINKED) {
          const link = page.locator(".nav, .menu").getByRole("link", { name: nav[view], exact: true });
          await page.locator("h1").waitFor();
          if (!(await link.first().isVisible())) {
            await page.getByRole("button", { name: nav.more }).click();
          }
          await link.and(page.locator(":visible")).first().click();
          await page.waitForURL((url) => url.pathname === VIEWS[view].path);
          await page.locator("h1").waitFor();
          expect(await page.locator("h1").count()).to.equal(1);
          // A report's title is the name of the file that it is printed to.
          expect(await page.title()).to.match(view === "report" ? /^\w+ \d{4}-\d{2}/ : /.+ · Flanco$/);
          expect(await page.locator(".nav [aria-current]:visible").count(), view).to.equal(1);
          await page.locator(".simulated strong:visible").waitFor();
        }
      });
    }
  }

  it("says of a view that is on its way that it is, once it is late, and before the session is known", async () => {
    const { page } = await opened.open("about:blank");
    const held = Promise.withResolvers<void>();
    const hold = (pattern: RegExp) =>
      page.route(pattern, async (route) => {
        await held.promise;
        await route.continue();
      });
    const told = page.getByRole("status").getByText("Cargando…");
    await hold(/\/api\/(?!me$|status|event)/);
    for (const view of SLOW) {
      await page.goto(VIEWS[view].path);
      await told.waitFor();
    }
    await hold(/\/api\/me$/);
    await page.goto(VIEWS.people.path);
    await told.waitFor();
    held.resolve();
    await page.locator(VIEWS.people.ready).first().waitFor();
    expect(await told.count()).to.equal(0);
  });

  it("is walked by the keyboard: to the content, and to a view's heading", async () => {
    const { page } = await opened.open("/");
    await page.locator("h1").waitFor();
    await page.keyboard.press("Tab");
    await focused(page.getByRole("link", { name: "Ir al contenido" }));
    await page.getByRole("link", { name: "Registros", exact: true }).first().press("Enter");
    await page.getByRole("heading", { level: 1, name: "Registros" }).waitFor();
    await focused(page.locator("h1"));
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Panel" }).waitFor();
  });

  it("leaves most of the height to the view at 200 % zoom, where the bars that stay would take much of it", async () => {
    const { page } = await opened.open("/registros");
    for (const [width, height] of [
      [640, 450],
      [720, 450],
      [667, 375],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.locator("h1").waitFor();
      const taken = Number(await page.evaluate(HEIGHT_OF_BARS));
      expect(taken / height, `at ${width} x ${height}`).to.be.at.most(0.15);
    }
  });

  it("keeps a dialog's title, and what closes it, in sight however long its form is", async () => {
    for (const width of WIDTHS) {
      const { page } = await opened.open("/avisos", { width });
      await page.setViewportSize({ width, height: 500 });
      await page.getByRole("button", { name: "Configurar: Correo" }).click();
      const dialog = page.getByRole("dialog", { name: "Correo" });
      await dialog.getByRole("button", { name: "Cancelar" }).scrollIntoViewIfNeeded();
      const { y = -1 } = (await dialog.getByRole("button", { name: "Cerrar" }).boundingBox()) ?? {};
      expect(y, `at ${width}`).to.be.at.least(0);
    }
  });

  it("says whose time it shows where the browser has another, and nothing where it has the same", async () => {
    const { page } = await opened.open("/", { timeZone: "Atlantic/Canary" });
    // Quietly: nothing is wrong.
    await page
      .locator(".zone-note.fine")
      .getByText(/^Todas las horas son las de Europe\/Madrid/)
      .waitFor();
    const same = await opened.open("/", { timeZone: "Europe/Paris" });
    await same.page.getByRole("heading", { level: 1, name: "Panel" }).waitFor();
    expect(await same.page.locator(".zone-note").count()).to.equal(0);
    // Also where a minute ends whenever the page looks at its clock.
    await same.page.addInitScript(
      "let looks = 0; const began = Date.now(); Date.now = () => began + 60_000 * looks++;",
    );
    await same.page.reload();
    await same.page.getByRole("heading", { level: 1, name: "Panel" }).waitFor();
    expect(await same.page.locator(".zone-note").count()).to.equal(0);
  });

  it("keeps the keyboard out of the page behind a phone's menu, and gives it back", async () => {
    const { page } = await opened.open("/", { width: PHONE });
    const more = page.getByRole("button", { name: "Más" });
    await more.press("Enter");
    const menu = page.getByRole("dialog");
    await menu.waitFor();
    for (let stop = 0; stop < 12; stop += 1) {
      await page.keyboard.press("Tab");
      // Between its last and its first stop the browser's own buttons may have the keyboard, the page behind never.
      const inMenu = await menu.locator(":focus").count();
      expect(await page.locator(":focus").count()).to.equal(inMenu);
    }
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await focused(more);
  });

  it("changes the language where one is, and remembers it", async () => {
    const { page } = await opened.open("/habitaciones");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Rooms" }).waitFor();
    expect(new URL(page.url()).pathname).to.equal("/habitaciones");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Rooms" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
  });

  it("has every view at hand a moment after it was opened, though an update takes its files away", async () => {
    const { page } = await opened.open("about:blank");
    const views = page.waitForResponse(SELDOM_VIEWS);
    await page.goto("/");
    await (await views).finished();
    await page.route("**/assets/**", (route) => route.abort());
    await page.getByRole("link", { name: "Registros", exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "Registros" }).waitFor();
  });

  it("says so where a view's file does not come, and shows the view once it does", async () => {
    const { page } = await opened.open("about:blank");
    await page.route(SELDOM_VIEWS, (route) => route.abort());
    await page.goto("/registros");
    await page.getByRole("alert").getByText("No se ha podido cargar esta parte de la página.").waitFor();
    await page.unroute(SELDOM_VIEWS);
    await page.getByRole("button", { name: "Reintentar" }).click();
    await page.getByRole("heading", { level: 1, name: "Registros" }).waitFor();
  });

  it("leads back from an address that no view has", async () => {
    const { page } = await opened.open("/nada");
    await page.getByRole("heading", { name: "Esta página no existe" }).waitFor();
    await page.getByRole("button", { name: "Ir al inicio" }).click();
    await page.getByRole("heading", { level: 1, name: "Panel" }).waitFor();
  });

  it("can be installed: its manifest names icons that are there", async () => {
    const html = await (await opened.service.get("/")).text();
    const address = /rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? "";
    const manifest = (await (await opened.service.get(address)).json()) as {
      readonly start_url: string;
      readonly display: string;
      readonly icons: readonly { readonly src: string; readonly sizes: string; readonly type: string }[];
    };
    expect(manifest).to.include({ start_url: "/", display: "standalone" });
    expect(manifest.icons.map((icon) => icon.sizes)).to.include.members(["192x192", "512x512"]);
    for (const { src, type } of manifest.icons) {
      const icon = await opened.service.get(src);
      expect(icon.status, src).to.equal(200);
      expect(icon.headers.get("content-type"), src).to.equal(type);
    }
  });
});
