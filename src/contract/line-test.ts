import { z } from "zod";
import { MINUTE_MS } from "../domain/clock.ts";
import { DEFAULT_TEST_MS, MAX_TEST_MS } from "../domain/line-test.ts";
import { declare, PEOPLE, TECHNICAL } from "./declaration.ts";
import { id, name, success, timeMs } from "./field.ts";

/** Lines that one request may put under test. */
const MAX_LINES = 1_000;

/** What a test of lines is begun with. */
export const newTest = {
  lines: z.array(name).min(1).max(MAX_LINES),
  minutes: z
    .int()
    .min(1)
    .max(MAX_TEST_MS / MINUTE_MS)
    .default(DEFAULT_TEST_MS / MINUTE_MS)
    .describe("Then it ends by itself, also if the service was restarted."),
};

export const beginTest = declare({
  method: "put",
  path: "/test",
  summary: "Put wired lines under test, or prolong it: what they do is no sale. The status lists them.",
  roles: TECHNICAL,
  body: z.object({ test: z.object(newTest) }),
  wrapper: "test",
  errors: ["not_found", "too_many"],
});

export const endTest = declare({
  method: "delete",
  path: "/test",
  summary: "End the test of a line, or of all lines of the account: sales count again.",
  roles: TECHNICAL,
  query: z.object({ line: name.optional() }),
});

export const testedEdge = z.strictObject({
  line: z.string(),
  deviceId: id,
  room: z.string(),
  time: timeMs,
  provisional: z.boolean().describe("That time is not trusted."),
});

export const listTestedEdges = declare({
  method: "get",
  path: "/test/edge",
  summary: "The newest 200 times that a room was switched on under test, newest first. None is a sale.",
  roles: PEOPLE,
  answer: success.extend({ data: z.array(testedEdge) }),
});
