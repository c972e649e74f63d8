import { expect } from "chai";
import { FilledSuite } from "./filled.ts";

describe("Many rooms", () => {
  const { opened } = new FilledSuite({ sales: 20, days: 2 });

  for (const width of [360, 1280]) {
    it(`that are on come first where that is chosen, the others stay in their order (${width} pixels)`, async () => {
      const { page } = await opened.open("/habitaciones", { width });
      const names = page.locator(".tile-link");
      await names.first().waitFor();
      const before = await names.allInnerTexts();
      await opened.drive("SIM1", true);
      await page.locator(".tile").nth(1).getByText("Encendida").waitFor();
      await page.getByRole("radio", { name: "Encendidas primero" }).check();
      await page.locator(".tile").first().getByText("Encendida").waitFor();
      expect(await names.count()).to.equal(before.length);
      const roomOf = (text: string) => text.split("\n")[0];
      const after = (await names.allInnerTexts()).map(roomOf);
      const [first, second, ...rest] = before.map(roomOf);
      expect(after).to.deep.equal([second, first, ...rest]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(width);
      await opened.drive("SIM1", false);
      await page.locator(".tile").first().getByText("Apagada").waitFor();
      expect((await names.allInnerTexts()).map(roomOf)).to.deep.equal([first, second, ...rest]);
    });
  }
});
