import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, ScriptFailure } from "../command.ts";
import { sumsOf } from "../release/manifest.ts";
import { buildCardImage, imageName } from "./card-image.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");

/** Builds the card image of the package that npm run release has made, or that --deb names. */
function image(): void {
  const { values } = parseArgs({
    options: {
      deb: { type: "string" },
      target: { type: "string" },
      reuse: { type: "boolean", default: false },
    },
  });
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { version: string };
  const release = join(CHECKOUT, "dist", "release");
  const deb = values.deb ?? join(release, `flanco_${version}_arm64.deb`);
  if (!existsSync(deb))
    throw new ScriptFailure(`${deb} is not there: npm run release makes it, or name one by --deb`);
  const epochSeconds = Number(
    runCommand(["git", "log", "-1", "--format=%ct"], { directory: CHECKOUT }).trim(),
  );
  mkdirSync(release, { recursive: true });
  const target = values.target ?? join(release, imageName(version));
  const directory = join(CHECKOUT, "build", "image");
  buildCardImage({ version, deb, directory, target, epochSeconds, reuse: values.reuse });
  writeFileSync(`${target}.sha256`, sumsOf([target]));
  console.log(`image: ${target} (${basename(deb)})`);
}

try {
  image();
} catch (error) {
  if (!(error instanceof ScriptFailure)) throw error;
  console.error(`image: ${error.message}`);
  process.exit(1);
}
