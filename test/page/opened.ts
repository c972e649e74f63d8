import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BrowserContext, Locator, Page } from "playwright-core";
import type { Role } from "../../src/domain/member.ts";
import { CHECKOUT, PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { sharedBrowser } from "./browser.ts";

export type Language = "es" | "en";

/** A phone, a tablet, a desktop. */
export const WIDTHS = [320, 768, 1440] as const;
export const LANGUAGES = ["es", "en"] as const satisfies readonly Language[];
export const EMAIL = "ana@example.org";
/** For mocha: what one test or hook that drives a browser may take. */
export const PAGE_TEST_MS = 120_000;

/** Each view with its path, and what is there once it is. */
export const VIEWS = {
  panel: { path: "/", ready: ".chart" },
  rooms: { path: "/habitaciones", ready: ".tile" },
  records: { path: "/registros", ready: ".record" },
  report: { path: "/informe", ready: ".report-table" },
  settlement: { path: "/liquidacion", ready: ".report-table" },
  prices: { path: "/precios", ready: ".row-do" },
  notices: { path: "/avisos", ready: ".sink-actions" },
  lines: { path: "/lineas", ready: ".row-do" },
  locations: { path: "/lugares", ready: ".row-do" },
  commission: { path: "/puesta-en-marcha", ready: ".commission-begin" },
  state: { path: "/estado", ready: ".part" },
  people: { path: "/personas", ready: ".row-do" },
  guide: { path: "/guia", ready: ".step-card" },
  self: { path: "/mi-cuenta", ready: ".rules" },
  unknown: { path: "/nada", ready: "h1" },
} as const;

const HEIGHT = 900;
/** Characters of a page. */
const MAX_PRINTED = 4_000;
export const TIME_ZONE = "Europe/Madrid";

export interface PageOptions {
  readonly width?: number;
  readonly language?: Language;
  readonly colorScheme?: "light" | "dark";
  /** Of the browser's machine; the clinic's without it. */
  readonly timeZone?: string;
  readonly hasTouch?: boolean;
  /** False: without a session. */
  readonly isSignedIn?: boolean;
}

let built: Promise<unknown> | undefined;

/** Once for all suites of a run. */
export function buildPage(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, [join(CHECKOUT, "scripts", "build-web.ts")]);
  return built;
}

interface OpenedOptions {
  /** Without one the first user is the test's own to make. */
  readonly withUser?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real service over HTTPS with a first user, and a browser that opens pages of it. */
export class OpenedService {
  /** The session of the first user; empty before there is one. */
  cookie = "";
  #appliance: Program | undefined;
  #service: RunningService | undefined;
  #pages: OpenedPage[] = [];

  /** Builds the page, starts the service, and makes the first user. */
  async start({ withUser = true, environment = {} }: OpenedOptions = {}): Promise<this> {
    await buildPage();
    this.#appliance = await Program.make({ FLANCO_TIME_ZONE: TIME_ZONE, ...environment });
    this.#service = await this.#appliance.start();
    if (withUser) this.cookie = await this.#service.makeFirstUser();
    return this;
  }

  get appliance(): Program {
    if (this.#appliance === undefined) throw new Error("the service was not started");
    return this.#appliance;
  }

  get service(): RunningService {
    if (this.#service === undefined) throw new Error("the service was not started");
    return this.#service;
  }

  get origin(): string {
    return `https://localhost:${this.appliance.httpsPort}`;
  }

  /** Starts the service anew on the same data and ports, once it has ended. */
  async startAgain(): Promise<void> {
    this.#service = await this.appliance.start();
  }

  /** Closes every page that was opened. Throws when a script failed or a policy stopped something. */
  async closePages(): Promise<void> {
    const pages = this.#pages;
    this.#pages = [];
    await Promise.all(pages.map((page) => page.close()));
  }

  /** Prints what each open page says: why a test failed is often written there. */
  async printPages(): Promise<void> {
    for (const { page } of this.#pages) {
      if (page.isClosed()) continue;
      console.log(`    ${page.url()}\n${(await page.locator("body").innerText()).slice(0, MAX_PRINTED)}`);
    }
  }

  /** Opens a page at a path. `closePages` fails for whatever goes wrong in its script. */
  async open(path: string, look: PageOptions = {}): Promise<OpenedPage> {
    const {
      width = 1440,
      language = "es",
      colorScheme = "light",
      isSignedIn = true,
      timeZone = TIME_ZONE,
      hasTouch = false,
    } = look;
    const browser = await sharedBrowser();
    const context = await browser.newContext({
      baseURL: this.origin,
      locale: language === "es" ? "es-ES" : "en-GB",
      timezoneId: timeZone,
      colorScheme,
      hasTouch,
      reducedMotion: "reduce",
      viewport: { width, height: HEIGHT },
    });
    if (isSignedIn) await context.addCookies(sessionCookies(this.cookie, this.origin));
    const opened = new OpenedPage(context, await context.newPage());
    this.#pages.push(opened);
    await opened.page.goto(path);
    return opened;
  }

  /** Asks the API as the first user; throws for any answer but a success. */
  async get<T>(path: string): Promise<T> {
    const answer = await this.service.get(path, this.cookie);
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { readonly data: T }).data;
  }

  /** Sends to the API as the first user; throws for any answer but a success. */
  async send(method: "DELETE" | "PATCH" | "POST" | "PUT", path: string, body: unknown): Promise<void> {
    const answer = await this.service.send(method, path, body, this.cookie);
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  }

  /** Adds a member who has chosen a password; gives the cookie of a session. */
  async addMember(name: string, role: Role): Promise<string> {
    const email = `${role}@example.org`;
    const invited = await this.service.post("/api/member", { member: { name, email, role } }, this.cookie);
    const { data } = (await invited.json()) as { readonly data: { readonly token: string } };
    await this.service.post("/api/link", { token: data.token, password: PASSWORD });
    return this.service.signIn(email, PASSWORD);
  }

  /** Sets the level of a simulated line. */
  drive(line: string, level: boolean): Promise<void> {
    return this.send("POST", "/api/line/drive", { line, level });
  }

  async close(): Promise<void> {
    await this.closePages();
    await this.#appliance?.close();
  }
}

/** One service for the tests of a suite, whose pages are closed after each test. `prepare` runs once it has started. */
export function suiteService(
  opening: OpenedOptions = {},
  prepare: (opened: OpenedService) => Promise<void> = async () => {},
): OpenedService {
  const opened = new OpenedService();
  before(async () => prepare(await opened.start(opening)));
  after(() => opened.close());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") await opened.printPages();
    await opened.closePages();
  });
  return opened;
}

/** A page in a browser of its own: no cookie and no storage but its own. */
export class OpenedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong in its script. */
  readonly errors: string[] = [];

  constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("console", (message) => {
      // A policy that stops something says so here.
      if (message.type() === "error" && message.text().includes("Content Security Policy")) {
        this.errors.push(message.text());
      }
    });
  }

  /** Closes it; throws when its script failed or its policy stopped something. */
  async close(): Promise<void> {
    await this.context.close();
    if (this.errors.length > 0) throw new Error(`The page failed: ${this.errors.join("; ")}`);
  }
}

/** Fills the sign-in form and sends it. */
export async function signIn(page: Page, language: Language = "es"): Promise<void> {
  const words =
    language === "es"
      ? { email: "Correo electrónico", password: "Contraseña", enter: "Entrar" }
      : { email: "E-mail", password: "Password", enter: "Sign in" };
  await page.getByLabel(words.email).fill(EMAIL);
  await page.getByLabel(words.password, { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: words.enter, exact: true }).click();
}

/** Waits until the keyboard is there. */
export async function focused(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(":focus")).waitFor();
}

/** The session's, and the mark that the page sets beside it. */
function sessionCookies(cookie: string, url: string) {
  const split = cookie.indexOf("=");
  const session = { name: cookie.slice(0, split), value: cookie.slice(split + 1), url, secure: true };
  return [
    { ...session, httpOnly: true },
    { name: "flanco_visitor", value: "1", url, secure: true },
  ];
}
