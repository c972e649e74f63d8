import type { z } from "zod";
import { type FieldError, type FieldErrorKind, FlancoError } from "../domain/error.ts";

/** Mistakes named in one answer; a body of ten thousand wrong actuators needs no more. */
const MAX_MISTAKES = 20;

type Issue = z.core.$ZodIssue;

/**
 * Parses a query or a body. Throws `invalid` with a text that names each field and what is wrong with it. `wrapper` is
 * the object that the contract wraps the fields in (`newDevice`): it is left out of the fields' names.
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, wrapper?: string): z.output<S> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const fields = new Map<string, FieldError>();
  for (const issue of parsed.error.issues) {
    const field = nameOf(issue.path, wrapper);
    if (fields.size < MAX_MISTAKES && !fields.has(field)) {
      fields.set(field, { kind: kindOf(issue), message: messageOf(issue) });
    }
  }
  const text = [...fields].map(([field, { message }]) => `${field}: ${message}`).join("; ");
  throw new FlancoError("invalid", `${text}.`, { fields: Object.fromEntries(fields) });
}

function nameOf(path: readonly PropertyKey[], wrapper: string | undefined): string {
  const steps = path.length > 1 && path[0] === wrapper ? path.slice(1) : path;
  return steps.length === 0 ? "body" : steps.map(String).join(".");
}

function kindOf(issue: Issue): FieldErrorKind {
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return "required";
    return typeof issue.input === "number" && issue.expected === "number" ? "range" : "type";
  }
  if (issue.code === "too_small" || issue.code === "too_big") {
    if (issue.origin === "string" && issue.code === "too_small" && issue.input === "") return "required";
    return issue.origin === "string" || issue.origin === "array" ? "length" : "range";
  }
  if (issue.code === "custom" && issue.params?.["kind"] === "unique") return "unique";
  return "type";
}

function messageOf(issue: Issue): string {
  if (kindOf(issue) === "required") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return typeof issue.input === "number" && issue.expected === "number"
        ? "must be a finite number"
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `must have at least ${issue.minimum}${unitOf(issue.origin)}`.replace(
        /^must have(?=.*\d$)/,
        "must be",
      );
    case "too_big":
      return `must have at most ${issue.maximum}${unitOf(issue.origin)}`.replace(
        /^must have(?=.*\d$)/,
        "must be",
      );
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_format":
      return issue.format === "email" ? "must be an e-mail address" : issue.message;
    default:
      return issue.message;
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

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}
