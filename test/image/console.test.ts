import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CARD_FILES } from "../../scripts/image/base.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const LINK = "/primer-uso#q1w2e3r4t5y6u7i8o9p0as";
const ROWS = 21;

/** Draws the card's screen on a system of stubs, whose codes are as large as the real ones and say their text in the first row. */
describe("A card's screen", () => {
  const root = forEachTest(() => new TemporaryDirectory());

  function screen(size: string, path = LINK): readonly string[] {
    const row = "█".repeat(37);
    const stubs = {
      systemctl: "",
      hostname: "echo clinica",
      busctl: "exit 1",
      ip: 'case "$*" in -4*) echo "2: eth0 inet 192.0.2.20/24 brd" ;; esac',
      flanco: "echo '[]'",
      journalctl: `echo "https://localhost:8443${path}"`,
      qrencode: `text=$(cat); printf '%-37s\\n' "$text" | tr ' ' .; for row in $(seq ${ROWS - 1}); do echo ${row}; done`,
    };
    mkdirSync(root.file("bin"), { recursive: true });
    for (const [name, script] of Object.entries(stubs)) {
      writeFileSync(root.file("bin", name), `#!/bin/sh\n${script}\n`);
      chmodSync(root.file("bin", name), 0o755);
    }
    const [functions = ""] = readFileSync(join(CARD_FILES, "usr/lib/flanco-card/console"), "utf8").split(
      "\nexec 3",
    );
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `${functions}\nscreen ${size}`], {
      env: { PATH: `${root.file("bin")}:/usr/bin:/bin` },
      encoding: "utf8",
    });
    expect(stderr).to.equal("");
    return stdout.trimEnd().split("\n");
  }

  it("has codes of the trust page and of the first link, side by side, for a phone", () => {
    const shown = screen("45 160");
    const at = shown.findIndex((line) => line.startsWith("1. "));
    expect(shown[at]).to.contain("2. Primer usuario / First user");
    const [first = "", second = ""] = (shown[at + 1] ?? "").split("  ");
    expect(first.replaceAll(".", " ").trim()).to.equal("http://192 0 2 20:8080/");
    expect(second).to.equal(`https://192.0.2.20:8443${LINK}`);
    expect(shown).to.have.length(at + 1 + ROWS);
  });

  it("has the trust page's code alone once there is a user", () => {
    const shown = screen("45 160", "").join("\n");
    expect(shown).to.contain("http://192.0.2.20:8080/..");
    expect(shown).not.to.contain("First user");
  });

  it("has no code where it would push the addresses off the screen, or the screen tells no size", () => {
    const without = screen("");
    expect(without.join("\n")).to.not.contain("█");
    for (const size of ["30 160", "60 60", "0 0"]) expect(screen(size), size).to.deep.equal(without);
    const rows = without.length + 1 + 1 + ROWS;
    expect(screen(`${rows} 160`)).to.have.length.above(without.length);
    expect(screen(`${rows - 1} 160`)).to.deep.equal(without);
  });
});
