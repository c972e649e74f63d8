import { hostname } from "node:os";
import { CONFIG_KEYS, type Config } from "../contract/config/schema.ts";
import { type Chip, listChips } from "../contract/line.ts";
import { FlancoError } from "../domain/error.ts";
import { CHECK_NAMES, CHECKS, type CheckName, megabytes } from "../domain/faults/entry.ts";
import type { OtherGateway } from "../domain/gateway.ts";
import { pinProblem } from "../domain/pin.ts";
import type { Machine, Status } from "../domain/status.ts";
import { findLine } from "../gpio/address.ts";
import { becomeOwner } from "../ledger/engine/data-directory.ts";
import { deviceOf } from "../ledger/safety/backup-directory.ts";
import { backupDirectory, backupTargets } from "../service/backup-target.ts";
import { hasNoTimeProgram } from "../service/clock-watch.ts";
import { type ControlClient, noService, withService } from "./api-access.ts";
import { AS_JSON, type CliContext, type CommandTable, command, optional } from "./command.ts";
import {
  describeBackup,
  describeDisk,
  describeNewer,
  describeSink,
  type FoundStatus,
  findStatus,
} from "./status.ts";
import {
  aboutFile,
  type BundleFile,
  bundleFile,
  createArchive,
  logFiles,
  writeArchive,
} from "./support-bundle.ts";
import { moment } from "./terminal.ts";
import { wiredRows } from "./wiring.ts";

const HELP = `
Each check says what it found; one that needs attention also says why that matters and what to do.
It only reads.

With --bundle it also writes an archive for support, which holds no secrets, no money, and no names of people, places and
rooms; what it holds is shown first. Nothing is sent.

Exit codes: 0 all is fine, 3 something needs attention, 78 the configuration has mistakes.

Examples:
  flanco doctor
  flanco doctor --json
  flanco doctor --bundle support.tar.gz`;

/** Width of a file's name in the list of the bundle. */
const BUNDLE_NAME = 16;
/** Settings that go into the bundle, because their texts hold no name, address or path. */
const TOLD_SETTINGS: ReadonlySet<string> = new Set([
  "time_zone",
  "currency",
  "clock_trust",
  "gpio_driver",
  "log_level",
]);

const NO_TIME_PROGRAM = {
  message: "No program sets the clock from the network.",
  hint: "Install one: apt-get install systemd-timesyncd.",
};

/** Something that needs attention, and what to do. */
interface Problem {
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Finding {
  readonly check: CheckName;
  readonly fine: boolean;
  /** What was found: the state, or each problem. */
  readonly message: string;
  readonly why: string;
  /** What to do; null where all is fine. */
  readonly mend: string | null;
}

/** What an examination found. Chips and wiring are of a running service. */
interface Examination extends FoundStatus, Awaited<ReturnType<typeof linesOf>> {
  readonly findings: readonly Finding[];
}

/** `flanco doctor`: examines the appliance and says what to mend. */
export const commands: CommandTable = [
  command(
    "doctor",
    "examine the appliance and its machine, and say what needs attention, why, and what to do",
    {
      json: AS_JSON,
      bundle: optional("--bundle <file>", "write an archive for support to this file, which must not exist"),
    },
    HELP,
    async ({ json, bundle }, call) => {
      const { context, terminal } = call;
      const config = call.config();
      // Made and read as the user that runs the command: the examination continues as the owner of the data.
      const archive = bundle === undefined ? undefined : createArchive(bundle);
      const logs = archive === undefined ? [] : await logFiles();
      const examined = await examine(config, context);
      const { findings } = examined;
      if (archive !== undefined) {
        const files = [...bundleOf(examined, config, context), ...logs];
        terminal.err(`${bundle} will hold:`);
        for (const { name, about } of files) terminal.err(`  ${name.padEnd(BUNDLE_NAME)}${about}`);
        await writeArchive(archive, files);
        terminal.err("It is written.");
      }
      const wrong = findings.filter(({ fine }) => !fine);
      terminal.show(json, { fine: wrong.length === 0, findings }, findings.map(describe));
      if (wrong.length === 0) return;
      const names = wrong.map(({ check }) => check).join(", ");
      throw new FlancoError(
        "attention",
        `${wrong.length} of ${findings.length} checks need attention: ${names}.`,
      );
    },
  ),
];

async function examine(config: Config, context: CliContext): Promise<Examination> {
  becomeOwner(config.data_dir);
  const found = await findStatus(config, context);
  const { running, facts, problem } = found;
  const { chips, wiring } = (await withService(config, linesOf)) ?? { chips: [], wiring: [] };
  const problems: Partial<Record<CheckName, readonly Problem[]>> = {
    service: serviceProblems(running, context.installation.version),
    ledger: problem === null ? [] : [problem],
    backup: running === undefined ? [] : backupProblems(config, running),
    lines: running === undefined ? [] : lineProblems(running, chips, wiring),
    clock: config.clock_trust === "auto" && (await hasNoTimeProgram()) ? [NO_TIME_PROGRAM] : [],
    name: nameProblems(facts.machine, running?.otherGateways),
  };
  const states = statesOf(found, config);
  const findings = CHECK_NAMES.map((check) => {
    const why = CHECKS[check];
    const wrong = [...facts.faults.filter((fault) => fault.check === check), ...(problems[check] ?? [])];
    if (wrong.length === 0) return { check, fine: true, message: states[check], why, mend: null };
    const mends = wrong.flatMap(({ hint }) => (hint === undefined ? [] : [hint]));
    return {
      check,
      fine: false,
      why,
      mend: [...new Set(mends)].join(" "),
      message: wrong.map(({ message }) => message).join(" "),
    };
  });
  return { ...found, chips, wiring, findings };
}

async function linesOf(service: ControlClient) {
  return { wiring: await wiredRows(service), chips: (await service.ask(listChips, {})).data };
}

/** What support needs to know of the appliance, without names of people, places and rooms. */
function bundleOf(
  { facts, ledger, chips, wiring, findings }: Examination,
  config: Config,
  context: CliContext,
): BundleFile[] {
  const settings = CONFIG_KEYS.map((key) => [
    key,
    typeof config[key] === "string" && !TOLD_SETTINGS.has(key) ? config[key] !== "" : config[key],
  ]);
  return [
    aboutFile(context.installation.version),
    bundleFile("findings.json", "which checks need attention", findings, ["check"]),
    bundleFile(
      "status.json",
      "lines, clock, queues, sensors, disk, backups and faults, without texts",
      { ...facts, ...ledger, today: null },
      [...["version", "driver", "timeZone", "line", "code", "severity", "check", "device", "spareBlocks"]],
    ),
    bundleFile(
      "wiring.json",
      "each line's settings, without room and price",
      wiring.map(({ valor: _price, ...row }) => row),
      ["line", "bias"],
    ),
    bundleFile("chips.json", "chips, their lines and who holds them", chips, [
      "name",
      "label",
      "chip",
      "holder",
    ]),
    bundleFile(
      "settings.json",
      "settings; of directories, names and addresses only whether they are set",
      Object.fromEntries(settings),
      [...TOLD_SETTINGS],
    ),
  ];
}

/** The message of each check where nothing needs attention. */
function statesOf({ running, facts }: FoundStatus, config: Config): Record<CheckName, string> {
  const { disk, lastBackup } = facts;
  const { temperature, memory, isVoltageLow, fileSystemErrors, syncMs } = facts.machine;
  const untold = "This machine does not tell.";
  return {
    ...statesOfService(running, config.time_zone),
    ledger: "Nothing is known against it. flanco verify checks it in full.",
    backup: describeBackup(lastBackup, config.time_zone),
    disk: `${disk === null ? "" : `${describeDisk(disk)} `}${syncMs === null ? "" : `Of its newest 100 synced writes 99 took at most ${syncMs} ms.`}`,
    card: fileSystemErrors === null ? untold : "The file system has met no error.",
    power: isVoltageLow === null ? "This kernel cannot tell the supply's voltage." : "The voltage is right.",
    temperature: temperature === null ? untold : `${temperature} °C.`,
    memory:
      memory === null
        ? untold
        : `${megabytes(memory.availableBytes)} MB of ${megabytes(memory.totalBytes)} MB are available.`,
    certificate: "Nothing is known against it. flanco tls show shows it.",
    name: `${facts.machine.announcedName}`,
  };
}

/** The messages of checks that only a running service answers. */
function statesOfService(
  running: Status | undefined,
  timeZone: string,
): Record<"service" | "lines" | "clock" | "sinks" | "package", string> {
  if (running === undefined) {
    const unknown = "Not examined: no service runs.";
    return { service: unknown, lines: unknown, clock: unknown, sinks: unknown, package: unknown };
  }
  const { version, startedMs, linesWatched, linesWired, driver, clock, sinks } = running;
  return {
    service: `It runs, version ${version}, started ${moment(startedMs, timeZone)}.`,
    lines: `${linesWatched} of ${linesWired} wired lines are watched, by the driver ${driver}.`,
    clock: `It is ${clock.trusted ? "set" : "not set yet"}: ${moment(clock.nowMs, timeZone)}.`,
    sinks: sinks.map(describeSink).join(" ") || "None is configured.",
    package: describeNewer(running)[0] ?? `No newer one than ${version} is known.`,
  };
}

function serviceProblems(running: Status | undefined, version: string): readonly Problem[] {
  if (running === undefined) return [noService()];
  if (running.version === version) return [];
  const message = `The service is version ${running.version}, and this command ${version}.`;
  return [{ message, hint: "Restart the service: systemctl restart flanco." }];
}

/** Without lines nothing is sold, though all that there is may work. */
function lineProblems(
  { driver, linesWired }: Status,
  chips: readonly Chip[],
  wiring: Examination["wiring"],
): Problem[] {
  const problems: Problem[] = [];
  if (driver !== "mqtt" && chips.length === 0) {
    const hint = "Watch relays on a machine with GPIO lines, such as a Raspberry Pi; see journalctl -k.";
    problems.push({ message: "No GPIO chip was found.", hint });
  }
  if (linesWired === 0) {
    const hint = "Give each room its line: on the page under Lines, or with flanco wiring set.";
    problems.push({ message: "No line is wired yet.", hint });
  }
  // A box on the network has a contact and a resistor of its own.
  const found = driver === "mqtt" ? [] : wiring.flatMap((row) => findPinProblem(row, chips) ?? []);
  for (const [what, lines] of Map.groupBy(found, (one) => one.what)) {
    const message = `${lines.map(({ line }) => line).join(", ")}: ${what}.`;
    problems.push({ message, hint: lines[0]?.todo });
  }
  return problems;
}

function findPinProblem(
  { line, active_low: activeLow, bias }: Examination["wiring"][number],
  chips: readonly Chip[],
) {
  const place = findLine(line, chips);
  const chip = chips.find(({ name }) => name === place?.chip);
  const problem = chip && place && pinProblem(chip, place, { activeLow, bias });
  return problem && { line, ...problem };
}

/** Whether a backup is left when the ledger's card is not. */
function backupProblems(config: Config, { sinks, faults }: Status): Problem[] {
  if (faults.some(({ code }) => code === "backup_disk_missing")) return [];
  const missing = backupTargets(config).flatMap(({ skipped }) => skipped ?? []);
  if (missing.length > 0) return missing.map((message) => ({ message }));
  const isElsewhere =
    config.backup_disk_dir !== "" || deviceOf(backupDirectory(config)) !== deviceOf(config.data_dir);
  if (isElsewhere || sinks.some(({ name }) => name === "central" || name === "remote")) return [];
  const message = "All backups lie on the card that they are for.";
  return [
    {
      message,
      hint: "Give the gateway a backup disk (flanco backup-disk /dev/sda, with the name that lsblk shows), or a remote place on the page.",
    },
  ];
}

/** The name leads to another machine where two have it, or where avahi has not taken a new one yet. */
function nameProblems({ announcedName }: Machine, others: readonly OtherGateway[] = []): Problem[] {
  const [short] = hostname().toLowerCase().split(".");
  const own = `${short}.local`;
  if (announcedName === null) {
    const message = `No service announces ${own} on the local network.`;
    return [
      { message, hint: "apt-get install avahi-daemon, or give the gateway a name in the network's DNS." },
    ];
  }
  // As the package's service file names each.
  const namesake = others.find(({ name }) => name.toLowerCase() === `flanco ${short}`);
  if (announcedName === own && namesake === undefined) return [];
  const who = namesake === undefined ? "" : ` The gateway at ${namesake.address} has the name ${own}.`;
  return [
    {
      message: `This machine is called ${own}, and announced as ${announcedName}.${who}`,
      hint:
        `Until this is mended use ${announcedName}. Each machine of a network needs a name of its own: host_name in flanco.txt` +
        " on a card, else hostnamectl set-hostname NAME. Then systemctl restart avahi-daemon.",
    },
  ];
}

function describe({ check, fine, message, why, mend }: Finding): string {
  const head = `${fine ? "ok  " : "LOOK"}  ${check.padEnd(12)}${message}`;
  return fine ? head : [head, `      why: ${why}`, ...(mend ? [`      do:  ${mend}`] : [])].join("\n");
}
