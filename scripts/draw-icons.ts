// Draws the page's PNG icons from src/web/icon/icon.svg with Chromium, once: they are small, seldom change,
// and lie beside it, so that building the page needs no browser.
//
//   node scripts/draw-icons.ts
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumProgram } from "./chromium.ts";
import { runCommand } from "./command.ts";
import { installFor } from "./debian.ts";

const folder = join(import.meta.dirname, "..", "src", "web", "icon");
const GROUND = "#0a5a50";
// A maskable icon may be cut to a circle of four fifths of it, and Apple's to a square with round corners.
const ICONS = [
  { name: "icon-192", size: 192, isWhole: false },
  { name: "icon-512", size: 512, isWhole: false },
  { name: "maskable-512", size: 512, isWhole: true },
  { name: "apple-touch", size: 180, isWhole: true },
];

installFor("icons");
const svg = await readFile(join(folder, "icon.svg"), "utf8");
const browser = await chromium.launch({
  executablePath: chromiumProgram(),
  args: [...CHROMIUM_ARGUMENTS],
});
try {
  for (const { name, size, isWhole } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const ground = isWhole ? GROUND : "transparent";
    const scale = isWhole ? 0.8 : 1;
    await page.setContent(
      `<style>html,body{margin:0;background:${ground}}svg{display:block;width:100vw;height:100vh;transform:scale(${scale})}</style>${svg}`,
    );
    const file = join(folder, `${name}.png`);
    await page.screenshot({ omitBackground: true, path: file });
    // Two colours and the shades between them: a palette halves the file.
    runCommand(["pngquant", "--strip", "--speed", "1", "--force", "--output", file, "64", file]);
    await page.close();
  }
} finally {
  await browser.close();
}
