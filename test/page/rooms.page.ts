import axe from "axe-core";
import { expect } from "chai";
import { until } from "../rig/until.ts";
import { FilledSuite } from "./filled.ts";
import { focused } from "./opened.ts";
import { printed } from "./printed.ts";

describe("Many rooms", () => {
  const { opened } = new FilledSuite({ sales: 20, days: 2 });

  it("are searched for, and how many are found is said", async () => {
    const { page } = await opened.open("/habitaciones");
    for (const [search, said] of [
      ["101", "1 habitación"],
      ["02", "4 habitaciones"],
      ["zzz", "0 habitaciones"],
    ] as const) {
      await page.getByLabel("Buscar habitación").fill(search);
      await page.getByRole("status").getByText(said, { exact: true }).waitFor({ state: "attached" });
      expect(await page.locator(".tile").count()).to.equal(Number(said.split(" ")[0]));
    }
  });

  it("are narrowed down to one place by the address, which the panel's link and a room's history keep", async () => {
    const { page } = await opened.open("/");
    await page.getByLabel("Lugar", { exact: true }).selectOption("Clínica Sur");
    await page.getByRole("link", { name: "Ver todas" }).and(page.locator("[href*='location=']")).waitFor();
    await page.getByRole("link", { name: "Ver habitaciones" }).click();
    const tiles = page.locator(".tile-link");
    await tiles.first().waitFor();
    expect((await tiles.locator(".tile-room").allInnerTexts()).join(" ")).to.match(/301.*408$/s);
    expect(await tiles.count()).to.equal(16);
    await page.getByLabel("Dispositivo", { exact: true }).selectOption({ label: "Pasillo B" });
    await until("one device is shown", async () => (await tiles.count()) === 8);
    await page.reload();
    await tiles.first().click();
    await page
      .getByRole("dialog", { name: "Habitación 401" })
      .getByRole("button", { name: "Cerrar" })
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await tiles.count()).to.equal(8);
    expect(await page.getByLabel("Lugar", { exact: true }).inputValue()).to.equal("Clínica Sur");
  });

  for (const close of ["beside", "button"] as const) {
    it(`whose history is closed by a touch (${close}) are where they were, and the way back leads to the view before`, async () => {
      const { page } = await opened.open("/", { width: 390, hasTouch: true });
      await page.getByRole("link", { name: "Habitaciones" }).first().tap();
      const room = page.locator(".tile-link").last();
      await room.scrollIntoViewIfNeeded();
      const scrolled = await page.evaluate<number>("scrollY");
      expect(scrolled).to.be.above(0);
      await room.tap();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      if (close === "beside") await page.touchscreen.tap(195, 10);
      else await dialog.getByRole("button", { name: "Cerrar" }).tap();
      await dialog.waitFor({ state: "detached" });
      await until("the list is where it was", () => page.evaluate<boolean>(`scrollY === ${scrolled}`));
      await page.goBack();
      await page.locator(".chart").waitFor();
      expect(new URL(page.url()).pathname).to.equal("/");
    });
  }

  for (const width of [360, 1280]) {
    it(`that are on come first where that is chosen, the others stay in their order (${width} pixels)`, async () => {
      const { page } = await opened.open("/habitaciones", { width });
      const names = page.locator(".tile-link");
      await names.first().waitFor();
      const before = await names.allInnerTexts();
      await opened.drive("SIM1", true);
      await page.locator(".tile").nth(1).getByText("Encendida").waitFor();
      await page.getByRole("radio", { name: "Encendidas primero" }).check();
      await page.locator(".tile").first().getByText("Encendida").waitFor();
      expect(await names.count()).to.equal(before.length);
      const roomOf = (text: string) => text.split("\n")[0];
      const after = (await names.allInnerTexts()).map(roomOf);
      const [first, second, ...rest] = before.map(roomOf);
      expect(after).to.deep.equal([second, first, ...rest]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(width);
      await opened.drive("SIM1", false);
      await page.locator(".tile").first().getByText("Apagada").waitFor();
      expect((await names.allInnerTexts()).map(roomOf)).to.deep.equal([first, second, ...rest]);
    });
  }
});

describe("Rooms of many devices on a phone", () => {
  const { opened } = new FilledSuite({ sales: 20, days: 2, rooms: 64 });

  it("are laid out near the screen alone, and all are there to be printed and to be gone to", async () => {
    const { page } = await opened.open("/habitaciones", { width: 320 });
    await page.setViewportSize({ width: 320, height: 400 });
    const last = page.locator(".tile-link").last();
    await last.waitFor({ state: "attached" });
    const isLaidOut =
      "document.querySelector('.device:last-child .tile').checkVisibility({ contentVisibilityAuto: true })";
    expect(await page.evaluate<boolean>(isLaidOut)).to.equal(false);
    expect(await printed(page)).to.include(" 464 ");
    // Of so many with their name and state alone: thousands take a slow tablet seconds.
    const tiles = page.locator(".tile-link");
    expect(await tiles.locator("> *").count()).to.equal(2 * (await tiles.count()));
    await last.press("Enter");
    await page.getByRole("dialog", { name: "Habitación 464" }).waitFor();
    await page.keyboard.press("Escape");
    await focused(last);
    await until("the last device is laid out", () => page.evaluate<boolean>(isLaidOut));
  });
});

interface Tile {
  readonly bottom: number;
  readonly right: number;
  /** Of the number, in pixels. */
  readonly size: number;
}

const TILES = `[...document.querySelectorAll(".tile")].map((tile) => ({
  bottom: tile.getBoundingClientRect().bottom,
  right: tile.getBoundingClientRect().right,
  size: Number.parseFloat(getComputedStyle(tile.querySelector(".tile-room")).fontSize),
}))`;

describe("The board of a screen on a wall, with sixty rooms", () => {
  const { opened } = new FilledSuite({ sales: 20, days: 2, rooms: 15 });
  before(async () => {
    opened.cookie = await opened.addMember("Enfermería", "display");
  });

  for (const [width, height] of [
    [1920, 1080],
    [3840, 2160],
  ] as const) {
    it(`fills the screen, with numbers to be read from afar (${width} x ${height})`, async () => {
      const { page } = await opened.open("/habitaciones", { width });
      await page.setViewportSize({ width, height });
      await page.locator(".tile").first().waitFor();
      const tiles = await page.evaluate<readonly Tile[]>(TILES);
      expect(tiles).to.have.length(60);
      expect(Math.max(...tiles.map(({ bottom }) => bottom))).to.be.within(height * 0.94, height);
      expect(Math.max(...tiles.map(({ right }) => right))).to.be.within(width * 0.95, width);
      expect(Math.min(...tiles.map(({ size }) => size))).to.be.at.least(height / 45);
    });
  }
});

describe("A room that is paid", () => {
  const { opened } = new FilledSuite({ sales: 20, days: 2, rooms: 3 });

  it("says until when, also on a wall, and what is paid moves with its patient", async () => {
    const { page } = await opened.open("/lineas");
    await page.getByRole("button", { name: "Cambiar la línea SIM0", exact: true }).click();
    await page.getByLabel("Tiempo pagado con cada venta").selectOption("24 h");
    await page.getByRole("button", { name: "Guardar" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await opened.drive("SIM0", true);
    await page.goto("/habitaciones");
    const paid = (room: number) =>
      page
        .locator(".tile")
        .nth(room)
        .getByText(/^pagado hasta .*\d\d:\d\d$/);
    await paid(0).waitFor();
    await opened.drive("SIM0", false);
    await page.locator(".tile-link").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.locator(".history-sale").first().getByText("pagado hasta").waitFor();
    await dialog.getByText("Pasar lo pagado a otra habitación").first().press("Enter");
    await dialog.getByRole("button", { name: "Pasar lo pagado" }).click();
    await dialog.getByText("Elija una habitación").last().waitFor();
    await dialog.getByLabel("Habitación a la que se muda").selectOption({ index: 1 });
    const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
    expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).to.deep.equal([]);
    await dialog.getByRole("button", { name: "Pasar lo pagado" }).click();
    await dialog.getByText(/^Lo pagado vale ahora para la habitación \d+\.$/).waitFor();
    await page.keyboard.press("Escape");
    await paid(1).waitFor();
    expect(await page.locator(".tile-paid").count()).to.equal(1);
    opened.cookie = await opened.addMember("Enfermería", "display");
    const wall = (await opened.open("/habitaciones", { width: 1920 })).page;
    await wall.locator(".tile").nth(1).getByText("pagado hasta").waitFor();
    const bar = "getComputedStyle(document.querySelector('.tile-bar')).animationName";
    expect(await wall.evaluate(bar), "a bar that runs down").to.equal("paid-run");
  });
});
