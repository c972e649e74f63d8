import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildCardImage, missingForImage } from "./card-image.ts";
import { imageName } from "./name.ts";

export interface ReleaseStep {
  readonly version: string;
  /** The folder of the release's files; flanco's package for arm64 is in it, if it was made. */
  readonly target: string;
  /** For what comes and goes. */
  readonly directory: string;
  readonly epochSeconds: number;
  readonly say: (text: string) => void;
}

/** Builds the card image of a release, and gives its files: none where something is missing, which is said. Throws ReleaseFailure. */
export function releaseImage({
  version,
  target,
  directory,
  epochSeconds,
  say,
}: ReleaseStep): readonly string[] {
  const deb = join(target, `flanco_${version}_arm64.deb`);
  const missing = missingForImage();
  if (!existsSync(deb)) {
    say("no card image: there is no package for arm64");
    return [];
  }
  if (missing.length > 0) {
    say(`no card image: more packages are needed (apt install ${missing.join(" ")})`);
    return [];
  }
  if (process.getuid?.() !== 0) {
    say("no card image: it is built as root");
    return [];
  }
  const image = join(target, imageName(version));
  buildCardImage({ version, deb, directory: join(directory, "image"), target: image, epochSeconds });
  say(image);
  return [image];
}
