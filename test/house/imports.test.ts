import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

/** The folders of `src` by layer: each imports itself and layers before its own, and none beside it. */
const LAYERS = [
  ["domain"],
  ["contract", "platform"],
  ["gpio", "http", "ledger", "net", "notify"],
  ["service"],
  ["cli"],
  ["company"],
  ["main.ts"],
];
/** The page runs in a browser. */
const OF_PAGE = ["contract", "domain", "web"];

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;
const layerOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder));
const folderOf = (path: string) => path.split("/")[0] ?? "";

function mayImport(from: string, to: string): boolean {
  if (from === "web") return OF_PAGE.includes(to);
  return from === to || (layerOf(to) >= 0 && layerOf(to) < layerOf(from));
}

describe("the folders of the source", () => {
  const files = readdirSync(join(CHECKOUT, "src"), { recursive: true, encoding: "utf8" });
  const imports = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(CHECKOUT, "src", file), "utf8").matchAll(IMPORT)].map(([, path = ""]) => ({
        file,
        to: normalize(join(file, "..", path)),
      })),
    );

  it("import layers before their own alone", () => {
    const wrong = imports.filter(({ file, to }) => !mayImport(folderOf(file), folderOf(to)));
    expect(wrong.map(({ file, to }) => `src/${file} imports src/${to}`)).to.deep.equal([]);
  });

  it("are found by the walk, and the rule refuses", () => {
    expect(imports.some(({ file, to }) => folderOf(file) === "cli" && folderOf(to) === "service")).to.equal(
      true,
    );
    expect([
      mayImport("http", "ledger"),
      mayImport("web", "http"),
      mayImport("cli", "loose.ts"),
    ]).to.deep.equal([false, false, false]);
  });
});
