import { expect } from "chai";
import { LineWatch } from "../../src/cli/line-watch.ts";
import type { ChipInfo, LineDriver, WatchedLine } from "../../src/domain/line.ts";
import { SetClock } from "../http/fakes.ts";

/** One line that the test can take away. */
class FragileDriver implements LineDriver {
  readonly name = "chardev";
  readonly simulated = false;
  closed = false;
  lose: (error: Error) => void = () => {};

  async open(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    const line = { chip: "gpiochip0", offset: 0, name: "GPIO17", holder: null };
    return [{ name: "gpiochip0", label: "fragile", lines: [line] }];
  }

  async watch(_request: unknown, _onEdge: unknown, onFailure: (error: Error) => void): Promise<WatchedLine> {
    this.lose = onFailure;
    return { chip: "gpiochip0", offset: 0, initiallyActive: false, close: async () => {} };
  }

  async read(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

describe("a watch of lines for a person", () => {
  it("ends with what took its line away, and releases the rest", async () => {
    const driver = new FragileDriver();
    const shown: string[] = [];
    const watch = new LineWatch(driver, new SetClock(1), ({ line }) => void shown.push(line));
    const ended = watch.run([], async (names) => {
      expect(names).to.deep.equal(["GPIO17"]);
      setImmediate(() => driver.lose(new Error("gpiochip0 was removed")));
      await new Promise(() => {});
    });
    expect(await ended.catch((error: Error) => error.message)).to.equal("gpiochip0 was removed");
    expect(shown).to.deep.equal(["GPIO17"]);
    expect(driver.closed).to.equal(true);
  });
});
