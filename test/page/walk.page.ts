import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Role } from "../../src/domain/member.ts";
import { FilledSuite } from "./filled.ts";
import { LANGUAGES, VIEWS } from "./opened.ts";
import { LONG, SIGN_IN, type State, statesOf } from "./walk-state.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WALK_MS = 600_000;
const SHORT = process.env["FLANCO_PAGE"] === "short";
const ALL_WIDTHS = SHORT ? [320, 1440] : [320, 390, 768, 1440, 1920];
const [NARROWEST = 320] = ALL_WIDTHS;
/** As most have. */
const PHONE = 360;
const HEIGHT = 900;
type Grounds = Readonly<Record<number, readonly ("light" | "dark")[]>>;
/** What the rules of accessibility are checked at: the narrowest and the usual, on both grounds. */
const CHECKED: readonly Grounds[] = SHORT
  ? [{ 320: ["light"] }, { 1440: ["dark"] }]
  : [{ 320: ["light", "dark"], 1440: ["light", "dark"] }];
/** The short form checks those rules at one of these in turns, once a state, for the first who has it, in one language. */
const checkedStates = new Set<string>();

/** Where this names a folder, a picture of each state at each width is put there, to be looked at. */
const PICTURES = process.env["FLANCO_PICTURES"];
/** Letters of the longest word of the page's own texts, at least. */
const LONGEST_WORD = 20;
/** What no line ends between: a letter, a digit, a sign within a number. */
const LETTER = "[\\p{L}\\p{N}.,:]";
const HIGHEST_PRICE = 9_999_999.99;

const WALKING = ["owner", "staff", "accountant", "technician", "display"] as const;

describe("Every view and state, of every role, with sixty rooms and names of a hundred letters", function () {
  this.timeout(WALK_MS);
  const suite = new FilledSuite({
    sales: 1_500,
    days: 80,
    voided: 2,
    withTrouble: true,
    rooms: 15,
    nameEnd: ` ${LONG}`,
  });
  const { opened } = suite;
  const cookies = new Map<Role, string>();
  before(async () => {
    cookies.set("owner", opened.cookie);
    for (const role of WALKING) {
      if (role !== "owner") cookies.set(role, await opened.addMember(`${role} ${LONG}`, role));
    }
    const monthBefore = new Date(`${suite.filled.troubleMonth}-01T12:00:00Z`);
    monthBefore.setUTCMonth(monthBefore.getUTCMonth() - 1);
    for (const createdTime of [Date.now(), monthBefore.getTime()]) await sellAtHighest(suite, createdTime);
  });

  for (const language of LANGUAGES) {
    it(`fits every width, and holds to the rules of accessibility, before the session (${language})`, async () => {
      const { page } = await opened.open("about:blank", { language, isSignedIn: false });
      // Their links are none: where the gateway does not answer, the forms are shown all the same.
      await page.route(/api\/(link|first-run)$/, (route) => route.abort());
      for (const state of SIGN_IN) await expectSound(page, state, "sign-in", language);
    });
    // Where only texts differ, the short form takes the one who sees all of them.
    const walking = SHORT && language === "en" ? (["owner"] as const) : WALKING;
    for (const role of walking) {
      it(`fits every width, and holds to the rules of accessibility, for the role ${role} (${language})`, async () => {
        opened.cookie = cookies.get(role) ?? "";
        const { page } = await opened.open("about:blank", { language });
        for (const state of statesOf(role, suite.filled.troubleMonth)) {
          await expectSound(page, state, role, language);
        }
      });
    }
  }
});

describe("Every view on a phone whose letters are twice as large", () => {
  const suite = new FilledSuite({ sales: 300, days: 40, withTrouble: true });
  const { opened } = suite;
  before(() => sellAtHighest(suite, Date.now()));

  for (const language of LANGUAGES) {
    it(`fits, and the ways to the views stand beside each other (${language})`, async () => {
      const { page } = await opened.open("about:blank", { language, width: PHONE });
      // The browser's own setting, which media queries follow.
      const browser = await page.context().newCDPSession(page);
      await browser.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
      for (const { path, ready } of Object.values(VIEWS)) {
        await page.goto(path);
        await page.locator(ready).first().waitFor();
        expect(await page.evaluate("document.documentElement.scrollWidth"), path).to.equal(PHONE);
        expect(await page.evaluate(WIDENED), path).to.equal("");
        expect(await page.evaluate(CUT), path).to.equal("");
        expect(await page.evaluate(OVERLAPPING_WAYS), path).to.equal("");
      }
    });
  }
});

/** One sale of each device. */
async function sellAtHighest({ opened, filled }: FilledSuite, createdTime: number): Promise<void> {
  for (const { id, name, locationName, rooms } of filled.devices) {
    const place = { locationName, deviceName: name, deviceId: id, habitacion: rooms[0] };
    await opened.send("POST", "/api/data", { ...place, valor: HIGHEST_PRICE, createdTime });
  }
}

/** Cards that something stands out of. */
const WIDENED = `[...document.querySelectorAll(".view, .panel")]
  .filter((card) => card.scrollWidth > card.clientWidth + 1).map((card) => card.className).join()`;

/** What of a record is cut, of what is shown. */
const CUT = `[...document.querySelectorAll(".record > *, .record-number, .record-amount")]
  .filter((cell) => cell.getClientRects().length > 0)
  .filter((cell) => cell.offsetWidth === 0 || cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.className).join()`;

/** What is wider than its place: the page, a dialog's body, the number of a record, a sum. */
const OVERFLOWING = `[document.documentElement, ...document.querySelectorAll(
  ".dialog-body, .panel, .side, .simulated p, .record-id, .record-value, .records thead th, .figure-value")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => element.className || element.tagName).join()`;

/** What holds words of the page itself, numbers and times; and the names of a report, which have words too. */
const UNBROKEN = `.nav-link, button, .tag, thead th, dt, label, h1, h2, .step, time, .short, .whole, .number, .figure-value,
  .verdict-today, .record-time, .record-amount, .report-table th`;

/** Words that are broken in the middle. Names that people gave are longer than these. */
const BROKEN = `[...document.querySelectorAll(\`${UNBROKEN}\`)].flatMap((element) => {
  const words = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    for (const { 0: word, index } of text.data.matchAll(/(?<!${LETTER})${LETTER}{2,${LONGEST_WORD}}(?!${LETTER})/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) words.push(word);
    }
  }
  return words;
}).join()`;

/** Pixels. The grounds of buttons in neighbouring rows, which are not seen, may overlap by so many. */
const MOST_OVERLAP = 4;

/** The ways of a phone's bar that stand on the next one, or over its edge. */
const OVERLAPPING_WAYS = `(() => {
  const ways = [...document.querySelectorAll(".nav :is(a, button) > span:not(.nav-mark)")].filter((way) => way.offsetWidth > 0);
  const edges = [...ways.slice(1).map((way) => way.getBoundingClientRect().left), innerWidth];
  return ways.filter((way, index) => way.getBoundingClientRect().right > edges[index]).map((way) => way.textContent);
})().join()`;

/** Controls that cover each other. */
const OVERLAPPING = `(() => {
  const around = document.querySelector("dialog[open]") ?? document.querySelector("main");
  const controls = [...around.querySelectorAll(".button, .input")]
    // What is folded away has a place all the same.
    .filter((control) => control.checkVisibility() && !control.closest(".record-fresh"));
  const places = controls.map((control) => control.getBoundingClientRect());
  return places.flatMap((one, index) => places.slice(index + 1).flatMap((other, after) => {
    const [width, height] = [
      Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    ];
    return width > 1 && height > ${MOST_OVERLAP} ? [controls[index].outerHTML + controls[index + 1 + after].outerHTML] : [];
  }));
})().join()`;

/** Where the rules of accessibility are checked for a state; the whole form checks all. */
function groundsOf(name: string, who: string, language: string): Grounds {
  const once = SHORT ? name : `${who} ${language} ${name}`;
  if (checkedStates.has(once)) return {};
  checkedStates.add(once);
  return CHECKED[checkedStates.size % CHECKED.length] ?? {};
}

async function expectSound(page: Page, state: State, who: string, language: string): Promise<void> {
  const { name, path, ready, enter } = state;
  const what = `${who}-${language}-${name}`;
  const grounds = groundsOf(name, who, language);
  // A state that a width opens is left with the page.
  await page.goto("about:blank");
  await page.setViewportSize({ width: NARROWEST, height: HEIGHT });
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  await enter?.(page);
  for (const width of ALL_WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    expect(await page.evaluate(OVERFLOWING), `${what} overflows at ${width}`).to.equal("");
    expect(await page.evaluate(BROKEN), `${what} breaks words at ${width}`).to.equal("");
    expect(await page.evaluate(OVERLAPPING), `${what} has controls on each other at ${width}`).to.equal("");
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${what}-${width}.png`) });
    }
    for (const colorScheme of grounds[width] ?? []) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page), `${what} at ${width}, ${colorScheme}`).to.deep.equal([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
  }
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run(document)")) as { violations: readonly Violation[] };
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
}
