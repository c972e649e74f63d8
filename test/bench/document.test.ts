import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import type { Claim } from "../../bench/claim.ts";
import { writeDocument } from "../../bench/document.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** A claim that holds from 8 connections on. */
const claimAt = (connections: number): Claim => ({
  title: `Posts on ${connections} connections`,
  names: ["floor", "flanco"],
  unit: "posts/s",
  target: { bound: "at least", ratio: 0.5 },
  pairs: [1, 2, 3].map((pair) => ({ base: 1_000, measured: connections * 50 * pair })),
  notes: [],
  point: {
    connections,
    delayMs: 0,
    servers: [
      { name: "floor", perSecond: 1_000, p99Ms: 10 },
      { name: "flanco", perSecond: 100 * connections, p99Ms: 100 },
    ],
  },
});

describe("The benchmark's document", () => {
  const docs = forEachTest(() => new TemporaryDirectory());

  beforeEach(() => {
    mkdirSync(docs.file("images"));
  });

  const document = () => readFileSync(docs.file("performance.md"), "utf8");
  const write = () =>
    writeDocument(docs.path, [{ name: "posts", claims: [claimAt(1), claimAt(10)] }], ["koa 1.2.3"]);

  it("has the figures of the newest run between its markers, and leaves what stands around them", () => {
    const [begin, end] = ["<!-- npm run bench -- --document writes from here -->", "<!-- to here -->"];
    writeFileSync(docs.file("performance.md"), `Before.\n${begin}\n${end}\nAfter.\n`);
    write();
    const once = document();
    write();
    expect(document()).to.equal(once);
    expect(once)
      .to.match(/^Before\.\n/)
      .and.match(/\nAfter\.\n$/);
    expect(once).to.contain("koa 1.2.3");
    expect(once).to.contain(
      "| `posts` | Posts on 1 connections | floor: 1000 posts/s | 100 posts/s | 0.10, 0.05 to 0.15 | at least 0.5, missed |",
    );
    expect(once).to.contain("| 1000 posts/s | 1.00, 0.50 to 1.50 | at least 0.5 |");
  });

  it("has a line for each server in its pictures, with a point for each number of connections", () => {
    writeFileSync(
      docs.file("performance.md"),
      "<!-- npm run bench -- --document writes from here --><!-- to here -->",
    );
    write();
    const picture = readFileSync(docs.file("images", "throughput.svg"), "utf8");
    const points = [...picture.matchAll(/points="([^"]*)"/g)].map((match) => match[1]?.split(" "));
    // The scale goes from 100 at the bottom to 1000 at the top.
    expect(points).to.deep.equal([
      ["60,30.0", "490,30.0"],
      ["60,315.0", "490,30.0"],
    ]);
  });

  it("is refused where the document lacks the markers", () => {
    writeFileSync(docs.file("performance.md"), "Something else.\n");
    expect(write).to.throw("lacks its markers");
    expect(document()).to.equal("Something else.\n");
  });
});
