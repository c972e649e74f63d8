import { readFileSync } from "node:fs";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "..", "..");

/**
 * A file of the checkout with some texts replaced, for a guest in which a protection is off. Throws where a text is
 * not found exactly once: a control that controls nothing must not pass.
 */
export function replaced(path: string, texts: Readonly<Record<string, string>>): Record<string, string> {
  let source = readFileSync(join(CHECKOUT, path), "utf8");
  for (const [from, to] of Object.entries(texts)) {
    const parts = source.split(from);
    if (parts.length !== 2) {
      throw new Error(
        `${path} has ${parts.length - 1} times, not once: ${from}\nAdapt the control to the file as it is.`,
      );
    }
    source = parts.join(to);
  }
  return { [path]: source };
}
