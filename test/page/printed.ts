import { execFileSync } from "node:child_process";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { installFor } from "../../scripts/debian.ts";

/** The margin of a printed page at its sides, in points, less a millimetre for rounding. */
const MARGIN_PT = (14 / 25.4) * 72;

/** In points from the page's left edge and its top. */
interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Prints a page and gives all that stands on the paper. Fails unless the pages are numbered, every word is whole and
 * inside the margins, and the first page is more than half full where there is a second.
 */
export async function printed(page: Page): Promise<string> {
  installFor("printed page");
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const layout = execFileSync("pdftotext", ["-bbox", "-", "-"], { input: pdf, encoding: "utf8" });
  const pages = layout.split("<page ").slice(1);
  const texts: string[] = [];
  for (const [index, text] of pages.entries()) {
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(text) ?? [];
    const words = wordsOf(text);
    const [of, slash, number] = [words.pop(), words.pop(), words.pop()];
    expect(`${number?.text}${slash?.text}${of?.text}`).to.equal(`${index + 1}/${pages.length}`);
    const isCut = ({ text, left, right }: Word) =>
      text.endsWith("…") || left < MARGIN_PT || right > Number(width) - MARGIN_PT;
    expect(words.filter(isCut)).to.deep.equal([]);
    if (index === 0 && pages.length > 1) {
      expect(Math.max(...words.map(({ bottom }) => bottom))).to.be.above(Number(height) / 2);
    }
    texts.push(...words.map(({ text }) => text));
  }
  return texts.join(" ");
}

function wordsOf(page: string): Word[] {
  return [
    ...page.matchAll(/<word xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<\/word>/g),
  ].map(([, left, right, bottom, text = ""]) => ({
    text,
    left: Number(left),
    right: Number(right),
    bottom: Number(bottom),
  }));
}

/** By how many of its 255 steps a colour differs at the most between two PNGs of one size, in base64. */
export function greatestDifference(page: Page, pictures: readonly string[]): Promise<number> {
  return page.evaluate<number>(`(async (pictures) => {
    const [one, other] = await Promise.all(pictures.map(async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]));
      const drawing = new OffscreenCanvas(image.width, image.height).getContext("2d");
      drawing.drawImage(image, 0, 0);
      return drawing.getImageData(0, 0, image.width, image.height).data;
    }));
    if (one.length !== other.length) throw new Error("the pictures have two sizes");
    return one.reduce((most, step, index) => Math.max(most, Math.abs(step - other[index])), 0);
  })(${JSON.stringify(pictures)})`);
}
