// Takes the README's pictures of the page from the running program: starts it with the demo's simulated
// lines on a data directory of its own, makes the first user through the page, gives it a year of made-up
// sales, waits for live ones, and saves docs/images/panel.png, rooms.png and rooms-phone.png. CHROMIUM
// names the browser where it is not Debian's.
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
const DAYS = 330;
const DAY_MS = 86_400_000;
const SALES_A_DAY = 7;
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
  await page.evaluate(sellForAYear, { days: DAYS, dayMs: DAY_MS, salesADay: SALES_A_DAY });
  await page.getByRole("link", { name: "Panel", exact: true }).click();
  await page.locator(".latest-sale").nth(5).waitFor({ timeout: WAIT_MS });
  await page.locator(".now-room-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.screenshot({ path: join(images, "panel.png") });
  await page.getByRole("link", { name: "Habitaciones", exact: true }).click();
  await page.locator(".tile-on").nth(2).waitFor({ timeout: WAIT_MS });
  await page.screenshot({ path: join(images, "rooms.png") });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(images, "rooms-phone.png") });
  console.log(`saved panel.png, rooms.png and rooms-phone.png in ${join("docs", "images")}`);
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
 * Posts sales of the days before today, by the API, from within the page.
 * @param {{ days: number, dayMs: number, salesADay: number }} plan
 */
async function sellForAYear({ days, dayMs, salesADay }) {
  /** @typedef {{ _id: string, dId: string, name: string, locationName: string, actuators: { id: string }[] }} Device */
  const answer = /** @type {{ data: Device[] }} */ (await (await fetch("/api/device")).json());
  const devices = answer.data;
  /** @param {number} day @param {number} number */
  const sale = (day, number) => {
    // Spread without chance, so that the picture is the same each time.
    const turn = (day * 7 + number * 13) % 29;
    const device = devices[turn % devices.length];
    if (device === undefined) throw new Error("the demonstration has no device");
    return {
      locationName: device.locationName,
      deviceName: device.name,
      deviceId: device._id,
      habitacion: device.actuators[turn % device.actuators.length]?.id,
      valor: device.dId === "7234" ? 4 : 5.5,
      createdTime: Date.now() - day * dayMs - turn * 600_000,
    };
  };
  for (let day = 1; day <= days; day += 1) {
    const count = salesADay + ((day * 5) % 9) - Math.floor(day / 60);
    const sales = Array.from({ length: Math.max(2, count) }, (_, number) => sale(day, number));
    const headers = { "content-type": "application/json" };
    await Promise.all(
      sales.map((body) => fetch("/api/data", { method: "POST", headers, body: JSON.stringify(body) })),
    );
  }
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<void>} once it has ended
 */
function finish(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}
