import * as z from "zod";

/** What the guest tells of its work, one JSON object a line. Whatever it says has happened before it says so. */
export const noteSchema = z.discriminatedUnion("kind", [
  /** The program is about to start on an empty disk. */
  z.object({ kind: z.literal("starting") }),
  z.object({ kind: z.literal("ready") }),
  /** The first user was acknowledged. */
  z.object({ kind: z.literal("user"), email: z.string() }),
  /** The post of this number was answered with 201. */
  z.object({ kind: z.literal("posted"), number: z.number() }),
  /** The program told, after its commit, of a sale that an edge made. */
  z.object({ kind: z.literal("sale"), number: z.number(), room: z.string(), createdMs: z.number() }),
  /** A backup is asked for, beside all that goes on. */
  z.object({ kind: z.literal("backing-up") }),
  /** The backup was made, and proved. */
  z.object({ kind: z.literal("backed-up") }),
  /** All work was acknowledged: so many records were posted, and so many edges driven that make a sale. */
  z.object({ kind: z.literal("done"), posts: z.number(), rises: z.number() }),
  /** The program was told to stop, and has. */
  z.object({ kind: z.literal("stopped"), exitCode: z.number().nullable() }),
  /** The program is about to start on a ledger of the first schema. */
  z.object({ kind: z.literal("upgrading") }),
  /** It is ready on that ledger. */
  z.object({ kind: z.literal("upgraded") }),
]);
export type PowerCutNote = z.infer<typeof noteSchema>;
