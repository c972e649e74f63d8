import { assert } from "chai";
import { INSTALLED_SCRIPTS } from "../../scripts/guest/installed.ts";
import { buildGuest, runInGuest } from "../../scripts/guest/machine.ts";
import { CONTROLS } from "../rig/controls.ts";
import { FakedWorld } from "./clock/faked.ts";
import { requireTruth, type Story, storySchema, tellStory } from "./clock/story.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
/** On a machine that has much else to do. */
const GUEST_MS = 560_000;

function changes(settling: boolean) {
  return settling ? [] : CONTROLS["records before the clock was set stay where they are"];
}

describe("A gateway whose clock is wrong, by libfaketime", () => {
  async function story(settling: boolean): Promise<Story> {
    const world = await FakedWorld.make(changes(settling));
    try {
      return await tellStory(world, settling);
    } finally {
      await world.close();
    }
  }

  it("loses no sale, moves each once to within a second of the truth, and keeps its session", async () => {
    requireTruth(await story(true));
  });

  it("is noticed by this test when nothing is moved", async () => {
    const wrong = await story(false);
    assert.throws(() => requireTruth(wrong), /The sale 0 counts/);
  });
});

// The short form has no time for a guest.
if (!SHORT) describe("A gateway whose clock is wrong, in a guest whose clock is set", proveInGuest);

function proveInGuest(): void {
  async function story(settling: boolean): Promise<Story> {
    const guest = await buildGuest({
      scripts: { clock: "test/faults/inside/clock.ts" },
      patches: changes(settling),
    });
    const { exitCode, stdout, stderr } = await runInGuest(guest, {
      command: [
        "node",
        `${INSTALLED_SCRIPTS}/clock.mjs`,
        "/var/lib/flanco",
        settling ? "settling" : "not-settling",
      ],
      environment: { FLANCO_CLOCK_TRUST: "auto" },
      timeoutMs: GUEST_MS,
    });
    assert.equal(exitCode, 0, stderr);
    return storySchema.parse(JSON.parse(stdout));
  }

  it("loses no sale, moves each once to within a second of the truth, and keeps its session", async () => {
    requireTruth(await story(true));
  });

  it("is noticed by this test when nothing is moved", async () => {
    const wrong = await story(false);
    assert.throws(() => requireTruth(wrong), /The sale 0 counts/);
  });
}
