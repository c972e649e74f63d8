import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { PROCESS_TEST_MS } from "./program.ts";

/** More than a block has. */
const PORTS = 150;
const PROCESSES = 3;
const PORTS_MODULE = JSON.stringify(new URL("../../scripts/ports.ts", import.meta.url).href);
/** Takes ports all at once, says which, and lives on until its input ends. */
const TAKES = `
  import { freePort } from ${PORTS_MODULE};
  const ports = await Promise.all(Array.from({ length: ${PORTS} }, freePort));
  process.stdout.write(JSON.stringify(ports));
  process.stdin.resume();
`;
/** Takes a port, sees to it that somebody listens on the one behind it, and takes another. */
const PASSES_OVER = `
  import { once } from "node:events";
  import { createServer } from "node:net";
  import { freePort } from ${PORTS_MODULE};
  const port = await freePort();
  const other = createServer().listen(port + 1, "127.0.0.1");
  await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => {});
  process.stdout.write(JSON.stringify([port, await freePort()]));
  other.close();
`;

describe("The tests' ports", function () {
  this.timeout(PROCESS_TEST_MS);

  it("are given once each, though several processes take them at once, and none is the kernel's to give", async () => {
    const children = Array.from({ length: PROCESSES }, () => start(TAKES));
    const ports = (await Promise.all(children.map(portsOf))).flat();
    for (const child of children) {
      const exit = once(child, "exit");
      child.stdin.end();
      expect(await exit).to.deep.equal([0, null]);
    }
    expect(new Set(ports).size).to.equal(PROCESSES * PORTS);
    expect(Math.max(...ports)).to.be.below(32_768);
  });

  it("are passed over where somebody listens", async () => {
    const [port = 0, next = 0] = await portsOf(start(PASSES_OVER));
    expect(next).to.be.above(port + 1);
  });
});

function start(script: string) {
  return spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function portsOf({ stdout }: ReturnType<typeof start>): Promise<readonly number[]> {
  let said = "";
  for await (const piece of stdout.setEncoding("utf8")) {
    said += piece;
    if (said.endsWith("]")) break;
  }
  return JSON.parse(said) as readonly number[];
}
