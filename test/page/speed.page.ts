import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { SECOND_MS } from "../../src/domain/clock.ts";
import { CHECKOUT } from "../rig/program.ts";
import { OpenedService, suiteService, VIEWS, WIDTHS } from "./opened.ts";

/** Settlements, prices, notices, refunds and paid time have views of their own, which are fetched after the first. */
const SHORT = process.env["FLANCO_PAGE"] === "short";
const MAX_BYTES = 137 * 1024;
const THROTTLE = 4;
/** Of each, one after the other: whatever else the machine does meanwhile meets both. */
const OPENINGS = 5;
/**
 * What the page may cost, in references. On a machine of two cores that had much else to do, its processor slowed
 * down four times, a reference took 0.55 s at its quickest, and the page 0.9 to 1.5 references: two are about 1.1 s.
 */
const LIMIT = 2;
const QUIET_MS = 400;
const { panel, rooms, records, report, locations, lines, state, guide } = VIEWS;
const MEASURED = [panel, rooms, records, report, locations, lines, state, guide];

describe("The page's weight", () => {
  it(`is at most ${MAX_BYTES / 1024} KiB compressed, all of it`, () => {
    const folder = join(CHECKOUT, "dist", "web");
    const files = ["index.html", ...readdirSync(join(folder, "assets")).map((file) => join("assets", file))];
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
    console.log(`      ${(bytes / 1024).toFixed(1)} KiB`);
    expect(bytes).to.be.lessThan(MAX_BYTES);
  });
});

describe("The page's speed", () => {
  const opened = suiteService({ environment: { FLANCO_DEMO: "true" } });

  it(`costs a slow processor at most ${LIMIT} times a small page of known work, until it is there to use`, async () => {
    const page: number[] = [];
    const reference: number[] = [];
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      reference.push(await busyMs(opened, REFERENCE, usedUp));
      page.push(await busyMs(opened, null, usable));
    }
    // Each opening beside the reference of the same moment; the middle one of them.
    const ratios = page.map((ms, opening) => ms / (reference[opening] ?? 0)).toSorted((a, b) => a - b);
    const ratio = ratios[OPENINGS >> 1] ?? Number.POSITIVE_INFINITY;
    const list = (times: readonly number[]) => times.map((ms) => ms.toFixed(0)).join(", ");
    console.log(
      `      ${ratio.toFixed(2)} references: busy for ${list(page)} ms, the reference for ${list(reference)} ms`,
    );
    expect(Math.min(...reference)).to.be.greaterThan(0);
    expect(ratio).to.be.greaterThan(0).and.lessThan(LIMIT);
  });

  it("asks for each thing once, of its own gateway alone, until it is live", async () => {
    const still = await new OpenedService().start();
    for (const { path } of MEASURED) {
      const shown = await still.open("about:blank");
      const asked: URL[] = [];
      shown.page.on("request", (request) => asked.push(new URL(request.url())));
      await shown.page.goto(path);
      await settled(shown.page);
      const own = asked.filter(({ protocol }) => protocol !== "data:");
      expect(new Set(own.map(({ origin }) => origin)), path).to.deep.equal(new Set([still.origin]));
      // The rooms' last edges are the status's to tell: their view asks for it whenever it is entered.
      const isFree = ({ pathname }: URL) => path === rooms.path && pathname === "/api/status";
      const hrefs = own.filter((url) => !isFree(url)).map(({ href }) => href);
      expect(hrefs, path).to.deep.equal([...new Set(hrefs)]);
      await shown.close();
    }
    await still.close();
  });

  it("writes nothing to the console at the sign-in", async () => {
    const shown = await opened.open("about:blank", { isSignedIn: false });
    const said: string[] = [];
    shown.page.on("console", (message) => said.push(message.text()));
    await shown.page.goto("/");
    await shown.page.getByRole("heading", { level: 1, name: "Iniciar sesión" }).waitFor();
    await shown.page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    expect(said).to.deep.equal([]);
    await shown.close();
  });

  for (const width of SHORT ? [Math.min(...WIDTHS), Math.max(...WIDTHS)] : WIDTHS) {
    it(`moves nothing while it comes, and fits: ${width} px`, async () => {
      for (const { path } of MEASURED) {
        const shown = await opened.open("/nada", { width });
        await shown.page.addInitScript(`
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
          }).observe({ type: "layout-shift", buffered: true });
        `);
        await shown.page.goto(path);
        await settled(shown.page);
        expect(await shown.page.evaluate<number>("window.shift"), path).to.be.lessThan(0.005);
        const [needed = 0, there = 0] = await shown.page.evaluate<number[]>(
          "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
        );
        expect(needed, path).to.be.at.most(there);
        await shown.close();
      }
    });
  }
});

/** Waits until the view is live and every request but the live one has been answered for a while. */
async function settled(page: Page): Promise<void> {
  await page.locator("h1").waitFor();
  await page.locator(".tag-live").waitFor({ state: "attached" });
  await page.evaluate(`new Promise((resolve) => {
    const look = () => { const ends = performance.getEntriesByType("resource").map((entry) => entry.responseEnd);
    if (performance.now() - Math.max(...ends) > ${QUIET_MS}) resolve();
    else requestAnimationFrame(look);
  }; look(); })`);
}

/** Two hundred rows of text and a second's arithmetic of a slow processor, made by its own script. */
const REFERENCE = `<!doctype html><html lang="es"><title>Reference</title>
<style>td { padding: 4px 8px; border: 1px solid #ccc } tr:nth-child(odd) td { font-weight: 600 }</style>
<table></table><script>
  const table = document.querySelector("table");
  for (let row = 0; row < 200; row += 1) {
    const cells = table.insertRow();
    for (let column = 0; column < 4; column += 1) cells.insertCell().textContent = row + " · " + column * row;
  }
  let sum = 1;
  for (let round = 0; round < 4e6; round += 1) sum = (Math.imul(sum, 1103515245) + round) | 0;
  table.dataset.sum = String(sum);
</script>`;

/** Processor milliseconds of the page's main thread for one cold opening of the panel, or of another document in its place. */
async function busyMs(
  opened: OpenedService,
  document: string | null,
  done: (page: Page) => Promise<void>,
): Promise<number> {
  const shown = await opened.open("about:blank");
  const session = await shown.context.newCDPSession(shown.page);
  // Its own time alone: what other programs take of this machine is not the page's.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  if (document !== null) {
    await shown.page.route("/", (route) => route.fulfill({ contentType: "text/html", body: document }));
  }
  await shown.page.goto("/");
  await done(shown.page);
  const { metrics } = await session.send("Performance.getMetrics");
  await shown.close();
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * SECOND_MS;
}

/** Resolves once the figures stand and the frame that shows them was drawn. */
async function usable(page: Page): Promise<void> {
  await page.locator(".figure-value").first().waitFor();
  await drawn(page);
}

async function usedUp(page: Page): Promise<void> {
  await page.locator("table[data-sum]").waitFor();
  await drawn(page);
}

async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
}
