import { join } from "node:path";
import { chromiumProgram } from "../scripts/chromium.ts";
import { ScriptFailure } from "../scripts/command.ts";
import { Chromium } from "./chromium.ts";
import { type Claim, spreadOf } from "./claim.ts";
import { startFilled } from "./fill.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";

const THROTTLE = 4;
const PROMISED_MS = 1_000;
const OPENINGS_PER_PAIR = 3;
/** An opening is over by then, also where it takes four times what is promised. */
const OPENING_MS = 5_000;
const HEADING = '<!doctype html><html lang="es"><title>Flanco</title><h1>Panel</h1>';

/** Milliseconds from the beginning of the navigation. */
interface OpeningTimes {
  readonly paintedMs: number;
  /** From then on no task takes the page's thread for over 50 ms. */
  readonly usableMs: number;
  /** When the largest piece of text was painted: a figure. */
  readonly largestMs: number;
  readonly figures: number;
  /** What the page says, for an opening without figures. */
  readonly text: string;
}

const QUESTION = `new Promise((answer) => {
  const LONG_MS = 50;
  const entries = (type) => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries())).observe({ type, buffered: true });
    setTimeout(done, 500, []);
  });
  Promise.all([entries("longtask"), entries("largest-contentful-paint")]).then(([tasks, largest]) => {
    const paintedMs = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    let usableMs = paintedMs;
    for (const { startTime, duration } of tasks) {
      if (startTime <= usableMs + LONG_MS && startTime + duration > usableMs) usableMs = startTime + duration;
    }
    const figures = document.querySelectorAll(".figure-value").length;
    const text = document.body.innerText.slice(0, 400);
    answer({ paintedMs, usableMs, largestMs: largest.at(-1)?.startTime, figures, text });
  });
})`;

/** How long a first opening ever of the panel takes until it can be used, against what is promised. */
export async function measureOpening(plan: Plan): Promise<Claim> {
  const server = await startFilled(plan, "opened", plan.fewRecords);
  const chromium = await Chromium.launch(chromiumProgram(), join(plan.directory, "chromium"));
  const openings: OpeningTimes[] = [];
  const headings: OpeningTimes[] = [];
  try {
    // The first is of a browser and a service that have just been started themselves: it may take longer.
    await open(chromium, server, panelOf(server));
    for (let turn = 0; turn < plan.pairs; turn += 1) {
      headings.push(await open(chromium, server, `data:text/html,${encodeURIComponent(HEADING)}`));
      for (let number = 0; number < (plan.short ? 1 : OPENINGS_PER_PAIR); number += 1) {
        openings.push(await openPanel(chromium, server));
      }
    }
  } finally {
    await chromium.close();
  }
  await server.stop();
  const empty = openings.filter(({ figures }) => figures === 0);
  const median = (of: readonly OpeningTimes[], figure: "paintedMs" | "largestMs"): string =>
    spreadOf(of.map((opening) => opening[figure])).median.toFixed(0);
  return {
    title: `The first opening ever of the panel until it can be used, Chromium's processor slowed down ${THROTTLE} times`,
    names: ["promised", "taken"],
    unit: "ms",
    target: { bound: "at most", ratio: 1 },
    pairs: openings.map(({ usableMs }) => ({ base: PROMISED_MS, measured: usableMs })),
    notes: [
      `medians: painted after ${median(openings, "paintedMs")} ms, the largest figure after ${median(openings, "largestMs")} ms`,
      `a document of one heading, from nowhere, is painted after ${median(headings, "paintedMs")} ms here`,
      ...empty
        .slice(0, 1)
        .map(
          ({ text }) =>
            `${empty.length} of ${openings.length} had no figures after ${OPENING_MS} ms; the page said: ${text.replaceAll(/\s+/g, " ")}`,
        ),
    ],
  };
}

function panelOf({ port }: Server): string {
  return `http://localhost:${port}/`;
}

/** Without figures it took as long as it was waited for, at least. */
async function openPanel(chromium: Chromium, server: Server): Promise<OpeningTimes> {
  const opening = await open(chromium, server, panelOf(server));
  return opening.figures === 0 ? { ...opening, usableMs: OPENING_MS } : opening;
}

async function open(chromium: Chromium, server: Server, url: string): Promise<OpeningTimes> {
  const opening = (await chromium.visit({
    url,
    cookies: cookiesOf(server),
    throttle: THROTTLE,
    forMs: OPENING_MS,
    question: QUESTION,
  })) as OpeningTimes;
  if (Number.isFinite(opening.usableMs)) return opening;
  throw new ScriptFailure(`nothing was painted of ${url.slice(0, 40)} in ${OPENING_MS} ms`);
}

/** The session, and the cookie that says that there is one: see src/web/session.ts. */
function cookiesOf({ cookie, port }: Server) {
  const url = `http://localhost:${port}`;
  const [name = "", value = ""] = cookie.split("=");
  return [
    { name, value, url },
    { name: "flanco_visitor", value: "1", url },
  ];
}
