import { z } from "zod";

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
  next: z.int().nullable().describe("Ask for older ones with ?before=next; null at the end."),
});

const gapFields = {
  line: z.string(),
  fromTime: timeMs,
  toTime: timeMs,
  missed: z.int(),
  missedRises: z.int(),
  reason: z.string(),
};
export const gapsAnswer = success.extend({
  data: z.array(z.strictObject({ gapId: z.int(), ...gapFields })),
  next: z.int().nullable(),
});

export const statusAnswer = success.extend({
  data: z.strictObject({
    driver: z.string(),
    simulated: z.boolean(),
    timeZone: z.string(),
    linesWired: z.int(),
    linesWatched: z.int(),
    lineFailures: z.array(z.strictObject({ line: z.string(), message: z.string() })),
    gaps: z.int(),
    faults: z
      .array(
        z.strictObject({
          code: z.enum(["disk_full", "backup_failed", "ledger_damaged", "records_lost"]),
          sinceTime: timeMs,
          message: z.string(),
          hint: z.string(),
        }),
      )
      .describe("What a person must see to, and what to do."),
    lastBackup: z
      .strictObject({
        madeTime: timeMs,
        provedTime: timeMs,
        records: z.int(),
        position: z.int(),
        head: z.string(),
      })
      .nullable()
      .describe("The newest backup that was restored and checked; null before the first."),
  }),
});
