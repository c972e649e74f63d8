import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Overview } from "../../src/web/api/shapes.ts";
import { createFormat, type Format } from "../../src/web/format/format.ts";
import { type Language, TIME_ZONE } from "./opened.ts";

/** Compares all figures and all bars with the API's. */
export async function expectPanel(
  page: Page,
  { spans, chart, revenue }: Overview,
  format: Format,
): Promise<void> {
  await page.locator(".figures").waitFor();
  const values = await page.locator(".figure-value").allInnerTexts();
  expect(values.map(plain)).to.deep.equal(spans.map((span) => plain(format.money(span.revenue))));
  expect(plain(await page.locator(".chart-steps b").innerText())).to.equal(plain(format.money(revenue)));
  const bars = await page
    .locator(".chart-bar")
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label") ?? ""));
  expect(bars.length).to.equal(chart.length);
  for (const [index, entry] of chart.entries()) {
    if (entry.sales > 0) expect(plain(bars[index] ?? "")).to.contain(plain(format.money(entry.revenue)));
  }
}

/** As the page writes amounts and dates in a language. */
export function formatOf(language: Language): Format {
  return createFormat(language === "es" ? "es-ES" : "en-GB", TIME_ZONE, { code: "EUR", decimals: 2 });
}

/** With plain spaces: languages write different ones between a number and its unit. */
export function plain(text: string): string {
  return text.replace(/\s/g, " ");
}
