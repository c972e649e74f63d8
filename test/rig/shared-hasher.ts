import { hash } from "bcryptjs";
import { WorkerPasswordHasher } from "../../src/http/auth/password.ts";

/** The password of every user that `addUser` makes. */
export const PASSWORD = "una clave larga";

/** Of bcrypt: 2^4 rounds. */
const CHEAP_COST = 4;

/** The real one, but for hashes that a comparison takes a fiftieth of the time for. */
class CheapHasher extends WorkerPasswordHasher {
  override hash(password: string): Promise<string> {
    return hash(password, CHEAP_COST);
  }
}

const hasher = new CheapHasher();
let passwordHash: Promise<string> | undefined;

/** The one hasher of all appliances, whose thread takes a while to start. */
export function sharedHasher(): { hasher: WorkerPasswordHasher; passwordHash: Promise<string> } {
  passwordHash ??= hasher.hash(PASSWORD);
  return { hasher, passwordHash };
}
