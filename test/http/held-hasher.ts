import type { PasswordHasher } from "../../src/domain/password.ts";
import { sharedHasher } from "./appliance.ts";

/** The real hasher, between whose comparison and whose answer a test makes something happen. */
export class HeldHasher implements PasswordHasher {
  meanwhile: () => Promise<void> = () => Promise.resolve();

  hash(password: string): Promise<string> {
    return sharedHasher().hasher.hash(password);
  }

  async matches(password: string, hash: string | null): Promise<boolean> {
    const right = await sharedHasher().hasher.matches(password, hash);
    await this.meanwhile();
    return right;
  }
}
