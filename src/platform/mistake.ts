import type * as z from "zod";
import type { FieldErrorKind } from "../domain/error.ts";

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;

/** The kind of mistake, by which a page chooses its words. `issue` was reported with its input. */
export function kindOf(issue: Issue): FieldErrorKind {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "required";
      return isNoFiniteNumber(issue) ? "range" : "type";
    case "too_small":
      if (issue.origin === "string" && issue.input === "") return "required";
      return boundedBy(issue.origin);
    case "too_big":
      return boundedBy(issue.origin);
    case "custom":
      return issue.params?.["kind"] === "unique" ? "unique" : "type";
    default:
      return "type";
  }
}

/** A number that is infinite or NaN. */
function isNoFiniteNumber({
  input,
  expected,
}: {
  readonly input?: unknown;
  readonly expected: string;
}): boolean {
  return typeof input === "number" && expected === "number";
}

function boundedBy(origin: string): FieldErrorKind {
  return origin === "string" || origin === "array" ? "length" : "range";
}

/**
 * What a value must be, for people. An option `error` of zod's parsing,
 * which leaves the messages that a shape itself has.
 */
export function mistakeOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (kindOf(issue) === "required") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return isNoFiniteNumber(issue)
        ? "must be a finite number"
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return boundOf(issue.origin, `at least ${issue.minimum}`);
    case "too_big":
      return boundOf(issue.origin, `at most ${issue.maximum}`);
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.join(", ")}`
        : undefined;
    case "invalid_format":
      return issue.format === "email" ? "must be an e-mail address" : undefined;
    default:
      return undefined;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function boundOf(origin: string, bound: string): string {
  if (origin === "string") return `must have ${bound} characters`;
  return origin === "array" ? `must have ${bound} entries` : `must be ${bound}`;
}
