// Takes the README's pictures of the page from the program: serves the demonstration, waits for live sales beside those that it
// begins with, and saves docs/images/panel.png and rooms-phone.png.
//
//   npm run -s build:web && node scripts/screenshot.ts
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { CHECKOUT, Program } from "../test/rig/program.ts";
import { CHROMIUM_ARGUMENTS, chromiumProgram } from "./chromium.ts";

const IMAGES = join(CHECKOUT, "docs", "images");
const WAIT_MS = 180_000;
const ZONE = "Europe/Madrid";

const program = await Program.make({ FLANCO_DEMO: "true", FLANCO_TIME_ZONE: ZONE });
const browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_ARGUMENTS] });
try {
  const service = await program.start();
  const [name = "", value = ""] = (await service.makeFirstUser()).split("=");
  const url = `http://localhost:${program.httpPort}/`;
  mkdirSync(IMAGES, { recursive: true });
  const context = await browser.newContext({
    locale: "es-ES",
    timezoneId: ZONE,
    colorScheme: "light",
    reducedMotion: "reduce",
    deviceScaleFactor: 1.5,
    viewport: { width: 1360, height: 1000 },
  });
  // The session, and the mark that the page sets beside it.
  await context.addCookies([
    { name, value, url },
    { name: "flanco_visitor", value: "1", url },
  ]);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(".latest-sale").nth(5).waitFor({ timeout: WAIT_MS });
  await page.locator(".now-room-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.screenshot({ path: join(IMAGES, "panel.png") });
  await page.getByRole("link", { name: "Habitaciones", exact: true }).click();
  await page.locator(".tile-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(IMAGES, "rooms-phone.png") });
} finally {
  await browser.close();
  await program.close();
}
