import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Overview } from "../../src/web/api/shapes.ts";
import { elementTexts } from "../../src/web/messages/element.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { guideTexts } from "../../src/web/messages/guide.ts";
import { linesTexts } from "../../src/web/messages/lines.ts";
import { locationsTexts } from "../../src/web/messages/locations.ts";
import { panelTexts } from "../../src/web/messages/panel.ts";
import { recordsTexts } from "../../src/web/messages/records.ts";
import { roomsTexts } from "../../src/web/messages/rooms.ts";
import { firstRunTexts, signInTexts } from "../../src/web/messages/sign-in.ts";
import { PASSWORD } from "../rig/program.ts";
import {
  EMAIL,
  focused,
  LANGUAGES,
  type Language,
  type OpenedPage,
  OpenedService,
  signIn,
  WIDTHS,
} from "./opened.ts";
import { expectPanel, formatOf } from "./panel-figures.ts";

const LOCATION = "Clínica Norte";
/** Wired in their order to the lines SIM0, SIM1 and SIM2. */
const ROOMS = ["101", "102", "103"] as const;
const PRICE = { es: "3,50", en: "3.50" } as const;
const SOLD = 3.5;

/** In the short form the two that have least in common. */
const TOLD: readonly { readonly language: Language; readonly width: number }[] =
  process.env["FLANCO_PAGE"] === "short"
    ? [
        { language: "es", width: Math.min(...WIDTHS) },
        { language: "en", width: Math.max(...WIDTHS) },
      ]
    : LANGUAGES.flatMap((language) => WIDTHS.map((width) => ({ language, width })));

for (const { language, width } of TOLD) {
  // One service and one page, from the first link on: each part goes on where the one before has ended.
  describe(`The page's whole story, ${language}, ${width} px wide`, () => {
    tell(language, width);
  });
}

function tell(language: Language, width: number): void {
  const words = {
    signIn: signInTexts[language].labels,
    element: elementTexts[language],
    firstRun: firstRunTexts[language],
    frame: frameTexts[language],
    guide: guideTexts[language],
    lines: linesTexts[language],
    panel: panelTexts[language],
    locations: locationsTexts[language],
    records: recordsTexts[language],
    rooms: roomsTexts[language],
  };
  const format = formatOf(language);
  let opened: OpenedService;
  let shown: OpenedPage;
  let page: Page;

  before(async () => {
    opened = await new OpenedService().start({ withUser: false });
    const address = `/primer-uso#${opened.service.firstRunToken ?? ""}`;
    shown = await opened.open(address, { language, width, isSignedIn: false });
    ({ page } = shown);
  });
  after(async () => {
    await shown?.close();
    await opened?.close();
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const heading = (level: number, name: string) => page.getByRole("heading", { level, name, exact: true });
  const overview = (period: "week" | "year") => opened.get<Overview>(`/api/overview?period=${period}`);

  it("begins at the one-time link, with the first user", async () => {
    await field(words.firstRun.name).fill("Ana");
    await field(words.signIn.email).fill(EMAIL);
    await field(words.signIn.password).fill(PASSWORD);
    await field(words.firstRun.again).fill(PASSWORD);
    await button(words.firstRun.save).click();
    await heading(1, words.guide.title).waitFor();
    expect(page.url()).to.not.contain(opened.service.firstRunToken ?? "-");
    opened.cookie = await opened.service.signIn(EMAIL, PASSWORD);
  });

  it("is led to the first location, the first device, its rooms in a row, and their lines", async () => {
    const { device, lines, done, next } = words.guide;
    await button(next).click();
    // The first thing that is missing has the keyboard.
    await focused(field(words.locations.name));
    await field(words.locations.name).fill(LOCATION);
    await button(next).click();
    await heading(2, device.title).waitFor();
    await field(words.locations.deviceName).fill("Pasillo A");
    await field(words.locations.dId).fill("7234");
    await field(words.locations.first).fill(ROOMS[0]);
    await field(words.locations.count).fill(String(ROOMS.length));
    await button(next).click();
    await field(words.lines.priceField).fill(PRICE[language]);
    await button(lines.connect(String(ROOMS.length))).click();
    await heading(2, done.title).waitFor();
    await page.getByRole("link", { name: done.toRooms }).click();
    await page.locator(".tile").first().waitFor();
    expect(await page.locator(".tile").count()).to.equal(ROOMS.length);
  });

  it("lights a room's tile as its relay goes high, and counts one sale", async () => {
    const tile = page.locator(".tile").first();
    await tile.getByText(words.element.off, { exact: true }).waitFor();
    await page.locator(".tag-live").waitFor({ state: "attached" });
    await opened.drive("SIM0", true);
    await tile.getByText(words.element.on, { exact: true }).waitFor();
    await tile.getByText(words.rooms.today("1")).waitFor();
    expect(await opened.get("/api/data?period=semanal")).to.include({ totalRevenue: SOLD, totalSales: 1 });
    await opened.drive("SIM0", false);
    await tile.getByText(words.element.off, { exact: true }).waitFor();
  });

  it("shows on the panel what the API sums up, for the week and for the year", async () => {
    await page.goto("/");
    await expectPanel(page, await overview("week"), format);
    expect(await overview("week")).to.include({ sales: 1, revenue: SOLD });
    await page.getByRole("radio", { name: words.panel.year }).check();
    await heading(2, words.panel.chart.year).waitFor();
    await expectPanel(page, await overview("year"), format);
  });

  it("asks for the password again when the session has ended, and goes on where one was", async () => {
    await page.goto("/habitaciones");
    await page.locator(".tile").first().waitFor();
    // Another window of the same browser signs out: the server ends the session for both.
    await page.evaluate(() =>
      fetch("/api/logout", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
    );
    await page.getByText(words.signIn.ended).waitFor();
    await signIn(page, language);
    await heading(1, words.rooms.title).waitFor();
    expect(new URL(page.url()).pathname).to.equal("/habitaciones");
  });

  it("says that it is not live while the network is gone or the server is, and comes back with what happened", async () => {
    const tile = page.locator(".tile").nth(1);
    const lost = page.locator(".toast").getByText(/^(Sin conexión en directo|No live connection)\. /);
    const isOn = tile.getByText(words.element.on, { exact: true });
    const live = page.locator(".tag-live");
    await live.waitFor({ state: "attached" });
    await page.context().setOffline(true);
    await lost.waitFor();
    await opened.drive("SIM1", true);
    expect(await isOn.count()).to.equal(0);
    await page.context().setOffline(false);
    await isOn.waitFor();
    await live.waitFor({ state: "attached" });

    await opened.service.end("SIGTERM");
    await lost.waitFor();
    await opened.startAgain();
    await opened.drive("SIM1", false);
    await tile.getByText(words.element.off, { exact: true }).waitFor();
    await live.waitFor({ state: "attached" });
  });

  it("opens without the server, says why it shows nothing, and goes on once it is back", async () => {
    // Once it has been open beside the server for a moment, which it was not for sure in what was tried before.
    await page.reload();
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await opened.service.end("SIGTERM");
    await page.goto("/registros");
    await page.getByText(words.frame.live.unreachable).waitFor();
    await opened.startAgain();
    await heading(1, words.records.title).waitFor();
  });

  it("ends at the sign-in, and the back button shows nothing; after the sign-in the page opens the view of the address", async () => {
    const leave = button(words.frame.signOut);
    if (!(await leave.first().isVisible())) await button(words.frame.nav.more).click();
    await leave.and(page.locator(":visible")).first().click();
    await heading(1, words.signIn.signInTitle).waitFor();
    expect(await page.context().cookies()).to.deep.equal([]);
    await page.goBack().catch(() => null);
    await heading(1, words.signIn.signInTitle).waitFor();
    await page.goto("/estado");
    await signIn(page, language);
    await page.locator(".part").first().waitFor();
    expect(new URL(page.url()).pathname).to.equal("/estado");
  });
}
