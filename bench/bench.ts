// The benchmark: flanco's claims about its speed, each measured as ratios of interleaved pairs in one
// run, against a floor server that stands beside this file or against what is promised. Figures are claims,
// not tests: the exit code is 1 only when something measured is not right (a post lost, a ledger that does
// not agree with itself).

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ScriptFailure, tryCommand } from "../scripts/command.ts";
import { measureBeside } from "./beside.ts";
import { type Claim, jsonOf, tableOf } from "./claim.ts";
import { type Measurement, writeDocument } from "./document.ts";
import { measureEdges } from "./edges.ts";
import { measureGrowth } from "./growth.ts";
import { measureOpening } from "./opening.ts";
import { type Plan, planFor } from "./plan.ts";
import { measurePosts } from "./posts.ts";
import { measureSealed } from "./sealed.ts";
import { measureWear } from "./wear.ts";
import { measureWritten } from "./written.ts";

const USAGE = `usage: npm run bench -- [--short] [--only NAME]... [--json FILE] [--document]
  --short           a few seconds each, fewer records: for a glance
  --only NAME       posts, slow-posts, written, wear, beside, edges, growth, sealed or opening; may be repeated
  --json FILE       write the figures to FILE too
  --document        write the table and the pictures of docs/performance.md; only of a whole run`;
const BUILD = join(import.meta.dirname, "..", "build", "bench");
const DOCS = join(import.meta.dirname, "..", "docs");
const DELAY_MS = 5;
const EXIT_WRONG = 1;
const EXIT_USAGE = 2;

type Measure = (plan: Plan) => Promise<Claim | readonly Claim[]>;

const MEASURES: Readonly<Record<string, Measure>> = {
  posts: (plan) => measurePosts(plan),
  "slow-posts": (plan) => measurePosts(plan, DELAY_MS),
  written: async (plan) => [...(await measureWritten(plan)), ...(await measureWritten(plan, DELAY_MS))],
  wear: measureWear,
  beside: measureBeside,
  edges: measureEdges,
  growth: measureGrowth,
  sealed: measureSealed,
  opening: measureOpening,
};

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(USAGE);
    return EXIT_USAGE;
  }
  const directory = join(BUILD, `run-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  const clean = (): void => rmSync(directory, { recursive: true, force: true });
  process.once("exit", clean);
  // The children get a terminal's signal too; the folder is removed on the way out.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(EXIT_WRONG));
  const plan = planFor(options.short, directory);
  const measured: Measurement[] = [];
  try {
    for (const name of options.only) {
      const measure = MEASURES[name];
      if (measure === undefined) continue;
      const claims = [await measure(plan)].flat();
      measured.push({ name, claims });
      for (const claim of claims) console.log(`${tableOf(claim)}\n`);
    }
    if (options.document) writeDocument(DOCS, measured, versions());
    return 0;
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    console.error(`bench: ${error.message}`);
    return EXIT_WRONG;
  } finally {
    if (options.json !== undefined) {
      const claims = measured.flatMap((each) => each.claims);
      writeFileSync(options.json, `${JSON.stringify(jsonOf(claims, options.short), null, 2)}\n`);
    }
  }
}

/** Of what is measured and of what it is measured with. */
function versions(): readonly string[] {
  const require = createRequire(import.meta.url);
  const packages = ["better-sqlite3", "koa"].map((name) => {
    const { version } = require(`${name}/package.json`) as { version: string };
    return `${name} ${version}`;
  });
  const [wrk = ""] = /wrk \S+/.exec(tryCommand(["wrk", "--version"]).stdout) ?? [];
  return [`Node ${process.version}`, ...packages, wrk];
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        short: { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: Object.keys(MEASURES) },
        json: { type: "string" },
        document: { type: "boolean", default: false },
      },
    });
    const isWhole = !values.short && values.only.length === Object.keys(MEASURES).length;
    if (values.document && !isWhole) return undefined;
    return values.only.every((name) => Object.hasOwn(MEASURES, name)) ? values : undefined;
  } catch {
    return undefined;
  }
}

process.exit(await main());
