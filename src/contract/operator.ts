import { z } from "zod";
import { AUDIT_KINDS, AUDIT_WAYS } from "../domain/audit.ts";
import { BIASES } from "../domain/line.ts";
import { ROLES } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, MAX_DEBOUNCE_MS, MAX_REARM_MS } from "../domain/wiring.ts";
import { type AnswerOf, type Declaration, declare } from "./declaration.ts";
import { id, name, success, text, timeMs, valor } from "./field.ts";
import { newTest, testedEdge } from "./line-test.ts";
import { getStatus } from "./status.ts";

/** Lines that one import may wire. */
export const MAX_WIRING_ROWS = 1_000;

/** Entries of the audit log that one answer holds. */
export const MAX_AUDIT_PAGE = 500;

/** Characters of the keys of all findings that one check lists. */
const MAX_KEYS = 20_000;

/** Names the system's user that runs a command, for the audit log. Percent-encoded: names need not be Latin-1. */
export const OPERATOR_HEADER = "x-flanco-operator";

const user = z.strictObject({ id, userId: id, role: z.enum(ROLES), name: z.string(), email: z.string() });

/** One wired line as commands and files show it. */
export const wiringRow = z.strictObject({
  line: name,
  device: name,
  actuator: name,
  valor,
  active_low: z.boolean().default(false),
  bias: z.enum(BIASES).default("as-is"),
  debounce_ms: z.int().min(0).max(MAX_DEBOUNCE_MS).default(DEFAULT_DEBOUNCE_MS),
  rearm_ms: z.int().min(0).max(MAX_REARM_MS).default(DEFAULT_REARM_MS),
  /** E-mail of the user whose device it is; needed only where several users have that dId. */
  user: name.optional(),
});
export type WiringRow = z.output<typeof wiringRow>;

const chip = z.strictObject({
  name: z.string(),
  label: z.string(),
  lines: z.array(
    z.strictObject({
      chip: z.string(),
      offset: z.int(),
      name: z.string().nullable(),
      holder: z.string().nullable(),
    }),
  ),
});

/** A level of a line as a watch shows it; `sequence` is 0 for the level at the start of a watch. */
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

/** How the whole appliance is: of all accounts, and with what a backup holds of all of them. */
const { data: status } = getStatus.answer.shape;
const wholeStatus = status.extend({
  recordsToday: status.shape.recordsToday.unwrap(),
  lastBackup: z
    .strictObject({
      madeTime: timeMs,
      provedTime: timeMs,
      records: z.int(),
      position: z.int(),
      head: z.string(),
      clockTrusted: z.boolean(),
      ageMs: z.int().nullable(),
    })
    .nullable(),
});

const auditEntry = z.strictObject({
  auditId: z.int(),
  kind: z.enum(AUDIT_KINDS),
  timeMs,
  provisional: z.boolean(),
  userId: id.nullable(),
  way: z.enum(AUDIT_WAYS),
  who: z.string().nullable(),
  from: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  user: z
    .string()
    .nullable()
    .describe("E-mail of the account that it is about; null for the appliance, and for a removed account."),
});

const salesSpan = z.strictObject({
  ...{ records: z.int(), firstMs: z.int().nullable(), lastMs: z.int().nullable() },
});

/** A number in a query, which is a text. */
const count = z.coerce.number<number>().int().min(1);
const owner = name.optional().describe("E-mail of the user of all devices, in place of those in the rows.");

/** An operation of an operator: without a session, and with an answer whose `data` has this shape. */
function operation<
  const D extends Pick<
    Declaration,
    "method" | "path" | "summary" | "query" | "body" | "wrapper" | "maxBodyBytes"
  >,
  A extends z.ZodType,
>(declaration: D, data: A) {
  return { ...declaration, ...COMMON, answer: success.extend({ data }) };
}
const COMMON = { roles: null, status: 200, errors: [] } as const;

/**
 * What a technician does by commands on the appliance itself. These endpoints are mounted on the control socket, which
 * only the data directory's owner may open, and never on the network. Each takes a query, a body or nothing.
 */
export const OPERATIONS = {
  listUsers: operation(
    { method: "get", path: "/operator/user", summary: "The members of all accounts." },
    z.array(user),
  ),
  addUser: operation(
    {
      ...{ method: "post", path: "/operator/user", summary: "Make an account, or a member of one." },
      body: z.strictObject({
        name,
        email: z.email().max(MAX_TEXT),
        password: z.string().optional().describe("Absent: the answer has the token of a link."),
        account: name.optional().describe("E-mail of a member of the account. Absent: a new one."),
        role: z.enum(ROLES).optional().describe("With it the only account is meant where none is named."),
      }),
    },
    z.strictObject({ email: z.string(), token: z.string().nullable() }),
  ),
  linkUser: operation(
    {
      ...{ method: "post", path: "/operator/user/link", summary: "Make a link that sets a password once." },
      body: z.strictObject({ email: name }),
    },
    z.strictObject({ token: z.string() }),
  ),
  changeUser: operation(
    {
      ...{ method: "patch", path: "/operator/user", summary: "Change a member's name or role." },
      body: z.strictObject({ email: name, name: name.optional(), role: z.enum(ROLES).optional() }),
    },
    z.null(),
  ),
  signOutUser: operation(
    {
      ...{ method: "post", path: "/operator/user/sign-out", summary: "End all sessions of a member." },
      body: z.strictObject({ email: name }),
    },
    z.strictObject({ ended: z.int() }),
  ),
  setPassword: operation(
    {
      ...{ method: "put", path: "/operator/user/password", summary: "Change a password; its sessions end." },
      body: z.strictObject({ email: name, password: z.string() }),
    },
    z.null(),
  ),
  removeUser: operation(
    {
      ...{
        method: "post",
        path: "/operator/user/remove",
        summary: "Remove a member, or an account with its only one; records stay.",
      },
      body: z.strictObject({ email: name, withDevices: z.boolean() }),
    },
    z.null(),
  ),
  listWiring: operation(
    { method: "get", path: "/operator/wiring", summary: "The wired lines of all users." },
    z.array(wiringRow.required({ user: true }).extend({ state: z.string() })),
  ),
  setWiring: operation(
    {
      ...{ method: "put", path: "/operator/wiring", summary: "Wire a line, or change its settings." },
      body: z.strictObject({ user: owner, row: wiringRow }),
      wrapper: "row",
    },
    z.null(),
  ),
  importWiring: operation(
    {
      ...{ method: "put", path: "/operator/wiring/all", summary: "Wire lines: all of them, or none." },
      body: z.strictObject({ user: owner, rows: z.array(wiringRow).max(MAX_WIRING_ROWS) }),
      maxBodyBytes: 4 * 1024 * 1024,
    },
    z.null(),
  ),
  removeWiring: operation(
    {
      ...{ method: "delete", path: "/operator/wiring", summary: "Unwire a line; its records stay." },
      query: z.strictObject({ line: name }),
    },
    z.null(),
  ),
  beginTest: operation(
    {
      ...{ method: "put", path: "/operator/test", summary: "Put wired lines under test." },
      body: z.strictObject(newTest),
    },
    z.null(),
  ),
  endTest: operation(
    { method: "post", path: "/operator/test/end", summary: "End every test of lines." },
    z.null(),
  ),
  listTestedEdges: operation(
    { method: "get", path: "/operator/test", summary: "What lines under test did, newest first." },
    z.array(testedEdge),
  ),
  voidRecord: operation(
    {
      ...{ method: "post", path: "/operator/void", summary: "Take a record back." },
      body: z.strictObject({ recordId: z.int().min(1), reason: name }),
    },
    z.null(),
  ),
  detect: operation(
    { method: "get", path: "/operator/line", summary: "Every chip with its lines and their holders." },
    z.array(chip),
  ),
  setLine: operation(
    {
      ...{ method: "put", path: "/operator/line", summary: "Set the physical level of a simulated line." },
      body: z.strictObject({ line: name, high: z.boolean() }),
    },
    z.null(),
  ),
  status: operation(
    { method: "get", path: "/operator/status", summary: "How the appliance is, of all users." },
    wholeStatus,
  ),
  rotateSecret: operation(
    { method: "post", path: "/operator/secret", summary: "Sign sessions by another secret: all end." },
    z.strictObject({ ended: z.int() }),
  ),
  reclocked: operation(
    {
      method: "get",
      path: "/operator/clock",
      summary: "Sales of a clock that was set to another time later.",
    },
    z.array(
      z.strictObject({
        ...{ bootId: z.string(), zeroMs: z.int(), setZeroMs: z.int() },
        ...{ before: salesSpan, since: salesSpan },
      }),
    ),
  ),
  correctClock: operation(
    {
      ...{
        method: "post",
        path: "/operator/clock",
        summary: "Move the sales of a boot by another time of its zero.",
      },
      body: z.strictObject({ bootId: name, zeroMs: z.int() }),
    },
    z.strictObject({ moved: z.int() }),
  ),
  acknowledge: operation(
    {
      ...{ method: "post", path: "/operator/finding", summary: "Acknowledge findings of a full check." },
      body: z.strictObject({ name, reason: text(0, MAX_TEXT), findings: text(1, MAX_KEYS) }),
    },
    z.null(),
  ),
  listAudit: operation(
    {
      ...{ method: "get", path: "/operator/audit", summary: "The audit log of all accounts, newest first." },
      query: z.strictObject({
        before: count.optional(),
        sinceMs: z.coerce.number<number>().int().min(0).optional(),
        limit: count.max(MAX_AUDIT_PAGE),
      }),
    },
    z.array(auditEntry),
  ),
};

export type OperationName = keyof typeof OPERATIONS;
type Operation<N extends OperationName> = (typeof OPERATIONS)[N];

/** The query or the body of an operation, before defaults are filled in; nothing where it takes neither. */
export type OperationInput<N extends OperationName> =
  Operation<N> extends { readonly body: infer B extends z.ZodType }
    ? z.input<B>
    : Operation<N> extends { readonly query: infer Q extends z.ZodType }
      ? z.input<Q>
      : Record<string, never>;

/** The same after it was parsed. */
export type ParsedInput<N extends OperationName> =
  Operation<N> extends { readonly body: infer B extends z.ZodType }
    ? z.output<B>
    : Operation<N> extends { readonly query: infer Q extends z.ZodType }
      ? z.output<Q>
      : unknown;

/** What an operation answers with. */
export type OperationData<N extends OperationName> = AnswerOf<Operation<N>>["data"];

/** The levels of all wired lines from this moment on, a JSON text a line, until the client goes away. */
export const watchLines = declare({
  ...{ method: "get", path: "/operator/line/watch", summary: "Every level of the wired lines as it comes." },
  ...COMMON,
  stream: "application/x-ndjson",
});
