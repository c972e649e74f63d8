import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Role } from "../../src/domain/member.ts";
import { FilledSuite } from "./filled.ts";
import { LANGUAGES, VIEWS } from "./opened.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WALK_MS = 600_000;
const SHORT = process.env["FLANCO_PAGE"] === "short";
const ALL_WIDTHS = SHORT ? [320, 768, 1440] : [320, 390, 768, 1440, 1920];
const [NARROWEST = 320] = ALL_WIDTHS;
/** As most have. */
const PHONE = 360;
const HEIGHT = 900;
/** What the rules of accessibility are checked at: the narrowest and the usual, on both grounds. */
const CHECKED: Readonly<Record<number, readonly ("light" | "dark")[]>> = SHORT
  ? { 320: ["light"], 1440: ["dark"] }
  : { 320: ["light", "dark"], 1440: ["light", "dark"] };
/** The short form checks those rules in one language: texts are what differs between the two. */
const CHECKED_LANGUAGES: readonly string[] = SHORT ? ["es"] : LANGUAGES;
/** Where this names a folder, a picture of each state at each width is put there, to be looked at. */
const PICTURES = process.env["FLANCO_PICTURES"];
/** Letters of the longest word of the page's own texts, at least. */
const LONGEST_WORD = 20;
/** What no line ends between: a letter, a digit, a sign within a number. */
const LETTER = "[\\p{L}\\p{N}.,:]";
/** A name without a space, so that no line of it can break. */
const LONG = "x".repeat(100);
const HIGHEST_PRICE = 9_999_999.99;

interface State {
  readonly name: string;
  readonly path: string;
  /** What is there once the view is. */
  readonly ready: string;
  /** Leads from the view to the state. Buttons are named by their classes and icons: it runs in both languages. */
  readonly enter?: (page: Page) => Promise<void>;
}

const press = (selector: string) => (page: Page) => page.locator(selector).first().click();
const inDialog = (selector: string) => async (page: Page) => {
  await press(selector)(page);
  await page.locator("dialog[open]").waitFor();
};
/** Opens a dialog, and sends its form without a word in it. */
const inEmptyForm = (selector: string) => async (page: Page) => {
  await inDialog(selector)(page);
  await page.locator("dialog [type=submit]").click();
  await page.locator("dialog [aria-invalid=true]").first().waitFor();
};
const person = (icon: number) => inDialog(`tr:last-child .row-do button:nth-of-type(${icon})`);

/** How a device in the clinic reaches a gateway of the longest name. */
const REACH = {
  page: `https://${"a".repeat(63)}.local:8443`,
  trust: `http://${"a".repeat(63)}.local:8080/confianza`,
};

/** The link of the last person, from a gateway that opens on itself alone or is reached so by others. */
function linkOf(reach: Readonly<Record<keyof typeof REACH, string | null>>): (page: Page) => Promise<void> {
  return async (page) => {
    const json = { status: "success", data: { token: "VwXEHwguUW3-4R1_BoLC5Q", reach } };
    await page.route("**/api/member/link", (route) => route.fulfill({ json }));
    await person(2)(page);
    await page.locator("dialog .button-main").click();
    await page.locator("dialog code").first().waitFor();
    expect(await page.locator("dialog .qr").count()).to.equal(reach.page === null ? 0 : 2);
    await page.unroute("**/api/member/link");
  };
}

/** A button by the beginning of its name in either language. */
const labelled = (es: string, en: string) => `:is([aria-label^="${es}"], [aria-label^="${en}"])`;

/** A view as it comes, or a state of it. */
function of(view: keyof typeof VIEWS, state: Partial<State> = {}): State {
  return { name: view, ...VIEWS[view], ...state };
}

/** Every view and its states, by the role that sees it. */
function statesOf(role: Role, month: string): readonly State[] {
  const report = of("report", { path: `/informe?month=${month}` });
  switch (role) {
    case "owner":
      return [
        of("panel"),
        of("panel", { name: "panel-year", path: "/?period=year" }),
        of("panel", {
          name: "panel-menu",
          enter: async (page) => {
            if (await page.locator(".nav-more button").isVisible()) await inDialog(".nav-more button")(page);
          },
        }),
        of("rooms"),
        of("rooms", { name: "room-history", enter: inDialog(".tile-link") }),
        of("records"),
        of("records", { name: "records-none", path: "/registros?room=zzz", ready: ".nothing" }),
        of("records", { name: "record", enter: inDialog(".record button, button.record") }),
        report,
        of("report", { name: "report-empty", path: "/informe?month=2020-01", ready: ".report" }),
        of("locations"),
        of("locations", { name: "location-new", enter: inDialog(".view-actions button") }),
        of("locations", { name: "location-remove", enter: inDialog(labelled("Borrar", "Delete")) }),
        of("locations", {
          name: "device-wrong",
          enter: inEmptyForm(labelled("Añadir dispositivo", "Add device")),
        }),
        of("lines"),
        of("lines", { name: "wire", enter: inDialog(labelled("Conectar la línea", "Wire line")) }),
        of("lines", { name: "unwire", enter: inDialog(labelled("Desconectar", "Unwire")) }),
        of("lines", { name: "prices", enter: inDialog(".panel-head .button-quiet") }),
        of("commission"),
        of("state"),
        of("state", {
          name: "sink-wrong",
          ready: ".sink-actions",
          enter: inEmptyForm(labelled("Configurar: Correo", "Set up: E-mail")),
        }),
        of("state", {
          name: "notices",
          ready: ".sink-actions",
          enter: inDialog(labelled("Configurar: Avisos", "Set up: Notices")),
        }),
        of("people"),
        of("people", { name: "invite", enter: inDialog(".view-actions button") }),
        of("people", { name: "invite-wrong", enter: inEmptyForm(".view-actions button") }),
        of("people", { name: "change", enter: person(1) }),
        of("people", { name: "link-ask", enter: person(2) }),
        of("people", { name: "link-here", enter: linkOf({ page: null, trust: null }) }),
        of("people", { name: "link", enter: linkOf(REACH) }),
        of("people", { name: "sign-out", enter: person(3) }),
        of("people", { name: "remove", enter: person(4) }),
        of("guide"),
        of("self"),
        of("unknown"),
        // From here on a room is under test, which every view says.
        of("commission", {
          name: "under-test",
          enter: async (page) => {
            await page.locator(".commission-begin summary").click();
            await page.locator(".room-choice [type=checkbox]").nth(1).check();
            await page.locator(".commission-begin [type=submit]").click();
            await page.locator(".under-test").waitFor();
          },
        }),
        of("panel", { name: "panel-under-test", ready: ".under-test" }),
        of("rooms", { name: "rooms-under-test", ready: ".under-test" }),
        of("commission", {
          name: "paused",
          ready: ".under-test",
          enter: async (page) => {
            await page.locator(".under-test button").click();
            await page.locator(".notice.is-warn form").waitFor();
          },
        }),
        of("commission", {
          name: "given-up",
          ready: ".commission-end",
          enter: async (page) => {
            await inDialog(".commission-end .button-quiet")(page);
            await page.locator("dialog [type=submit]").click();
            await page.locator(".commission-begin").waitFor();
          },
        }),
      ];
    case "staff":
      return [of("panel"), of("rooms"), of("records"), report, of("self")];
    case "technician":
      return [
        ...[of("lines"), of("rooms"), of("locations"), of("state"), of("self")],
        of("commission", {
          name: "commission-round",
          enter: async (page) => {
            await page.locator(".commission-begin [type=submit]").click();
            await page.locator(".commission-card").waitFor();
          },
        }),
        of("commission", {
          name: "commission-report",
          ready: ".commission-card",
          enter: async (page) => {
            await inDialog(".commission-end .button")(page);
            await page.locator("dialog input").last().fill("Dr. Mora");
            await page.locator("dialog [type=submit]").click();
            await page.locator(".acceptance").waitFor();
          },
        }),
      ];
    case "display":
      return [of("rooms"), of("self")];
  }
}

/** Before the session. */
const SIGN_IN: readonly State[] = [
  { name: "sign-in", path: "/", ready: "form", enter: press("details summary") },
  { name: "first-run", path: "/primer-uso#AAAAAAAAAAAAAAAAAAAAAA", ready: ".rules" },
  { name: "link-choose", path: "/enlace#AAAAAAAAAAAAAAAAAAAAAA/eva@example.org", ready: ".rules" },
  { name: "link-dead", path: "/enlace", ready: "h1" },
];

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
    for (const role of ["staff", "technician", "display"] as const) {
      cookies.set(role, await opened.addMember(`${role} ${LONG}`, role));
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
    for (const role of ["owner", "staff", "technician", "display"] as const) {
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
  const controls = [...around.querySelectorAll(".button, .input")].filter((control) => !control.closest(".record-fresh"));
  const places = controls.map((control) => control.getBoundingClientRect());
  return places.flatMap((one, index) => places.slice(index + 1).flatMap((other, after) => {
    const [width, height] = [
      Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    ];
    return width > 1 && height > ${MOST_OVERLAP} ? [controls[index].outerHTML + controls[index + 1 + after].outerHTML] : [];
  }));
})().join()`;

async function expectSound(page: Page, state: State, who: string, language: string): Promise<void> {
  const { name, path, ready, enter } = state;
  const what = `${who}-${language}-${name}`;
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
    const grounds = CHECKED_LANGUAGES.includes(language) ? CHECKED[width] : [];
    for (const colorScheme of grounds ?? []) {
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
