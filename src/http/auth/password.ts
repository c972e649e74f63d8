import { PASSWORD_MAX_BYTES, type PasswordHasher, passwordBytes } from "../../domain/account.ts";
import { FlancoError } from "../../domain/error.ts";
import { TaskThread } from "../../platform/task-thread.ts";
import type { PasswordTask } from "./password-thread.ts";

/** Runs bcrypt in a thread, because forty sign-ins at once would stall the main thread for seconds. */
export class WorkerPasswordHasher implements PasswordHasher {
  readonly #thread = new TaskThread<PasswordTask, string | boolean>({
    source: "password",
    refusal: () =>
      new FlancoError("unavailable", "Passwords cannot be checked.", { hint: "Try again in a second." }),
  });

  close(): Promise<void> {
    return this.#thread.close();
  }

  async hash(password: string): Promise<string> {
    return String(await this.#thread.submit({ kind: "hash", password }));
  }

  async matches(password: string, hash: string | null): Promise<boolean> {
    // bcrypt compares only the first 72 bytes, and would accept a longer password.
    const candidate = passwordBytes(password) > PASSWORD_MAX_BYTES ? "" : password;
    const same = await this.#thread.submit({ kind: "compare", password: candidate, hash });
    return same === true && candidate === password && hash !== null;
  }
}
