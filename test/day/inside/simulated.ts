import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../guest/inside/deadline.ts";
import { shareProcessorWithInterrupts } from "../../guest/inside/relays.ts";
import { LIMIT_SECONDS, start } from "../../package/inside/host.ts";
import type { Contact } from "./contacts.ts";
import { jsonIn, must } from "./step.ts";

const WATCHED_MS = 120_000;
const HAND_MS = 1_000;
const TRACE = "/root/day.trace";

/** Stops the service, records two switchings of a contact, and gives what `flanco simulate` makes of them. */
export async function simulateRecorded(contact: Contact): Promise<unknown> {
  await must("systemctl", "stop", "flanco");
  const recorder = start(LIMIT_SECONDS, "flanco", "gpio", "record");
  let [trace, talk] = ["", ""];
  recorder.stdout.on("data", (chunk: Buffer) => (trace += chunk.toString()));
  recorder.stderr.on("data", (chunk: Buffer) => (talk += chunk.toString()));
  const ended = new Promise((resolve) => recorder.once("close", resolve));
  await until(() => (talk.includes("Ctrl-C") ? null : "nothing is recorded"), WATCHED_MS);
  // The recorder's lines have interrupt threads of their own.
  shareProcessorWithInterrupts();
  for (const on of [true, false, true, false]) {
    contact.switch(on);
    await pause(HAND_MS);
  }
  recorder.kill("SIGINT");
  await ended;
  writeFileSync(TRACE, trace);
  const { said } = await must("flanco", "simulate", TRACE, "--json");
  await must("systemctl", "start", "flanco");
  return jsonIn(said);
}
