import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A secret that must be found nowhere. */
export interface Canary {
  /** What it is: what a failure may say, as it must not say the secret itself. */
  readonly name: string;
  readonly secret: Buffer;
}

/** The least of a long secret that counts as having found it: a PEM line ends in the middle of a key. */
const PIECE_BYTES = 16;

export function canary(name: string, secret: string | Buffer): Canary {
  return { name, secret: Buffer.from(secret as string) };
}

/** Every way in which programs write a secret down, whole and, of a long one, in pieces. */
function formsOf(secret: Buffer): readonly Buffer[] {
  const text = secret.toString("utf8");
  const hex = secret.toString("hex");
  const wholes = [
    secret,
    // As the engine has strings in memory: a byte a letter where that is enough, two otherwise.
    Buffer.from(text, "latin1"),
    Buffer.from(text, "utf16le"),
    ...[
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(text),
      hex,
      hex.toUpperCase(),
      // How Node shows a buffer: <Buffer 0a 1b …>, and how JSON has one: [10,27,…].
      hex.replaceAll(/..(?=.)/g, "$& "),
      [...secret].join(","),
      [...secret].join(", "),
    ].map((form) => Buffer.from(form)),
  ];
  // In the middle of something longer base64 has three forms; its ends depend on what stands around.
  const base64 = [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), secret])
      .toString("base64")
      .replace(/=+$/, "");
    const inner = encoded.slice(shift === 0 ? 0 : 4, -2);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")].map((form) =>
      Buffer.from(form, "latin1"),
    );
  });
  const forms = [...wholes, ...base64];
  return [...forms, ...forms.flatMap(piecesOf)];
}

function piecesOf(form: Buffer): readonly Buffer[] {
  if (form.length < 2 * PIECE_BYTES) return [];
  return [form.subarray(0, PIECE_BYTES), form.subarray(-PIECE_BYTES)];
}

/** Looks for secrets in whatever a program leaves behind. */
export class Detector {
  readonly #forms: readonly { readonly name: string; readonly forms: readonly Buffer[] }[];

  constructor(canaries: readonly Canary[]) {
    this.#forms = canaries.map(({ name, secret }) => ({ name, forms: formsOf(secret) }));
  }

  /** The names of the secrets that stand in it. */
  find(haystack: string | Buffer): readonly string[] {
    const bytes = typeof haystack === "string" ? Buffer.from(haystack) : haystack;
    return this.#forms
      .filter(({ forms }) => forms.some((form) => bytes.includes(form)))
      .map(({ name }) => name);
  }

  /** What stands in a process's command line and environment, and in those of all that it has started. */
  findInProcesses(pid: number): readonly string[] {
    return familyOf(pid).flatMap((member) =>
      ["cmdline", "environ"].flatMap((file) => this.find(readProcess(member, file))),
    );
  }

  /** What stands in any file of a directory, however deep. */
  findInFiles(directory: string): readonly string[] {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => this.find(readFileSync(join(entry.parentPath, entry.name))));
  }
}

/** A process, and its children's children. */
function familyOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    // The command's name, in parentheses, may hold anything.
    const parent = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readProcess(Number(name), "stat").toString())?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/** Empty for a process that has gone. */
function readProcess(pid: number, file: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return Buffer.alloc(0);
  }
}
