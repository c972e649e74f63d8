import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import type { PasswordTask } from "../../src/http/auth/password-thread.ts";
import { TaskThread } from "../../src/platform/task-thread.ts";
import { rejection } from "../rig/rejection.ts";

/** Of bcrypt hashes: the second costs a day. */
const [QUICK, ENDLESS] = ["04", "31"].map((cost) => `$2b$${cost}$${".".repeat(53)}`);

function compare(hash: string | undefined): PasswordTask {
  return { kind: "compare", password: "una clave", hash: hash ?? null };
}

describe("A thread with a task that cannot be sent", () => {
  it("refuses it, and gives the answers of later tasks to those", async () => {
    const thread = new TaskThread<PasswordTask, string | boolean>({
      source: "password",
      refusal: () => new FlancoError("unavailable", "ended"),
    });
    const unclonable = { ...compare(QUICK), extra: () => {} };
    const refused = thread.submit(unclonable).catch((error: unknown) => error);
    const hashed = thread.submit({ kind: "hash", password: "una clave" });
    const compared = thread.submit(compare(QUICK));
    expect(await refused).to.include({ name: "DataCloneError" });
    expect(await hashed).to.match(/^\$2b\$/);
    expect(await compared).to.equal(false);
    await thread.close();
  });
});

describe("A thread with a task that does not end", () => {
  it("ends at the deadline of that task, and another thread answers those that wait", async () => {
    const refused = new FlancoError("overloaded", "late");
    const thread = new TaskThread<PasswordTask, string | boolean>({
      source: "password",
      refusal: () => new FlancoError("unavailable", "ended"),
      deadline: { ms: 3_000, refusal: () => refused },
    });
    const late = rejection(thread.submit(compare(ENDLESS)));
    const waiting = [thread.submit(compare(QUICK)), thread.submit(compare(QUICK))];
    expect(await late).to.equal(refused);
    expect(await Promise.all(waiting)).to.deep.equal([false, false]);
    await thread.close();
  });
});
