import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { exchange } from "../../rig/exchange.ts";
import type { Reports } from "../report.ts";
import type { ConfinedCommand, Unit } from "./unit.ts";

/** A forbidden call kills here, and is not merely refused: a process that goes on has made none. */
export const CONFINED = "SystemCallErrorNumber=kill\n";
const SEEN_MS = 400_000;
/** What the service does, as its journal has it: a minute after its start, once the host is renamed, and at a reload. */
const DONE = [
  "a backup was made and proved",
  "the ledger was checked in full",
  "a new certificate is served",
  "the configuration was read again",
];
/** Making an authority is a long time for an emulated processor, and what the watchdog does has its own proof. */
const PATIENT = "[Service]\nWatchdogSec=180\n";
const BACKUPS = "/var/lib/flanco/backups";
/** By which the service finds other gateways. */
const BROWSE = "/usr/bin/avahi-browse --parsable --resolve --terminate --ignore-local _flanco._tcp";
/** By which it learns the name that avahi announces it by. */
const ASK =
  "/usr/bin/busctl --system --auto-start=no --json=short call org.freedesktop.Avahi / org.freedesktop.Avahi.Server GetHostNameFqdn";
const FORBIDDEN = "/usr/local/bin/node -e process.setuid(0)";

/** Lets the service do what it does by itself, then runs the program's commands, all of it under the unit's filter. */
export async function proveConfined(unit: Unit): Promise<Reports["confined"]> {
  await unit.ready(0);
  const before = await unit.mainPid();
  await unit.configure("patient", PATIENT);
  await unit.control("restart", "flanco");
  await unit.ready(before);
  const pid = await unit.mainPid();
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  const limit = (name: string) => new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "m").exec(limits)?.[1] ?? "";
  const seccomp = Number(/^Seccomp:\s*(\d)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  // The question is whether it is served at all, so its authority need not be trusted.
  const agent = new Agent({ rejectUnauthorized: false });
  await exchange({ port: 8443, agent, open: request, answerMs: SEEN_MS }, "GET", "/healthz");
  await unit.control("reload", "flanco");
  execFileSync("hostname", ["gateway-two"]);
  const seen = await seenInJournal(unit);
  const commands: ConfinedCommand[] = [];
  const confined = async (words: string) =>
    void commands.push(await unit.confined(`/usr/bin/flanco ${words}`, `[Service]\n${CONFINED}`));
  for (const words of ["status --json", "audit --json", "wiring list", "backup", "verify"])
    await confined(words);
  for (const tool of [BROWSE, ASK]) commands.push(await unit.confined(tool, `[Service]\n${CONFINED}`));
  await unit.control("stop", "flanco");
  const backup = readdirSync(BACKUPS, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".db"))
    .sort()
    .at(-1);
  await confined(`restore ${BACKUPS}/${backup}`);
  await confined("user list");
  const control = await unit.confined(FORBIDDEN, `[Service]\n${CONFINED}`);
  await unit.control("start", "flanco");
  await unit.ready(pid);
  const [coreBytes, openFiles] = [limit("Max core file size"), limit("Max open files")];
  return { seccomp, coreBytes, openFiles, seen, commands, control };
}

async function seenInJournal(unit: Unit): Promise<string[]> {
  let seen: string[] = [];
  const allSeen = async () => {
    const journal = (await unit.journal(0)).map(({ message }) => message);
    seen = DONE.filter((text) => journal.some((message) => message.includes(text)));
    return seen.length === DONE.length;
  };
  await unit.until(`the journal has ${DONE.join("; ")}`, allSeen, SEEN_MS);
  return seen;
}
