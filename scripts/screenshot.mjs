// Takes the README's pictures of the page from the running program: starts it with the demo's simulated
// lines on a data directory of its own, makes the first user through the page, waits for live sales beside
// those that the demonstration has, and saves docs/images/panel.png and rooms-phone.png. CHROMIUM names the
// browser where it is not Debian's.
//
//   node scripts/screenshot.mjs
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { requireRuntime } from "../bin/runtime.mjs";

requireRuntime();
const { CHROMIUM_ARGUMENTS, chromiumProgram } = await import("./chromium.ts");
const { freePort } = await import("./ports.ts");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const images = join(root, "docs", "images");
const PASSWORD = "una clave de prueba";
const WAIT_MS = 180_000;
const START_MS = 30_000;

const data = await mkdtemp(join(tmpdir(), "flanco-screenshot-"));
await finish(spawn(process.execPath, [join(root, "scripts", "build-web.mjs")], { stdio: "inherit" }));
const service = spawn(
  join(root, "node_modules", ".bin", "node"),
  [join(root, "bin", "flanco.mjs"), "serve"],
  {
    env: {
      ...process.env,
      FLANCO_DATA_DIR: data,
      FLANCO_HOST: "127.0.0.1",
      FLANCO_HTTP_PORT: String(await freePort()),
      FLANCO_HTTPS_PORT: String(await freePort()),
      FLANCO_GPIO_DRIVER: "simulated",
      FLANCO_TIME_ZONE: "Europe/Madrid",
    },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const browser = await chromium.launch({
  executablePath: chromiumProgram(),
  args: [...CHROMIUM_ARGUMENTS],
});
try {
  const link = await firstRunLink();
  await mkdir(images, { recursive: true });
  const context = await browser.newContext({
    locale: "es-ES",
    timezoneId: "Europe/Madrid",
    colorScheme: "light",
    deviceScaleFactor: 1.5,
    viewport: { width: 1360, height: 1000 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await makeFirstUser(page, link);
  await page.getByRole("link", { name: "Panel", exact: true }).click();
  await page.locator(".latest-sale").nth(5).waitFor({ timeout: WAIT_MS });
  await page.locator(".now-room-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.screenshot({ path: join(images, "panel.png") });
  await page.getByRole("link", { name: "Habitaciones", exact: true }).click();
  await page.locator(".tile-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(images, "rooms-phone.png") });
  console.log(`saved panel.png and rooms-phone.png in ${join("docs", "images")}`);
} finally {
  await browser.close();
  service.kill("SIGTERM");
  await finish(service);
  await rm(data, { recursive: true, force: true });
}

/** Reads the one-time link for this machine from what the service prints. */
async function firstRunLink() {
  const lines = createInterface({ input: service.stdout });
  const timer = setTimeout(() => service.kill("SIGTERM"), START_MS);
  try {
    for await (const line of lines) {
      const link = /http:\/\/localhost\S*\/primer-uso#\S+/.exec(line)?.[0];
      if (link !== undefined) return link;
    }
  } finally {
    clearTimeout(timer);
    service.stdout.resume();
  }
  throw new Error("the service printed no first-run link");
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} link
 */
async function makeFirstUser(page, link) {
  await page.goto(link);
  await page.getByLabel("Su nombre").fill("Ana Robles");
  await page.getByLabel("Correo electrónico").fill("ana@clinica.es");
  await page.getByLabel("Contraseña", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repita la contraseña").fill(PASSWORD);
  await page.getByRole("button", { name: "Crear la cuenta" }).click();
  await page.getByRole("heading", { name: "Todo listo" }).waitFor();
  await page.getByText("En directo", { exact: true }).waitFor();
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<void>} once it has ended
 */
function finish(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}
