import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { SIMULATED_CONTROLS } from "./controls.ts";

const SIMULATE = fileURLToPath(new URL("simulate.ts", import.meta.url));
const IS_SHORT = process.env["FLANCO_SIMULATION"] === "short";
const HISTORIES = IS_SHORT ? 400 : 100_000;
/** The short form tries one control in so many, which ones by chance. */
const CONTROL_EVERY = IS_SHORT ? 4 : 1;
const PROCESSES = 2;
/** Of `simulate.ts`, where a history went wrong. */
const FOUND_EXIT = 3;
/** Within so many histories each control must be found. */
const CONTROL_HISTORIES = 1_000;

/** Gives the exit code and what was printed. */
async function simulate(...args: readonly string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [SIMULATE, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => void child.on("exit", resolve));
  return { printed: await text(child.stdout), code: await ended };
}

describe("A gateway in any history", () => {
  it(`has every sale once, at its price and its time, in ${HISTORIES} of them`, async () => {
    const each = HISTORIES / PROCESSES;
    const parts = Array.from({ length: PROCESSES }, (_, part) => String(1 + part * each));
    const ends = await Promise.all(parts.map((from) => simulate("--from", from, "--count", String(each))));
    for (const { code, printed } of ends) expect(code, printed).to.equal(0);
  });

  const first = randomInt(CONTROL_EVERY);
  const controls = Object.keys(SIMULATED_CONTROLS).filter((_, index) => index % CONTROL_EVERY === first);
  for (const control of controls) {
    it(`is found wrong within ${CONTROL_HISTORIES} where ${control}`, async () => {
      const { code, printed } = await simulate("--control", control, "--count", String(CONTROL_HISTORIES));
      expect(code, printed).to.equal(FOUND_EXIT);
      console.log(printed.split(":")[0]);
    });
  }
});
