import * as z from "zod";
import { FAULT_CODES } from "../domain/fault.ts";
import { CHECK_NAMES, SEVERITIES } from "../domain/faults/entry.ts";
import { DRIVER_NAMES } from "../domain/line.ts";
import { SINK_NAMES } from "../domain/sink.ts";
import { UPDATE_FAILURES } from "../domain/status.ts";
import { declare, ON_PAGE, OPERATOR, within } from "./declaration.ts";
import { id, timeMs, withData } from "./field.ts";

/** A queue as commands see it. */
const queue = z.strictObject({ waiting: z.int(), limit: z.int() });
const edgeQueue = queue.extend({
  refused: z.boolean().describe("The ledger refuses writes, or could not take in a line's last level."),
});

/** The disk as commands see it. */
const disk = z.strictObject({
  freeBytes: z.int(),
  totalBytes: z.int(),
  ledgerBytes: z.int(),
  logBytes: z.int(),
  card: z
    .strictObject({
      device: z.string(),
      lifeUsedPercent: z.int().nullable().describe("More than 100: beyond its life."),
      spareBlocks: z.enum(["normal", "warning", "urgent"]).nullable(),
    })
    .nullable()
    .describe("Wear of a card, eMMC chip or disk that reports it."),
});

/** A sink as commands see it. */
const sink = z.strictObject({
  name: z.enum(SINK_NAMES),
  waiting: z.int().describe("Entries or notices that wait to be delivered."),
  behindMs: z.int().describe("For how long it has been behind; 0 while nothing waits."),
  deliveredMs: timeMs.nullable().describe("The last delivery; null where there was none."),
  delivered: z.int().describe("Deliveries since the service began, and tries that failed."),
  failed: z.int(),
  givenUp: z.int().describe("Notices that the other side refused for good, which it does not have."),
  clockOffMs: z
    .int()
    .nullable()
    .describe("By how much this machine's clock is ahead of the other side's; null where that is not known."),
  differences: z
    .array(z.strictObject({ here: z.string(), there: z.string() }))
    .optional()
    .describe("What is set otherwise than here."),
  backup: z
    .strictObject({
      madeMs: timeMs,
      ageMs: z.int().nullable().describe("Null where a clock that was not trusted left no way to tell."),
      removed: z
        .strictObject({ count: z.int(), seenMs: timeMs })
        .nullable()
        .describe("Files that somebody else has removed there, and when that was seen."),
    })
    .nullable()
    .optional()
    .describe("Of remote: the newest backup there; null before the first."),
  failure: z
    .strictObject({ message: z.string(), hint: z.string(), sinceMs: timeMs, tries: z.int() })
    .nullable()
    .describe("Why the last try failed; null once one succeeded."),
});

/** A figure that grows with each sale. */
const uncounted = z.int().nullable().describe("Null for a role without money.");

const faultText = z.strictObject({ what: z.string(), todo: z.string() });

const status = z.strictObject({
  version: z.string(),
  driver: z.enum(DRIVER_NAMES),
  simulated: z.boolean(),
  timeZone: z.string(),
  currency: z
    .strictObject({ code: z.string(), decimals: z.int() })
    .describe("How amounts are to be shown: an ISO 4217 code, and digits after the point."),
  startedMs: timeMs,
  uptimeMs: z.int(),
  clock: z.strictObject({
    nowMs: timeMs.describe("The gateway's own time."),
    trusted: z.boolean(),
    trustedSinceMs: timeMs
      .nullable()
      .describe(
        "Since when the network has set it, as far as this process knows; null while it is not trusted, and where a setting says that it is.",
      ),
    bootId: z.string(),
  }),
  today: z
    .strictObject({ day: z.string(), sales: z.int(), revenue: z.number() })
    .nullable()
    .describe("Null for a role without money."),
  linesWired: z.int(),
  linesWatched: z.int(),
  lineFailures: z.array(z.strictObject({ line: z.string(), message: z.string() })),
  tests: z
    .array(
      z.strictObject({
        userId: id,
        line: z.string(),
        deviceId: id,
        deviceName: z.string(),
        room: z.string(),
        untilMs: timeMs,
      }),
    )
    .describe("The lines under test: what they do is no sale."),
  lastEdges: z
    .array(
      z.strictObject({
        line: z.string(),
        deviceId: id,
        dId: z.string(),
        deviceName: z.string(),
        room: z.string(),
        active: z.boolean().nullable(),
        timeMs: timeMs.nullable(),
        provisional: z.boolean().describe("That time is not trusted yet."),
      }),
    )
    .describe("The last level of each wired line; both are null before it was first seen."),
  gaps: z.strictObject({
    all: z.int().describe("Of all time, as far as the newest 1000 tell."),
    last30Days: z.int(),
    swallowedLastDay: z
      .int()
      .describe("Edges that hardware or kernel did not report, found by a look at the level."),
  }),
  provisional: z
    .strictObject({
      waiting: z.int().describe("They are moved once the clock is set."),
      unplaced: z.int().describe("Their boot ended before its clock was set: they stay where they are."),
    })
    .nullable()
    .describe(
      "Records without a trusted time, void ones left out, at most 1000; null for a role without money.",
    ),
  queues: z
    .strictObject({
      writes: queue.extend({ waiting: uncounted }),
      edges: edgeQueue.extend({ waiting: uncounted }),
    })
    .describe("What waits for the disk, and its bounds."),
  lastBackup: z
    .strictObject({
      madeMs: timeMs,
      provedMs: timeMs,
      clockTrusted: z.boolean(),
      ageMs: z.int().nullable().describe("Null where a clock that was not trusted left no way to tell."),
    })
    .nullable()
    .describe("The newest backup that was checked in full; null before the first."),
  disk: disk.extend({ ledgerBytes: uncounted, logBytes: uncounted }).nullable(),
  machine: z
    .strictObject({
      temperature: z.int().nullable(),
      memory: z.strictObject({ availableBytes: z.int(), totalBytes: z.int() }).nullable(),
      isVoltageLow: z.boolean().nullable(),
      fileSystemErrors: z.int().nullable(),
      announcedName: z.string().nullable().describe("By which the local network finds it (mDNS)."),
      syncMs: z.int().nullable().describe("What 99 of its newest 100 synced writes took at most."),
    })
    .describe("Null where the gateway does not tell."),
  gateway: z
    .strictObject({
      name: z.string().describe("At most 60 characters."),
      hue: z.int().describe("Of its colour, in degrees: always the same for one ledger."),
    })
    .describe("By which people tell this gateway from others of the clinic."),
  otherGateways: z
    .array(
      z.strictObject({
        name: z.string(),
        address: z.string().describe("Of its page: https://192.168.1.20:8443/."),
      }),
    )
    .describe("Gateways that avahi finds on the local network, at most 32. Nothing of them is proved."),
  sinks: z
    .array(sink.extend({ waiting: uncounted, delivered: uncounted }))
    .describe(
      "The systems that the gateway sends to; empty for a role that neither owns nor wires. A role without money is told of no delivery.",
    ),
  newerPackage: z
    .strictObject({
      version: z.string(),
      source: z.enum(["disk", "apt"]).describe("Where it lies: on the removable disk, or in apt's source."),
      file: z.string().nullable().describe("The file on the disk; null in apt's source."),
      notes: z
        .strictObject({ es: z.string(), en: z.string() })
        .describe("What it brings, as it says itself; empty where it does not say."),
      command: z.string().describe("What installs it, as root."),
    })
    .nullable()
    .describe("A package of flanco that is newer than the running program. It is named, and not checked."),
  updates: z
    .strictObject({
      hours: z.string().describe("When they come, in local time: 04:00-06:00; empty: never."),
      ranMs: timeMs.nullable().describe("When they were last looked for."),
      succeededMs: timeMs.nullable().describe("When they last came through."),
      failure: z
        .strictObject({
          reason: z.enum(UPDATE_FAILURES),
          sinceMs: timeMs,
          version: z.string().describe("The version of flanco that did not work; empty for other reasons."),
          message: z.string().describe("For technicians; may be empty."),
        })
        .nullable(),
    })
    .nullable()
    .describe("How updates that come by themselves fare; null where nobody has let them."),
  faults: z
    .array(
      z.strictObject({
        code: z.enum(FAULT_CODES),
        severity: z
          .enum(SEVERITIES)
          .describe(
            "grave: sales are lost or refused meanwhile; warning: everything is recorded; note: a warning for technicians.",
          ),
        check: z.enum(CHECK_NAMES).describe("The part of the appliance that it is of."),
        sinceMs: timeMs,
        message: z.string().describe("For technicians."),
        hint: z.string(),
        texts: z
          .strictObject({ es: faultText, en: faultText })
          .describe("What it is and what to do, for people who are not technical."),
        details: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .describe("The values that the message names; for a role without money none that counts sales."),
      }),
    )
    .describe("What a person must see to, and what to do, the worst first."),
});

/** The part of the status that every view of the page needs, for a gateway or a company, which has no lines. */
export const pageStatus = status
  .pick({
    version: true,
    timeZone: true,
    currency: true,
    gateway: true,
    simulated: true,
    tests: true,
    lastEdges: true,
    faults: true,
  })
  .extend({ clock: z.strictObject({ nowMs: timeMs }) });

export const getStatus = declare("get", "/api/status", within(ON_PAGE), {
  summary: "How the appliance is: the user's own records and lines, and what all users share.",
  answer: withData(status),
});

/** The status of the whole appliance: of all accounts, with the records of its backup. */
const wholeStatus = status.extend({
  today: status.shape.today.describe("Null where the ledger cannot be read."),
  provisional: status.shape.provisional.unwrap(),
  queues: z.strictObject({ writes: queue, edges: edgeQueue }),
  disk: disk.nullable(),
  sinks: z.array(sink),
  lastBackup: status.shape.lastBackup
    .unwrap()
    .extend({ records: z.int(), position: z.int(), head: z.string() })
    .nullable(),
});

export const getWholeStatus = declare("get", "/api/status/whole", OPERATOR, {
  summary: "The status of the whole gateway, of all accounts.",
  answer: withData(wholeStatus),
});
