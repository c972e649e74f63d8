import { z } from "zod";
import { AUDIT_KINDS, AUDIT_WAYS } from "../domain/audit.ts";
import { FAULT_CODES } from "../domain/fault.ts";

/** The shapes of answers. They are the OpenAPI description, and tests hold every real answer to them. */
const id = z.string().regex(/^[0-9a-f]{24}$/);
const timeMs = z.int();

export const success = z.strictObject({ status: z.literal("success") });

const fields = z.record(
  z.string(),
  z.strictObject({ kind: z.enum(["required", "type", "length", "range", "unique"]), message: z.string() }),
);

/** An error of every endpoint but those of data, which carry their text in `message`. */
export const errorAnswer = z.strictObject({
  status: z.literal("error"),
  error: z.string(),
  errors: fields.optional(),
});
export const dataErrorAnswer = z.strictObject({
  status: z.literal("error"),
  message: z.string(),
  errors: fields.optional(),
});

export const userAnswer = success.extend({
  userData: z.strictObject({ _id: id, name: z.string(), email: z.string() }),
});

const actuator = z.strictObject({ id: z.string(), value: z.boolean() });
export const devicesAnswer = success.extend({
  data: z.array(
    z.strictObject({
      _id: id,
      userId: id,
      dId: z.string(),
      name: z.string(),
      selected: z.boolean(),
      actuators: z.array(actuator),
      locationId: z.string(),
      locationName: z.string(),
      createdTime: timeMs,
      __v: z.int(),
    }),
  ),
});

export const locationsAnswer = success.extend({
  data: z.array(
    z.strictObject({
      _id: id,
      userId: id,
      name: z.string(),
      description: z.string(),
      createdTime: timeMs,
      devices: z.array(z.strictObject({ _id: id, dId: z.string(), name: z.string() })),
      __v: z.int(),
    }),
  ),
});

export const savedAnswer = success.extend({ message: z.literal("Data saved successfully") });

export const summaryAnswer = success.extend({
  data: z.strictObject({
    totalRevenue: z.number(),
    totalSales: z.number(),
    totalLocations: z.int(),
    totalDevices: z.int(),
    dataForChart: z.array(z.strictObject({ name: z.string(), total: z.number() })),
    recentCount: z.int(),
  }),
});

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const sold = { revenue: z.number(), sales: z.int() };
const soldOnDays = { from: day, to: day, ...sold, locations: z.int(), devices: z.int() };
export const overviewAnswer = success.extend({
  data: z.strictObject({
    period: z.enum(["week", "year"]),
    ...soldOnDays,
    before: z
      .strictObject(soldOnDays)
      .describe("The seven days before the week, or the same days of last year."),
    today: z.strictObject(sold),
    chart: z
      .array(z.strictObject({ start: day, ...sold }))
      .describe("7 days, oldest first, or 12 months by their first day, January first."),
    choices: z
      .strictObject({
        locations: z.array(z.string()),
        devices: z.array(z.strictObject({ deviceId: z.string(), locationName: z.string() })),
      })
      .describe("What sold in the period or in the one before, no filter applied."),
  }),
});

export const wiringAnswer = success.extend({
  data: z.array(
    z.strictObject({
      line: z.string(),
      dId: z.string(),
      deviceName: z.string(),
      actuatorId: z.string(),
      valor: z.number(),
      activeLow: z.boolean(),
      bias: z.string(),
      debounceMs: z.int(),
      rearmMs: z.int(),
      watched: z.boolean(),
      problem: z.string().nullable(),
    }),
  ),
});

export const linesAnswer = success.extend({
  data: z.strictObject({
    driver: z.string(),
    simulated: z.boolean(),
    chips: z.array(
      z.strictObject({
        chip: z.string(),
        label: z.string(),
        lines: z.array(
          z.strictObject({
            address: z.string().describe("Chip and offset: gpiochip0:17."),
            name: z.string().nullable(),
            consumer: z
              .string()
              .nullable()
              .describe("Who else has the line; null while it is free or watched."),
            wired: z
              .strictObject({ deviceName: z.string(), dId: z.string(), actuatorId: z.string() })
              .nullable()
              .describe("The user's own room."),
            wiredByOther: z.boolean(),
            watched: z.boolean(),
            level: z.boolean().nullable().describe("activeLow applied; null but for own watched lines."),
            problem: z.string().nullable().describe("Why an own wired line is not watched."),
          }),
        ),
      }),
    ),
  }),
});
export const levelAnswer = success.extend({
  data: z.strictObject({ level: z.boolean().describe("Physical: true is high.") }),
});

const recordFields = {
  recordId: z.int(),
  locationName: z.string(),
  deviceName: z.string(),
  deviceId: z.string(),
  habitacion: z.string(),
  valor: z.number(),
  createdTime: timeMs,
};
export const recordsAnswer = success.extend({
  data: z.array(
    z.strictObject({
      ...recordFields,
      endedTime: timeMs.nullable(),
      origin: z.enum(["posted", "edge", "found_at_start"]),
      provisional: z.boolean().describe("Its time is not trusted yet: the clock was not set."),
      voided: z
        .strictObject({ timeMs, reason: z.string() })
        .nullable()
        .describe("When and why it was taken back: it counts in no summary."),
    }),
  ),
  next: z
    .string()
    .nullable()
    .describe("Ask on with ?before=next until it is null: a page may hold fewer than its limit, even none."),
});

const gapFields = {
  line: z.string(),
  fromTime: timeMs,
  toTime: timeMs,
  missed: z.int().nullable().describe("Edges that were lost; null for an outage: nobody knows."),
  missedRises: z.int().nullable().describe("How many of them were sales; null for an outage."),
  reason: z
    .enum(["overflow", "outage"])
    .describe("overflow: edges came faster than they could be kept. outage: nobody watched the line."),
};
export const gapsAnswer = success.extend({
  data: z.array(z.strictObject({ gapId: z.int(), ...gapFields })),
  next: z.int().nullable(),
});

export const auditAnswer = success.extend({
  data: z.array(
    z.strictObject({
      auditId: z.int(),
      kind: z.enum(AUDIT_KINDS),
      time: timeMs,
      provisional: z.boolean().describe("Its time is not trusted: the clock was not set."),
      own: z.boolean().describe("About this user's account; otherwise about the appliance as a whole."),
      way: z
        .enum(AUDIT_WAYS)
        .describe("Over the network, by a command on the appliance, or by the service itself."),
      who: z.string().nullable().describe("E-mail of the signed-in user, as it was then."),
      from: z.string().describe("Address of the client, or the system's user of the command."),
      details: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
        .describe("What was done; never a secret."),
    }),
  ),
  next: z.int().nullable(),
});

const queue = z.strictObject({ waiting: z.int(), limit: z.int() });
const reportSum = {
  sales: z.int(),
  revenue: z.number(),
  voided: z.int().describe("Records that were taken back: in no sum."),
  provisional: z.int().describe("How many of the sales have no certain time."),
};
export const reportAnswer = success.extend({
  data: z.strictObject({
    month: z.string().regex(/^\d{4}-\d{2}$/),
    location: z.string(),
    from: day,
    to: day,
    rooms: z.array(
      z.strictObject({ deviceId: z.string(), deviceName: z.string(), room: z.string(), ...reportSum }),
    ),
    totals: z.strictObject(reportSum),
    gaps: z
      .array(z.strictObject({ gapId: z.int(), ...gapFields }))
      .describe("Of lines that are wired at this location, or nowhere any more."),
    complete: z.boolean().describe("Whether the month is over."),
  }),
});

export const archivesAnswer = success.extend({
  data: z.strictObject({
    months: z.array(z.string().regex(/^\d{4,6}-\d{2}$/)).describe("Oldest first; of the user's own records."),
  }),
});
export const statusAnswer = success.extend({
  data: z.strictObject({
    version: z.string(),
    driver: z.string(),
    simulated: z.boolean(),
    timeZone: z.string(),
    currency: z
      .strictObject({ code: z.string(), decimals: z.int() })
      .describe("How amounts are to be shown: an ISO 4217 code, and places after the point."),
    startedTime: timeMs,
    uptimeMs: z.int(),
    clock: z.strictObject({
      time: timeMs.describe("What the gateway believes that it is."),
      trusted: z.boolean(),
      trustedSince: timeMs.nullable().describe("As far as this process knows; null while it is not trusted."),
      bootId: z.string(),
    }),
    recordsToday: z.strictObject({ day: z.string(), sales: z.int(), revenue: z.number() }),
    linesWired: z.int(),
    linesWatched: z.int(),
    lineFailures: z.array(z.strictObject({ line: z.string(), message: z.string() })),
    lastEdges: z
      .array(
        z.strictObject({
          line: z.string(),
          deviceId: id,
          dId: z.string(),
          deviceName: z.string(),
          room: z.string(),
          level: z.boolean().nullable(),
          time: timeMs.nullable(),
          provisional: z.boolean().describe("That time is not trusted yet."),
        }),
      )
      .describe(
        "The level that each wired line came to last; level and time are null before its first sight.",
      ),
    gaps: z.int().describe("Of all time, as far as the newest 1000 tell."),
    gapsLast30Days: z.int(),
    newestGaps: z.array(z.strictObject({ gapId: z.int(), ...gapFields })),
    provisional: z
      .strictObject({
        waiting: z.int().describe("They are moved once the clock is set."),
        unplaced: z.int().describe("Their boot ended before its clock was set: they stay where they are."),
      })
      .describe("Records without a trusted time, void ones left out, at most 1000."),
    queues: z
      .strictObject({ writes: queue, edges: queue })
      .describe("What waits for the disk, and its bounds."),
    lastBackup: z
      .strictObject({
        madeTime: timeMs,
        provedTime: timeMs,
        clockTrusted: z.boolean(),
        ageMs: z.int().nullable().describe("Null where a clock that was not trusted left no way to tell."),
      })
      .nullable()
      .describe("The newest backup that was restored and checked; null before the first."),
    disk: z
      .strictObject({
        freeBytes: z.int(),
        totalBytes: z.int(),
        ledgerBytes: z.int(),
        logBytes: z.int(),
        card: z
          .strictObject({
            device: z.string(),
            lifeUsedPercent: z.int().nullable().describe("In steps of 10; 110: beyond its life."),
            spareBlocks: z.enum(["normal", "warning", "urgent"]).nullable(),
          })
          .nullable()
          .describe("Wear of a card or eMMC chip that tells it."),
      })
      .nullable(),
    faults: z
      .array(
        z.strictObject({
          code: z.enum(FAULT_CODES),
          sinceTime: timeMs,
          message: z.string(),
          hint: z.string(),
          details: z
            .record(z.string(), z.union([z.string(), z.number()]))
            .describe("The values that the message names."),
        }),
      )
      .describe("What a person must see to, and what to do."),
  }),
});
