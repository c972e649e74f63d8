import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Role } from "../../src/domain/member.ts";
import { VIEWS } from "./opened.ts";

/** A name without a space, so that no line of it can break. */
export const LONG = "x".repeat(100);

/** Something of the page that a walk looks at. */
export interface State {
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
    const json = { status: "success", data: { token: "VwXEHwguUW3-4R1_BoLC5Q", key: null, reach } };
    await page.route("**/api/member/link", (route) => route.fulfill({ json }));
    await person(2)(page);
    await page.locator("dialog .button-main").click();
    await page.locator("dialog code").first().waitFor();
    expect(await page.locator("dialog .qr").count()).to.equal(reach.page === null ? 0 : 2);
    await page.unroute("**/api/member/link");
  };
}

/** A program's key, of a gateway that others reach by the longest name, with its example. */
async function keyOf(page: Page): Promise<void> {
  const json = { status: "success", data: { token: null, key: "VwXEHwguUW3-4R1_BoLC5Q", reach: REACH } };
  await page.route("**/api/member", (route) =>
    route.request().method() === "POST" ? route.fulfill({ json }) : route.fallback(),
  );
  await inDialog(".view-actions button")(page);
  await page.locator("dialog select").selectOption("program");
  await page.locator("dialog input").first().fill(`Relé ${LONG}`);
  await page.locator("dialog [type=submit]").click();
  await page.locator("dialog summary").click();
  await page.locator("dialog pre").waitFor();
  await page.unroute("**/api/member");
}

/** A button by the beginning of its name in either language. */
const labelled = (es: string, en: string) => `:is([aria-label^="${es}"], [aria-label^="${en}"])`;

/** A view as it comes, or a state of it. */
function of(view: keyof typeof VIEWS, state: Partial<State> = {}): State {
  return { name: view, ...VIEWS[view], ...state };
}

/** Every view and its states, by the role that sees it. `month` is one with trouble, as 2026-11. */
export function statesOf(role: Role, month: string): readonly State[] {
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
        of("settlement"),
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
        of("prices"),
        of("prices", { name: "prices-change", enter: inDialog(".view-actions button") }),
        of("prices", { name: "prices-of-room", enter: inDialog(".row-do button") }),
        of("commission"),
        of("state"),
        of("notices", { name: "notices-open", enter: press("summary") }),
        of("notices", {
          name: "sink-wrong",
          enter: inEmptyForm(labelled("Configurar: Correo", "Set up: E-mail")),
        }),
        of("notices", {
          enter: inDialog(labelled("Configurar: Avisos", "Set up: Notices")),
        }),
        of("people"),
        of("people", { name: "invite", enter: inDialog(".view-actions button") }),
        of("people", { name: "invite-wrong", enter: inEmptyForm(".view-actions button") }),
        of("people", { name: "change", enter: person(1) }),
        of("people", { name: "link-ask", enter: person(2) }),
        of("people", { name: "link-here", enter: linkOf({ page: null, trust: null }) }),
        of("people", { name: "link", enter: linkOf(REACH) }),
        of("people", { name: "key", enter: keyOf }),
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
      return [of("panel"), of("rooms"), of("records"), report, of("settlement"), of("self")];
    case "accountant":
      return [of("panel"), of("records"), report, of("settlement"), of("self")];
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
    case "program":
      return [];
  }
}

/** Before the session. */
export const SIGN_IN: readonly State[] = [
  { name: "sign-in", path: "/", ready: "form", enter: press("details summary") },
  { name: "first-run", path: "/primer-uso#AAAAAAAAAAAAAAAAAAAAAA", ready: ".rules" },
  { name: "link-choose", path: "/enlace#AAAAAAAAAAAAAAAAAAAAAA/eva@example.org", ready: ".rules" },
  { name: "link-dead", path: "/enlace", ready: "h1" },
];
