import { expect } from "chai";
import { createFormat } from "../../src/web/format/format.ts";
import { panelTexts } from "../../src/web/messages/panel.ts";
import { comparisonOf } from "../../src/web/panel/comparison.ts";
import { comparisonText, shortComparisonText } from "../../src/web/panel/comparison-text.ts";

const format = createFormat("es-ES", "Europe/Madrid");
const { compare } = panelTexts.es;

function said(current: number, before: number): string {
  const text = comparisonText(comparisonOf(current, before), compare, compare.week, `${before} €`, format);
  return text.replace(/\s/g, " ");
}

describe("The comparison with the period before", () => {
  it("says more or less in percent", () => {
    expect(said(118, 100)).to.equal("Un 18 % más que en los 7 días anteriores (100 €)");
    expect(said(50, 100)).to.equal("Un 50 % menos que en los 7 días anteriores (100 €)");
  });

  it("says a factor where a percentage says little", () => {
    expect(said(500, 100)).to.equal("5 veces lo de los 7 días anteriores (100 €)");
  });

  it("says that it is the same when it is, to the percent", () => {
    expect(said(1_000, 1_001)).to.equal("Lo mismo que en los 7 días anteriores (1001 €)");
  });

  it("divides by nothing", () => {
    expect(said(5, 0)).to.equal("En los 7 días anteriores no hubo ventas");
    expect(said(0, 0)).to.equal("Tampoco hubo ventas en los 7 días anteriores");
    expect(said(5, -3)).to.equal("En los 7 días anteriores no hubo ventas");
  });

  it("says it in little room beside a figure", () => {
    const short = (current: number, before: number) =>
      shortComparisonText(comparisonOf(current, before), compare, String(before), format).replace(/\s/g, " ");
    expect(short(129, 100)).to.equal("29 % más (antes, 100)");
    expect(short(0, 100)).to.equal("100 % menos (antes, 100)");
    expect(short(3, 0)).to.equal("Antes, ninguna");
  });
});
