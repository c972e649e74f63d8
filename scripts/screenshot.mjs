// Takes the README's pictures of the page from the running program: starts it with the demo's simulated
// lines on a data directory of its own, makes the first user through the page, waits for live sales, and
// saves docs/images/home.png and home-phone.png. Needs Chromium (CHROMIUM names it where it is not Debian's).
//
//   node scripts/screenshot.mjs
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const images = join(root, "docs", "images");
const PASSWORD = "una clave de prueba";
const SALES_TO_SHOW = 9;
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
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  // Debian's Chromium has no sandbox for root, which is who runs it in a container.
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const link = await firstRunLink();
  await mkdir(images, { recursive: true });
  const context = await browser.newContext({
    locale: "es-ES",
    timezoneId: "Europe/Madrid",
    colorScheme: "light",
    deviceScaleFactor: 1.5,
    viewport: { width: 1280, height: 1000 },
  });
  const page = await context.newPage();
  await makeFirstUser(page, link);
  await page
    .locator(".sale")
    .nth(SALES_TO_SHOW - 1)
    .waitFor({ timeout: WAIT_MS });
  await page.locator(".tile-on").nth(1).waitFor({ timeout: WAIT_MS });
  await page.screenshot({ path: join(images, "home.png") });
  // Without motion no tile is caught halfway between the colours.
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(images, "home-phone.png") });
  console.log(`saved ${join("docs", "images", "home.png")} and home-phone.png`);
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
  await page.getByText("En directo", { exact: true }).waitFor();
}

/** @returns {Promise<number>} a TCP port that nobody listens on */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<void>} once it has ended
 */
function finish(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}
