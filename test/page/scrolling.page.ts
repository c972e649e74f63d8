import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { FilledSuite } from "./filled.ts";
import { PAGE_TEST_MS } from "./opened.ts";

/** The short form shares its processors with the faults. */
const SALES = process.env["FLANCO_PAGE"] === "short" ? 50_000 : 100_000;
/** Drawn at once they are the control: a task that is as long as theirs is felt. */
const CONTROL_ROWS = 500;
/** Without its records the view has about 400. */
const MAX_ELEMENTS = 2_000;
const FRAMES = 150;
/** More than two screens with every frame: quicker than a finger flings. */
const FLING_PIXELS = 2_000;

interface Scrolled {
  readonly records: number;
  readonly elements: number;
  readonly rows: number;
}

/** Back and forth: what another program of this machine makes slow is not slow each time. */
const WAYS = 3;

describe(`${SALES.toLocaleString("en")} records on the page`, function () {
  this.timeout(2 * PAGE_TEST_MS);
  const suite = new FilledSuite({ sales: SALES, days: 300 });
  const { opened } = suite;

  it("scroll to their end and back in a bounded page, without a task as long as the drawing of five hundred rows", async () => {
    const opening = await opened.open("/registros");
    const { page } = opening;
    await page.locator(".record").first().waitFor();
    // Asking for pages is part of scrolling: at first it is watched as it happens.
    const longest = await longestTaskMs(page, opened.appliance.directory, () =>
      scroll(page, FLING_PIXELS, FRAMES),
    );
    const end = (await page.evaluate(TO_THE_END)) as Scrolled;
    const ways: number[] = [];
    for (let way = 1; way <= WAYS; way += 1) {
      const pixels = way % 2 === 0 ? FLING_PIXELS : -FLING_PIXELS;
      ways.push(await longestTaskMs(page, opened.appliance.directory, () => scroll(page, pixels, FRAMES)));
    }
    const back = Math.min(...ways);
    const control = await longestTaskMs(page, opened.appliance.directory, () => page.evaluate(DRAW_ROWS));
    console.log(
      `      ${end.records} records: ${end.rows} rows and ${end.elements} elements at most; longest task ` +
        `${longest.toFixed(1)} ms while pages come, ${back.toFixed(1)} ms among all of them, ` +
        `${control.toFixed(1)} ms for ${CONTROL_ROWS} rows at once (processor time)`,
    );
    expect(end.records).to.equal(SALES);
    expect(end.rows).to.be.within(10, 120);
    expect(end.elements).to.be.at.most(MAX_ELEMENTS);
    expect(longest).to.be.below(control);
    expect(back).to.be.below(control);
    await opening.close();
  });
});

async function scroll(page: Page, pixels: number, frames: number): Promise<void> {
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < ${frames}; frame += 1) {
      scrollBy(0, ${pixels});
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  })()`);
}

/** Draws copies of a row, as a page would that drew them all. */
const DRAW_ROWS = `(() => {
  const row = document.querySelector(".record");
  const rows = row.parentElement.cloneNode();
  for (let count = 0; count < ${CONTROL_ROWS}; count += 1) rows.append(row.cloneNode(true));
  row.parentElement.after(rows);
  rows.getBoundingClientRect();
  rows.remove();
})()`;

/** Scrolls on until no record is left to come; gives the most that the page held meanwhile. */
const TO_THE_END = `(async () => {
  let elements = 0;
  let rows = 0;
  const table = document.querySelector("table.records");
  do {
    scrollTo(0, document.documentElement.scrollHeight);
    await new Promise((drawn) => requestAnimationFrame(drawn));
    elements = Math.max(elements, document.getElementsByTagName("*").length);
    rows = Math.max(rows, document.querySelectorAll(".record").length);
  } while (table.getAttribute("aria-rowcount") === "-1");
  return { records: Number(table.getAttribute("aria-rowcount")) - 1, elements, rows };
})()`;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The longest task of the page's main thread while something is done, in milliseconds of processor time: what
 * else the machine does meanwhile is not the page's.
 */
async function longestTaskMs(page: Page, directory: string, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no browser");
  const path = join(directory, "trace.json");
  await browser.startTracing(page, { path, categories: ["toplevel"] });
  await work();
  // The browser answers from within a task, which is traced when it ends: the next one begins after that.
  await page.evaluate("new Promise((ended) => setTimeout(ended))");
  await browser.stopTracing();
  const { traceEvents } = JSON.parse(await readFile(path, "utf8")) as { traceEvents: readonly TraceEvent[] };
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && main.has(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error("no task was traced");
  return Math.max(...tasks.map(({ tdur }) => (tdur ?? 0) / 1_000));
}
