import fc from "fast-check";
import { JSON_BODIES } from "../http/bodies.ts";

export type Step = string | number;

/** The queries of operations that want one beside a body. */
const QUERIES: Readonly<Record<string, string>> = {
  "patch /api/device": "?dId=7234",
  "patch /api/location": "?locationId=x",
};

/** Each operation that takes a body, as it should be. */
export const TARGETS = JSON_BODIES.map(({ operation, method, path, body }) => ({
  method: method.toUpperCase(),
  path: path + (QUERIES[operation] ?? ""),
  body,
}));

/** Any character that Unicode has room for. The table of them that fast-check's own unit makes takes a second. */
const anyCharacter = fc
  .nat({ max: 0x10_ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Values that programs stumble over, beside whatever JSON can say. */
const oddValue = fc.oneof(
  fc.jsonValue({ depthSize: "small" }),
  fc.constantFrom<unknown>(null, "", " ", "\u0000", "\ud800", -0, 1e308, 5e-324, 2 ** 53, [], {}, [[]], true),
  fc.constantFrom<unknown>(
    ...["__proto__", "constructor", "' OR 1=1 --", "../../etc/passwd", "<svg onload=1>", "%00"],
  ),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.double(),
);

/** Every place in a body, as the steps that lead to it. */
export function places(body: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (body === null || typeof body !== "object") return [path];
  const inner = Object.entries(body).flatMap(([key, child]) =>
    places(child, [...path, Array.isArray(body) ? Number(key) : key]),
  );
  return [path, ...inner];
}

/** The body with another value at one place, where that place is; undefined takes the place away. */
export function replaced(body: unknown, path: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (body === null || typeof body !== "object" || !Object.hasOwn(body, step)) return body;
  const changed = replaced(Reflect.get(body, step), rest, value);
  return Array.isArray(body)
    ? body.map((entry: unknown, index) => (index === step ? changed : entry))
    : { ...body, [step]: changed };
}

/** Texts of bodies that were one good body: with other values, without some, or torn and patched. */
export function mutatedBody(body: unknown): fc.Arbitrary<string> {
  const whole = JSON.stringify(body);
  const value = fc.oneof(
    { weight: 6, arbitrary: oddValue },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const changes = fc.array(fc.tuple(fc.constantFrom(...places(body)), value), { minLength: 1, maxLength: 3 });
  const changed = changes.map(
    (all) =>
      JSON.stringify(all.reduce<unknown>((now, [place, put]) => replaced(now, place, put), body)) ?? "",
  );
  return fc.oneof({ weight: 4, arbitrary: changed }, { weight: 1, arbitrary: mutatedText(whole, 3) });
}

/** A text with some of its characters taken away and others put in, at so many places. */
export function mutatedText(text: string, places: number): fc.Arbitrary<string> {
  const patch = fc.tuple(
    fc.nat({ max: text.length }),
    fc.nat({ max: 6 }),
    fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 6 }),
      fc.constantFrom(
        ...["\r\n", "\r\n\r\n", "\n", "\0", "%", "%2e%2e/", "//", "..", ":", "?", "#", "[", "\u00ff", text],
      ),
    ),
  );
  return fc
    .array(patch, { minLength: 1, maxLength: places })
    .map((patches) =>
      patches.reduce((now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut), text),
    );
}
