import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

/**
 * Which folders of `src` each folder may import, beside itself. Files that stand in `src` itself are named like folders.
 * A folder that is not listed may not exist, and a permission that nothing uses must go.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "main.ts": ["cli", "domain", "installation.ts"],
  "installation.ts": ["sealed"],
  "thread.ts": ["sealed"],
  "task-thread.ts": ["domain", "thread.ts"],
  "mqtt-client.ts": ["domain", "connection-problem.ts", "secret-file.ts"],
  "secret-file.ts": ["domain"],
  "connection-problem.ts": [],
  "job-process.ts": ["thread.ts"],
  domain: [],
  sealed: ["domain"],
  config: ["domain"],
  auth: ["domain", "durable-file.ts", "secret-file.ts", "task-thread.ts"],
  gpio: ["domain", "mqtt-client.ts"],
  store: ["domain", "durable-file.ts", "task-thread.ts", "thread.ts"],
  systemd: ["domain"],
  contract: ["config", "domain"],
  http: ["auth", "contract", "domain", "secret-file.ts"],
  control: ["contract", "domain", "http", "durable-file.ts"],
  net: ["config", "domain", "durable-file.ts", "http", "store"],
  service: [
    ...["auth", "central", "config", "control", "domain", "gpio", "http", "net", "sink", "store", "systemd"],
    ...["text", "durable-file.ts", "installation.ts", "secret-file.ts"],
  ],
  transfer: ["contract", "domain"],
  sink: ["config", "domain", "connection-problem.ts", "mqtt-client.ts", "secret-file.ts"],
  central: ["auth", "domain", "store", "connection-problem.ts", "secret-file.ts"],
  cli: [
    ...["auth", "central", "config", "contract", "control", "domain", "gpio", "http", "net", "service"],
    ...["store", "systemd", "transfer", "durable-file.ts", "installation.ts"],
  ],
  web: ["contract", "domain", "text"],
  text: ["domain"],
};

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The first part of a path below `src`: a folder, or a file that stands in `src` itself. */
function partOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function importsOfSource(): readonly Import[] {
  const files = readdirSync(join(CHECKOUT, "src"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(CHECKOUT, "src", file), "utf8");
      return [...text.matchAll(IMPORT)].map(([, path = ""]) => ({
        file,
        from: partOf(file),
        to: partOf(normalize(join(file, "..", path))),
      }));
    })
    .filter(({ from, to }) => from !== to);
}

describe("the folders of the source", () => {
  const imports = importsOfSource();

  it("import no folder that the table does not permit", () => {
    const wrong = imports.filter(({ from, to }) => MAY_IMPORT[from]?.includes(to) !== true);
    expect(wrong.map(({ file, to }) => `src/${file} imports src/${to}`)).to.deep.equal([]);
  });

  it("use each permission of the table", () => {
    const used = new Set(imports.map(({ from, to }) => `${from} imports ${to}`));
    const permitted = Object.entries(MAY_IMPORT).flatMap(([from, tos]) =>
      tos.map((to) => `${from} imports ${to}`),
    );
    expect(permitted.filter((permission) => !used.has(permission))).to.deep.equal([]);
  });

  it("are found by the walk", () => {
    expect(imports.some(({ from, to }) => from === "cli" && to === "service")).to.equal(true);
  });
});
