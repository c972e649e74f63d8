import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { CHECKOUT, PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { sharedBrowser } from "./browser.ts";

export type Language = "es" | "en";

/** A phone, a tablet, a desktop. */
export const WIDTHS = [320, 768, 1440] as const;
export const LANGUAGES = ["es", "en"] as const satisfies readonly Language[];
export const EMAIL = "ana@example.org";
/** For mocha: what one test or hook that drives a browser may take. */
export const PAGE_TEST_MS = 120_000;

const HEIGHT = 900;
export const TIME_ZONE = "Europe/Madrid";

export interface Look {
  readonly width?: number;
  readonly language?: Language;
  readonly colorScheme?: "light" | "dark";
  /** False: without a session. */
  readonly isSignedIn?: boolean;
}

let built: Promise<unknown> | undefined;

/** Once for all suites of a run. */
function buildPage(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, [join(CHECKOUT, "scripts", "build-web.mjs")]);
  return built;
}

/** The real service over HTTPS with a first user, and a browser that opens pages of it. */
export class OpenedService {
  readonly appliance: Program;
  readonly origin: string;
  service: RunningService;
  /** The session of the first user; empty before there is one. */
  cookie: string;
  readonly #browser: Browser;
  #pages: OpenedPage[] = [];

  private constructor(appliance: Program, service: RunningService, cookie: string, browser: Browser) {
    this.appliance = appliance;
    this.origin = `https://localhost:${appliance.httpsPort}`;
    this.service = service;
    this.cookie = cookie;
    this.#browser = browser;
  }

  /** Builds the page, starts the service, and makes the first user unless that is the test's own. */
  static async start({ withUser = true, environment = {} } = {}): Promise<OpenedService> {
    await buildPage();
    const appliance = await Program.make({ FLANCO_TIME_ZONE: TIME_ZONE, ...environment });
    const service = await appliance.start();
    const cookie = withUser ? await service.makeFirstUser() : "";
    return new OpenedService(appliance, service, cookie, await sharedBrowser());
  }

  /** Closes every page that was opened. Throws when a script failed or a policy stopped something. */
  async closePages(): Promise<void> {
    const pages = this.#pages;
    this.#pages = [];
    await Promise.all(pages.map((page) => page.close()));
  }

  /** Opens a page at a path. `closePages` fails for whatever goes wrong in its script. */
  async open(path: string, look: Look = {}): Promise<OpenedPage> {
    const { width = 1440, language = "es", colorScheme = "light", isSignedIn = true } = look;
    const context = await this.#browser.newContext({
      baseURL: this.origin,
      locale: language === "es" ? "es-ES" : "en-GB",
      timezoneId: TIME_ZONE,
      colorScheme,
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
  async send(method: "POST" | "PUT", path: string, body: unknown): Promise<void> {
    const answer = await fetch(this.service.baseUrl + path, {
      method,
      headers: { "content-type": "application/json", cookie: this.cookie },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  }

  /** Sets the level of a simulated line. */
  drive(line: string, level: boolean): Promise<void> {
    return this.send("POST", "/api/line/drive", { line, level });
  }

  /** Ends the service and starts it anew on the same data and ports. */
  async restart(): Promise<void> {
    await this.service.end("SIGTERM");
    this.service = await this.appliance.start();
  }

  async close(): Promise<void> {
    await this.closePages();
    await this.appliance.close();
  }
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
