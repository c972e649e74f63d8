import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Role } from "../../src/domain/member.ts";
import { FilledSuite } from "./filled.ts";
import { LANGUAGES } from "./opened.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WALK_MS = 600_000;
const SHORT = process.env["FLANCO_PAGE"] === "short";
const ALL_WIDTHS = SHORT ? [320, 768, 1440] : [320, 390, 768, 1440, 1920];
const [NARROWEST = 320] = ALL_WIDTHS;
const HEIGHT = 900;
/** What the rules of accessibility are checked at: the narrowest and the usual, on both grounds. */
const CHECKED: Readonly<Record<number, readonly ("light" | "dark")[]>> = SHORT
  ? { 320: ["light"], 1440: ["dark"] }
  : { 320: ["light", "dark"], 1440: ["light", "dark"] };
/** The short form checks those rules in one language: texts are what differs between the two. */
const CHECKED_LANGUAGES: readonly string[] = SHORT ? ["es"] : LANGUAGES;
/** Where this names a folder, a picture of each state at each width is put there, to be looked at. */
const PICTURES = process.env["FLANCO_PICTURES"];
/** A name without a space, so that no line of it can break. */
const LONG = "x".repeat(100);

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
/** Sends a dialog's form without a word in it. */
const sendEmpty = async (page: Page) => {
  await page.locator("dialog [type=submit]").click();
  await page.locator("dialog [aria-invalid=true]").first().waitFor();
};
const person = (icon: number) => inDialog(`tr:last-child .person-do button:nth-of-type(${icon})`);

/** A button by the beginning of its name in either language. */
const labelled = (es: string, en: string) => `:is([aria-label^="${es}"], [aria-label^="${en}"])`;

const SHARED = {
  rooms: { name: "rooms", path: "/habitaciones", ready: ".tile" },
  self: { name: "self", path: "/mi-cuenta", ready: ".rules" },
  panel: { name: "panel", path: "/", ready: ".chart" },
  records: { name: "records", path: "/registros", ready: ".record" },
  lines: { name: "lines", path: "/lineas", ready: ".wired" },
  locations: { name: "locations", path: "/lugares", ready: ".device-row" },
  commission: { name: "commission", path: "/puesta-en-marcha", ready: ".commission-begin" },
  state: { name: "state", path: "/estado", ready: ".part" },
} as const satisfies Readonly<Record<string, State>>;

/** Every view and its states, by the role that sees it. */
function statesOf(role: Role, month: string): readonly State[] {
  const report = { name: "report", path: `/informe?month=${month}`, ready: ".report-table" };
  switch (role) {
    case "owner":
      return [
        SHARED.panel,
        { ...SHARED.panel, name: "panel-year", path: "/?period=year" },
        {
          ...SHARED.panel,
          name: "panel-menu",
          enter: async (page) => {
            if (await page.locator(".nav-more button").isVisible()) await inDialog(".nav-more button")(page);
          },
        },
        SHARED.rooms,
        { ...SHARED.rooms, name: "room-history", enter: inDialog(".tile-link") },
        SHARED.records,
        { ...SHARED.records, name: "records-none", path: "/registros?room=zzz", ready: ".nothing" },
        { ...SHARED.records, name: "record", enter: inDialog(".record button, button.record") },
        report,
        { ...report, name: "report-empty", path: "/informe?month=2020-01", ready: ".report" },
        SHARED.locations,
        { ...SHARED.locations, name: "location-new", enter: inDialog(".view-actions button") },
        { ...SHARED.locations, name: "location-remove", enter: inDialog(labelled("Borrar", "Delete")) },
        {
          ...SHARED.locations,
          name: "device-wrong",
          enter: async (page) => {
            await inDialog(labelled("Añadir dispositivo", "Add device"))(page);
            await sendEmpty(page);
          },
        },
        SHARED.lines,
        { ...SHARED.lines, name: "wire", enter: inDialog(".chip-line:not(.chip-line-used) .button") },
        { ...SHARED.lines, name: "unwire", enter: inDialog(labelled("Desconectar", "Unwire")) },
        { ...SHARED.lines, name: "prices", enter: inDialog(".panel-head .button-quiet") },
        { ...SHARED.lines, name: "test-ask", enter: inDialog(".view-actions button") },
        SHARED.commission,
        SHARED.state,
        {
          ...{ ...SHARED.state, name: "sink-wrong", ready: ".sink-actions" },
          enter: async (page) => {
            await inDialog(labelled("Configurar: Correo", "Set up: E-mail"))(page);
            await sendEmpty(page);
          },
        },
        {
          ...{ ...SHARED.state, name: "notices", ready: ".sink-actions" },
          enter: inDialog(labelled("Configurar: Avisos", "Set up: Notices")),
        },
        { name: "people", path: "/personas", ready: ".person" },
        { name: "invite", path: "/personas", ready: ".person", enter: inDialog(".view-actions button") },
        {
          name: "invite-wrong",
          path: "/personas",
          ready: ".person",
          enter: async (page) => {
            await inDialog(".view-actions button")(page);
            await sendEmpty(page);
          },
        },
        { name: "change", path: "/personas", ready: ".person", enter: person(1) },
        { name: "link-ask", path: "/personas", ready: ".person", enter: person(2) },
        {
          name: "link",
          path: "/personas",
          ready: ".person",
          enter: async (page) => {
            await person(2)(page);
            await page.locator("dialog .button-main").click();
            await page.locator(".qr").waitFor();
          },
        },
        { name: "sign-out", path: "/personas", ready: ".person", enter: person(3) },
        { name: "remove", path: "/personas", ready: ".person", enter: person(4) },
        { name: "guide", path: "/guia", ready: ".step-card" },
        SHARED.self,
        { name: "unknown", path: "/nada", ready: "h1" },
        // From here on a room is under test, which every view says.
        {
          ...SHARED.lines,
          name: "under-test",
          enter: async (page) => {
            await inDialog(".view-actions button")(page);
            await page.locator("dialog [type=checkbox]").nth(1).check();
            await page.locator("dialog [type=submit]").click();
            await page.locator(".under-test").waitFor();
          },
        },
        { ...SHARED.panel, name: "panel-under-test", ready: ".under-test" },
        { ...SHARED.rooms, name: "rooms-under-test", ready: ".under-test" },
        { ...SHARED.lines, name: "tested", ready: ".under-test", enter: press(".under-test button") },
      ];
    case "staff":
      return [SHARED.panel, SHARED.rooms, SHARED.records, report, SHARED.self];
    case "technician":
      return [
        ...[SHARED.lines, SHARED.rooms, SHARED.locations, SHARED.state, SHARED.self],
        {
          ...SHARED.commission,
          name: "commission-round",
          enter: async (page) => {
            await page.locator(".commission-begin [type=submit]").click();
            await page.locator(".commission-card").waitFor();
          },
        },
        {
          ...SHARED.commission,
          name: "commission-report",
          ready: ".commission-card",
          enter: async (page) => {
            await inDialog(".commission-end .button")(page);
            await page.locator("dialog input").last().fill("Dr. Mora");
            await page.locator("dialog [type=submit]").click();
            await page.locator(".acceptance").waitFor();
          },
        },
      ];
    case "display":
      return [SHARED.rooms, SHARED.self];
  }
}

/** Before the session. */
const DOOR: readonly State[] = [
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
  });

  for (const language of LANGUAGES) {
    it(`fits every width, and holds to the rules of accessibility, before the session (${language})`, async () => {
      const { page } = await opened.open("about:blank", { language, isSignedIn: false });
      for (const state of DOOR) await expectSound(page, state, "door", language);
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

/** What is wider than its place: the page, a dialog's body, or the number of a record. */
const OVERFLOWING = `[document.documentElement, ...document.querySelectorAll(".dialog-body, .panel, .simulated p, .record-id")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => element.className || element.tagName).join()`;

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
