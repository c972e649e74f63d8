import { expect } from "chai";
import { DAY_MS } from "../../src/domain/clock.ts";
import type { Status } from "../../src/web/api/shapes.ts";
import { FilledSuite } from "./filled.ts";
import { VIEWS } from "./opened.ts";
import { plain } from "./panel-figures.ts";
import { greatestDifference, printed } from "./printed.ts";

const { panel, rooms, records, prices, locations, lines, commission, notices, state, people } = VIEWS;
const YEAR = { ...panel, path: "/?period=year" };
/** Of a colour's 255 steps: Chromium rounds the edge of a curve differently from time to time. */
const ROUNDING = 1;
const PRINTED = [
  ...[panel, YEAR, rooms, records, prices, locations],
  ...[lines, commission, notices, state, people],
];

describe("The printed pages", () => {
  const suite = new FilledSuite({ sales: 1_500, days: 80, voided: 2, withTrouble: true, rooms: 15 });
  const { opened } = suite;

  for (const { path, ready } of PRINTED) {
    it(`of ${path} begin on the first one, are numbered, and hold every word`, async () => {
      const { page } = await opened.open(path);
      await page.locator(ready).first().waitFor();
      const paper = await printed(page);
      expect(paper).to.contain(await page.locator("h1").innerText());
      expect(paper).to.contain("SIMULADO");
      expect(paper, "what is done to a row").not.to.contain("Acciones");
    });
  }

  it("of many rooms have the whole moment since which each is off, the day too", async () => {
    const { page } = await opened.open("about:blank");
    await page.route("**/api/status", async (route) => {
      const { clock, ...status } = await opened.get<Status>("/api/status");
      const data = { ...status, clock: { ...clock, nowMs: clock.nowMs + DAY_MS } };
      await route.fulfill({ json: { status: "success", data } });
    });
    await page.goto(rooms.path);
    const since = page.locator(".tile-since time", { hasText: "," }).first();
    const text = plain(await since.innerText());
    expect(await printed(page)).to.contain(text);
  });

  it("flow as one column of blocks, which every browser breaks well, and end with their text", async () => {
    const { page } = await opened.open("/personas");
    await page.locator(people.ready).first().waitFor();
    await page.emulateMedia({ media: "print" });
    const display = await page.evaluate<string>('getComputedStyle(document.querySelector(".view")).display');
    expect(display, "Firefox leaves the first page empty before a grid, and cuts its rows").to.equal("block");
    const around = await page.locator("body").boundingBox();
    expect(around?.height, "a second page, empty, would follow").to.be.below(
      page.viewportSize()?.height ?? 0,
    );
  });

  it("have the word that all is simulated inside its frame", async () => {
    const { page } = await opened.open("/");
    await page.emulateMedia({ media: "print" });
    const frame = page.locator(".simulated");
    const [around, word] = [await frame.boundingBox(), await frame.locator("p").boundingBox()];
    expect(word?.height).to.be.at.most(around?.height ?? 0);
  });

  it("of the panel name its filter, and have its figures, its places and its latest sales", async () => {
    const { page } = await opened.open("/?location=Cl%C3%ADnica+Norte");
    await page.locator(".latest-sale").first().waitFor();
    const parts = page.locator("h1, .figure-value, .location-sum b, .latest-room, .latest-money");
    const shown = await parts.allInnerTexts();
    expect(shown[0]).to.equal("Panel: Clínica Norte");
    expect(shown.length).to.be.above(10);
    const paper = await printed(page);
    for (const text of shown) expect(paper).to.contain(plain(text));
  });

  it("of the records name the filters, and have each record that was drawn, and the sum of all", async () => {
    const { page } = await opened.open("/registros?location=Cl%C3%ADnica+Sur&room=30");
    await page.locator(".record-sum b").waitFor();
    const parts = page.locator(".record-sum, .record-open, .record-number, .record-amount");
    const shown = await parts.allInnerTexts();
    expect(shown.length).to.be.above(60);
    const paper = await printed(page);
    for (const text of ["Clínica Sur", ...shown]) expect(paper).to.contain(plain(text));
    expect(paper).to.match(
      /Registros: Clínica Sur · habitación 30 .*Solo se imprime esta página\..* 1 a 100; cuentan \d+ de \d+\./,
    );
    expect(await page.title()).to.equal("Registros Clínica Sur");
  });

  it("look the same from a dark screen", async () => {
    const { page } = await opened.open("/?period=year");
    await page.locator(".latest-sale").first().waitFor();
    await page.locator(".tag-live").waitFor({ state: "attached" });
    // A minute that ends between the two is no difference of the ground.
    await page.clock.setFixedTime(Date.now());
    const pictures: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ media: "print", colorScheme });
      pictures.push((await page.screenshot({ fullPage: true })).toString("base64"));
    }
    expect(await greatestDifference(page, pictures)).to.be.at.most(ROUNDING);
  });
});
