/** Reads parsed JSON into typed values. Everything throws a TypeError that names the field. */
export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown, what = "answer"): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(what, "an object");
  return value as Json;
}

export function objectOrNull(value: unknown, what: string): Json | null {
  return value === null ? null : object(value, what);
}

export function text(from: Json, field: string): string {
  const value = from[field];
  if (typeof value !== "string") throw wrong(field, "a text");
  return value;
}

export function number(from: Json, field: string): number {
  const value = from[field];
  if (typeof value !== "number") throw wrong(field, "a number");
  return value;
}

export function numberOrNull(from: Json, field: string): number | null {
  return from[field] === null ? null : number(from, field);
}

export function flag(from: Json, field: string): boolean {
  const value = from[field];
  if (typeof value !== "boolean") throw wrong(field, "true or false");
  return value;
}

export function list<T>(from: Json, field: string, item: (value: Json) => T): readonly T[] {
  const value = from[field];
  if (!Array.isArray(value)) throw wrong(field, "a list");
  return value.map((entry) => item(object(entry, field)));
}

function wrong(field: string, expected: string): TypeError {
  return new TypeError(`${field} is not ${expected}`);
}
