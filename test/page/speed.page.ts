import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { CHECKOUT } from "../cli/program.ts";
import { OpenedService, PAGE_TEST_MS, WIDTHS } from "./opened.ts";

const MAX_BYTES = 120 * 1024;
const THROTTLE = 4;
const LIMIT_MS = 1_000;
const MS_PER_SECOND = 1_000;
const OPENINGS = 5;
const QUIET_MS = 400;
const VIEWS = [
  "/",
  "/habitaciones",
  "/registros",
  "/informe",
  "/lugares",
  "/lineas",
  "/estado",
  "/guia",
] as const;

describe("The page's weight", () => {
  it(`is at most ${MAX_BYTES / 1024} KiB compressed, all of it`, () => {
    const folder = join(CHECKOUT, "dist", "web");
    const files = ["index.html", ...readdirSync(join(folder, "assets")).map((file) => join("assets", file))];
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
    console.log(`      ${(bytes / 1024).toFixed(1)} KiB`);
    expect(bytes).to.be.lessThan(MAX_BYTES);
  });
});

describe("The page's speed", function () {
  this.timeout(PAGE_TEST_MS);
  let opened: OpenedService;

  before(async () => {
    opened = await OpenedService.start({ environment: { FLANCO_DEMO: "true" } });
  });
  after(() => opened.close());

  it(`takes less than ${LIMIT_MS} ms of a processor ${THROTTLE} times slower until it is there to use`, async () => {
    const busy: number[] = [];
    const usable: number[] = [];
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      const shown = await opened.open("about:blank");
      const session = await shown.context.newCDPSession(shown.page);
      // Its own time alone: what other programs take of this machine is not the page's.
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      await session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
      await shown.page.goto("/");
      usable.push(await usableAfterMs(shown.page));
      const { metrics } = await session.send("Performance.getMetrics");
      busy.push((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * MS_PER_SECOND);
      await shown.close();
    }
    const list = (times: readonly number[]) => times.map((ms) => ms.toFixed(0)).join(", ");
    console.log(`      usable after ${list(usable)} ms, of them busy for ${list(busy)} ms`);
    expect(Math.min(...busy))
      .to.be.greaterThan(0)
      .and.lessThan(LIMIT_MS);
  });

  for (const width of WIDTHS) {
    it(`moves nothing while it comes, and fits: ${width} px`, async () => {
      for (const view of VIEWS) {
        const shown = await opened.open("/nada", { width });
        await shown.page.addInitScript(`
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
          }).observe({ type: "layout-shift", buffered: true });
        `);
        await shown.page.goto(view);
        await settled(shown.page);
        expect(await shown.page.evaluate<number>("window.shift"), view).to.be.lessThan(0.005);
        const [needed = 0, there = 0] = await shown.page.evaluate<number[]>(
          "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
        );
        expect(needed, view).to.be.at.most(there);
        await shown.close();
      }
    });
  }
});

/** Waits until the view is live and every request but the live one has been answered for a while. */
async function settled(page: Page): Promise<void> {
  await page.locator("h1").waitFor();
  await page.locator(".live-pill-live").waitFor({ state: "attached" });
  await page.evaluate(`new Promise((resolve) => {
    const look = () => { const ends = performance.getEntriesByType("resource").map((entry) => entry.responseEnd);
    if (performance.now() - Math.max(...ends) > ${QUIET_MS}) resolve();
    else requestAnimationFrame(look);
  }; look(); })`);
}

/** Milliseconds from the navigation until the figures stand and a press on them is answered. */
function usableAfterMs(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(".figure-value") === null) return requestAnimationFrame(look);
      // The main thread is free again once this task is run.
      setTimeout(() => resolve(performance.now()));
    };
    look();
  })`);
}
