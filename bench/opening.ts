import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import type { Claim } from "./claim.ts";
import { BenchFailure } from "./failure.ts";
import { startFilled } from "./filled-flanco.ts";
import type { Plan } from "./plan.ts";
import { spreadOf } from "./ratio.ts";
import type { Server } from "./server.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const THROTTLE = 4;
const PROMISED_MS = 1_000;
/** A new window of Chromium 156 loads parts of itself for three seconds (those of its address bar), beside what it opens. */
const WINDOW_MS = 4_000;
/** A window of the other claims takes as long as a few openings. */
const OPENINGS_PER_PAIR = 3;
const TIMEOUT_MS = 30_000;
const HEADING = '<!doctype html><html lang="es"><title>Flanco</title><h1 class="figure-value">Panel</h1>';

/** Milliseconds from the beginning of the navigation. */
interface Opening {
  readonly paintedMs: number;
  /** From then on no task takes the page's thread for over 50 ms. */
  readonly usableMs: number;
  readonly figuresMs: number;
}

/** Run by the page before its own script: tells all in one line of its console once the figures stand and the thread is free. */
const WATCH = `{
  const LONG_MS = 50, QUIET_MS = 700;
  const tasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, startTime + duration]);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    if (document.querySelector(".figure-value") === null) return requestAnimationFrame(look);
    const figuresMs = performance.now();
    setTimeout(() => {
      const paintedMs = performance.getEntriesByName("first-contentful-paint")[0].startTime;
      let usableMs = paintedMs;
      for (const [from, to] of tasks) if (from <= usableMs + LONG_MS && to > usableMs) usableMs = to;
      console.info(JSON.stringify({ paintedMs, usableMs, figuresMs }));
    }, QUIET_MS);
  };
  requestAnimationFrame(look);
}`;

/** How long a first opening ever of the panel takes until it can be used, against what is promised. */
export async function measureOpening(plan: Plan): Promise<Claim | undefined> {
  if (!existsSync(CHROMIUM)) {
    console.log(`The opening of the page: not measured, there is no ${CHROMIUM} on this machine.\n`);
    return undefined;
  }
  const server = await startFilled(plan, "opened", plan.fewRecords);
  const browser = await launch();
  const openings: Opening[] = [];
  const headings: Opening[] = [];
  // The first is of a browser and a service that have just been started themselves.
  await open(browser, server, null);
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    headings.push(await open(browser, server, HEADING));
    for (let number = 0; number < OPENINGS_PER_PAIR; number += 1) {
      openings.push(await open(browser, server, null));
    }
  }
  await browser.close();
  await server.stop();
  const median = (of: readonly Opening[], figure: keyof Opening): string =>
    spreadOf(of.map((opening) => opening[figure])).median.toFixed(0);
  return {
    title: `The first opening ever of the panel until it can be used, Chromium's processor slowed down ${THROTTLE} times`,
    names: ["promised", "taken"],
    unit: "ms",
    target: { bound: "at most", ratio: 1 },
    pairs: openings.map(({ usableMs }) => ({ base: PROMISED_MS, measured: usableMs })),
    notes: [
      `medians: painted after ${median(openings, "paintedMs")} ms, figures after ${median(openings, "figuresMs")} ms`,
      `a page of one heading is painted after ${median(headings, "paintedMs")} ms here`,
    ],
  };
}

function launch(): Promise<Browser> {
  // Debian's Chromium has no sandbox for root, which is who runs it in a container.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Opens the panel, or another document in its place, in a browser that was never there. */
async function open(browser: Browser, server: Server, document: string | null): Promise<Opening> {
  const origin = `http://localhost:${server.port}`;
  const context = await browser.newContext({ baseURL: origin, locale: "es-ES" });
  try {
    await context.addCookies(cookiesOf(server, origin));
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    if (document !== null) {
      await page.route("/", (route) => route.fulfill({ contentType: "text/html", body: document }));
    }
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
    await page.waitForTimeout(WINDOW_MS);
    return await told(context, () => page.goto("/", { waitUntil: "commit" }));
  } finally {
    await context.close();
  }
}

/** What the page's console says of its opening. Nothing else is asked of the page meanwhile: it would take its time. */
async function told(context: BrowserContext, start: () => Promise<unknown>): Promise<Opening> {
  const message = context.waitForEvent("console", {
    predicate: (said) => said.text().startsWith("{"),
    timeout: TIMEOUT_MS,
  });
  const [said] = await Promise.all([message, start()]);
  const opening = JSON.parse(said.text()) as Opening;
  if (!Object.values(opening).every(Number.isFinite)) {
    throw new BenchFailure(`the page told no times of its opening: ${said.text()}`);
  }
  return opening;
}

/** The session, and the mark that says that there is one: see src/web/session-mark.ts. */
function cookiesOf({ cookie }: Server, url: string) {
  const [name = "", value = ""] = cookie.split("=");
  return [
    { name, value, url },
    { name: "flanco_visitor", value: "1", url },
  ];
}
