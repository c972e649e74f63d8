import * as z from "zod";
import type { Actor } from "../domain/audit.ts";
import { MAX_ACTUATORS } from "../domain/device.ts";
import { ROLES } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { importedRecord } from "./data.ts";
import { declare, MAX_IMPORT_BYTES, OPERATOR, type Shape } from "./declaration.ts";
import { id, name, text, timeMs, withData } from "./field.ts";
import { description } from "./location.ts";
import { disk, edgeQueue, getStatus, queue, sink } from "./status.ts";

/** The most records of one step of an import, for which other writes wait. */
export const MAX_IMPORTED = 250;

/** A bcrypt hash that takes a few seconds to compare with, at most. */
export const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

/** The most characters of the keys of one check's findings. */
const MAX_KEYS = 20_000;

/**
 * The headers with the system's user that runs a command, for the audit log, and with the e-mail of a
 * member of the account that it is about. Percent-encoded, because names need not be Latin-1.
 */
export const OPERATOR_HEADER = "x-flanco-operator";
export const ACCOUNT_HEADER = "x-flanco-account";

const user = z.strictObject({ id, userId: id, role: z.enum(ROLES), name: z.string(), email: z.string() });

const chip = z.strictObject({
  name: z.string(),
  label: z.string(),
  place: z.string().exactOptional(),
  lines: z.array(
    z.strictObject({
      chip: z.string(),
      offset: z.int(),
      name: z.string().nullable(),
      holder: z.string().nullable(),
    }),
  ),
});

/** A sighting as `flanco gpio watch` shows it. `sequence` is 0 for the level at the start of a watch. */
export const sighting = z.strictObject({
  line: z.string(),
  active: z.boolean(),
  activeLow: z.boolean(),
  timeMs,
  monotonicMs: z.int(),
  sequence: z.int(),
  missed: z.int(),
});
export type ShownSighting = z.output<typeof sighting>;

/** The status of the whole appliance: of all accounts, with the records of its backup. */
const { data: status } = getStatus.answer.shape;
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

const misplacedSales = z.strictObject({
  records: z.int(),
  firstMs: z.int().nullable(),
  lastMs: z.int().nullable(),
  byMs: z.int(),
});

export const importedLocation = z.strictObject({ name, description: description.default("") });
export const importedDevice = z.strictObject({
  id,
  dId: name,
  name,
  locationName: name,
  rooms: z
    .array(name)
    .min(1)
    .max(MAX_ACTUATORS)
    .refine((rooms) => new Set(rooms).size === rooms.length, "names a room twice"),
});
const accountOf = name
  .optional()
  .describe("E-mail of one of the account's members; left out for the only account.");
const dryRun = z.boolean().describe("Only counts.");

/** An operation: the shape of its input, and the shape of its answer's data. */
function operation<const I extends z.ZodRawShape, A extends z.ZodType>(input: I, data: A) {
  return { input: z.strictObject(input), data };
}

/**
 * The operations of commands on the appliance itself. They are served on the control
 * socket, which only the data directory's owner may open, and never on the network.
 */
export const OPERATIONS = {
  /** The members of all accounts. */
  listUsers: operation({}, z.array(user)),
  /**
   * Makes an account, or a member of one. Without a password the answer has the token
   * of a link. `account` is the e-mail of one of the account's members. Without
   * `account` a role means the only account, and without either a new account is made.
   */
  addUser: operation(
    {
      name,
      email: z.email().max(MAX_TEXT),
      password: z.string().optional(),
      account: name.optional(),
      role: z.enum(ROLES).optional(),
    },
    z.strictObject({ email: z.string(), token: z.string().nullable() }),
  ),
  /** Makes a link that sets a password once. */
  linkUser: operation({ email: name }, z.strictObject({ token: z.string() })),
  changeUser: operation({ email: name, name: name.optional(), role: z.enum(ROLES).optional() }, z.null()),
  signOutUser: operation({ email: name }, z.strictObject({ ended: z.int() })),
  /** The member's sessions end. */
  setPassword: operation({ email: name, password: z.string() }, z.null()),
  /** Removes a member, or an account with its only one; records stay. */
  removeUser: operation({ email: name, withDevices: z.boolean() }, z.null()),
  /**
   * Makes an account whose owner has this bcrypt hash of a
   * password, or none yet; a known e-mail is left as it is.
   */
  importUser: operation(
    { name, email: z.email().max(MAX_TEXT), passwordHash: z.string().regex(BCRYPT).nullable() },
    z.null(),
  ),
  /**
   * Adds locations and devices that an account lacks. `user` as for
   * `importRecords`. Gives what each device is here, by its id there (`from`).
   */
  importPlaces: operation(
    {
      user: accountOf,
      dryRun,
      source: name,
      locations: z.array(importedLocation),
      devices: z.array(importedDevice),
    },
    z.strictObject({
      locations: z.int(),
      devices: z.int(),
      placed: z.array(z.strictObject({ from: id, id, dId: name })),
    }),
  ),
  importRecords: operation(
    { user: accountOf, dryRun, records: z.array(importedRecord).max(MAX_IMPORTED) },
    z.strictObject({
      added: z.int(),
      differing: z
        .array(z.int())
        .describe("Places in the list of those whose key is here with another content."),
    }),
  ),
  /** Every chip with its lines and their holders. */
  detect: operation({}, z.array(chip)),
  /** The status of the appliance, of all users. */
  status: operation({}, wholeStatus),
  /** Replaces the secret that signs sessions, which ends all of them. */
  rotateSecret: operation({}, z.strictObject({ ended: z.int() })),
  /** Boots whose clock was set to another time later, with their sales. */
  reclocked: operation(
    {},
    z.array(
      z.strictObject({
        bootId: z.string(),
        zeroMs: z.int(),
        setZeroMs: z.int(),
        before: misplacedSales,
        since: misplacedSales,
      }),
    ),
  ),
  /** Gives the sales of a boot other times, by another wall time of its monotonic zero. */
  correctClock: operation({ bootId: name, zeroMs: z.int() }, z.strictObject({ moved: z.int() })),
  /** Acknowledges findings of a full check. */
  acknowledge: operation({ name, reason: text(0, MAX_TEXT), findings: text(1, MAX_KEYS) }, z.null()),
};

export type OperationName = keyof typeof OPERATIONS;
type Operation<N extends OperationName> = (typeof OPERATIONS)[N];

/** The input of an operation, before defaults are filled in. */
export type OperationInput<N extends OperationName> = z.input<Operation<N>["input"]>;

/** The parsed input of an operation. */
export type ParsedInput<N extends OperationName> = z.output<Operation<N>["input"]>;

/** The data of an operation's answer. */
export type OperationData<N extends OperationName> = Shape<Operation<N>["data"]>;

/** The code of an operation. It may return nothing where the answer is null. */
export type OperationCode<N extends OperationName> = (
  input: ParsedInput<N>,
  by: Actor,
) => Promise<Answered<OperationData<N>>> | Answered<OperationData<N>>;
// biome-ignore lint/suspicious/noConfusingVoidType: a function without an answer returns void.
type Answered<T> = T extends null ? void : T;

/** The endpoint of an operation. */
export function declarationOf(name: OperationName) {
  const { input, data } = OPERATIONS[name];
  return declare("post", `/api/operator/${name}`, OPERATOR, {
    summary: "An operation of a command.",
    body: input,
    maxBodyBytes: MAX_IMPORT_BYTES,
    answer: withData(data),
  });
}

/** The sightings of all wired lines from this moment on, a JSON text a line, until the client goes away. */
export const watchLines = declare("get", "/api/operator/line/watch", OPERATOR, {
  summary: "Every level of the wired lines as it comes.",
  stream: "application/x-ndjson",
});
