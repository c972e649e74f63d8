import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { DAY_MS } from "../../src/domain/clock.ts";
import type { StoredRecord } from "../../src/web/api/shapes.ts";
import { FilledSuite } from "./filled.ts";
import { PAGE_TEST_MS } from "./opened.ts";

/** The short form shares its processors with the faults. */
const SALES = process.env["FLANCO_PAGE"] === "short" ? 50_000 : 100_000;
/** Drawn at once they are the control: a task that is as long as theirs is felt. */
const CONTROL_ROWS = 500;
/** Without its records the view has about 400. */
const MAX_ELEMENTS = 2_000;
const MAX_ROWS = 100;
/** So many pages are watched while they come. */
const WATCHED_PAGES = 20;

describe(`${SALES.toLocaleString("en")} records on the page`, function () {
  this.timeout(2 * PAGE_TEST_MS);
  const suite = new FilledSuite({ sales: SALES, days: 300 });
  const { opened } = suite;

  it("are walked to their end in a bounded page, without a task as long as the drawing of five hundred rows", async () => {
    const opening = await opened.open("/registros");
    const { page } = opening;
    await page.locator(".record").first().waitFor();
    const walk = (pages: number) => page.evaluate<Walk>(`(${WALK})(${pages})`);
    const longest = await longestTaskMs(page, opened.appliance.directory, async () => {
      await walk(WATCHED_PAGES);
    });
    const control = await longestTaskMs(page, opened.appliance.directory, () => page.evaluate(DRAW_ROWS));
    const end = await walk(Number.MAX_SAFE_INTEGER);
    const records = end.records + WATCHED_PAGES * MAX_ROWS;
    console.log(
      `      ${records} records: ${end.rows} rows and ${end.elements} elements at most; longest task ` +
        `${longest.toFixed(1)} ms while pages come, ${control.toFixed(1)} ms for ${CONTROL_ROWS} rows at once (processor time)`,
    );
    expect(records).to.equal(SALES);
    expect(end.rows).to.be.within(10, MAX_ROWS);
    expect(end.elements).to.be.at.most(MAX_ELEMENTS);
    expect(longest).to.be.below(control);
    await opening.close();
  });

  it("are found by a part of a room's number, and by their day, wherever they are", async () => {
    const { page } = await opened.open("/registros");
    await page.getByLabel("Habitación", { exact: true }).fill("20");
    await page.waitForURL(/room=20/);
    await page
      .getByRole("status")
      .getByText(/^Registros 1 a 100$/)
      .waitFor();
    const rooms = await page.locator("th.record-room .record-number").allTextContents();
    expect(rooms.every((room) => room.includes("20"))).to.equal(true);
    // The oldest day, which no one walks to.
    const [oldest] = await opened.get<readonly StoredRecord[]>(`/api/record?limit=1&to=${daysAgo(290)}`);
    if (oldest === undefined) throw new Error("there is no record as old as that");
    await page.goto(`/registros?to=${daysAgo(290)}`);
    await page.getByRole("button", { name: `Registro ${oldest.recordId}: ver más` }).waitFor();
  });
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

interface Walk {
  readonly records: number;
  readonly elements: number;
  readonly rows: number;
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

/** Goes on by so many pages, or to the last; gives the most that the page held meanwhile, and how many records were on those that it came to. */
const WALK = `async (pages) => {
  const [, older] = document.querySelectorAll(".record-foot button");
  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  let [records, elements, rows] = [0, 0, 0];
  const count = () => {
    const here = document.querySelectorAll(".record").length;
    records += here;
    rows = Math.max(rows, here);
    elements = Math.max(elements, document.getElementsByTagName("*").length);
  };
  if (pages > ${WATCHED_PAGES}) count();
  for (let page = 0; page < pages && !older.disabled; page += 1) {
    older.click();
    do await drawn();
    while (document.querySelector(".record-panel").ariaBusy === "true");
    count();
  }
  return { records, elements, rows };
}`;

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
