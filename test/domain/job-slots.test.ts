import { expect } from "chai";
import { type Asker, JobSlots } from "../../src/domain/job-slots.ts";
import type { Role } from "../../src/domain/member.ts";
import { codeOf } from "../rig/rejection.ts";

describe("Slots for long jobs", () => {
  /** Names of members in the order in which their jobs began. */
  let began: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    began = [];
    ends = new Map();
  });

  function asker(memberId: string, role: Role = "staff", userId = "clinic"): Asker {
    return { userId, memberId, role };
  }

  async function take(slots: JobSlots, by: Asker): Promise<void> {
    const leave = await slots.take(by);
    began.push(by.memberId);
    ends.set(by.memberId, leave);
  }

  /** Ends the job that began last, as often as one begins. */
  async function endAll(): Promise<void> {
    await new Promise(setImmediate);
    for (let done = 0; done < began.length; done += 1) {
      ends.get(began[done] ?? "")?.();
      await new Promise(setImmediate);
    }
  }

  it("are one of an account: an owner comes next, then each member by turns", async () => {
    const slots = new JobSlots({ what: "jobs", inAll: 3, waitingOfMember: 8 });
    const screen = asker("screen", "display");
    const all = Array.from({ length: 4 }, () => take(slots, screen));
    all.push(take(slots, asker("luis")), take(slots, asker("luis")), take(slots, asker("ana", "owner")));
    await endAll();
    await Promise.all(all);
    expect(began.join(" ")).to.equal("screen ana luis screen luis screen screen");
  });

  it("let so many of one member wait, and as many of another", async () => {
    const slots = new JobSlots({ what: "jobs", inAll: 3, waitingOfMember: 2 });
    const waiting = Array.from({ length: 3 }, () => take(slots, asker("screen", "display")));
    expect(await codeOf(() => slots.take(asker("screen", "display")))).to.equal("overloaded");
    waiting.push(take(slots, asker("ana", "owner")));
    await endAll();
    await Promise.all(waiting);
    expect(began).to.have.lengthOf(4);
  });

  it("may be several of an account, one of each member, and leave room to others", async () => {
    const slots = new JobSlots({ what: "jobs", inAll: 3, ofAccount: 2, waitingOfMember: 0 });
    const ofOther = (memberId: string) => asker(memberId, "owner", "other");
    await take(slots, asker("ana"));
    expect(await codeOf(() => slots.take(asker("ana"))), "a second one").to.equal("overloaded");
    await take(slots, asker("luis"));
    expect(await codeOf(() => slots.take(asker("eva"))), "a third of the account").to.equal("overloaded");
    await take(slots, ofOther("marta"));
    expect(await codeOf(() => slots.take(ofOther("juan"))), "a fourth in all").to.equal("overloaded");
    ends.get("ana")?.();
    await take(slots, ofOther("juan"));
  });

  it("go by turns from account to account, whoever in one is an owner", async () => {
    const slots = new JobSlots({ what: "jobs", inAll: 1, waitingOfMember: 8 });
    const all = [take(slots, asker("luis")), take(slots, asker("luis"))];
    all.push(...Array.from({ length: 4 }, () => take(slots, asker("ana", "owner"))));
    all.push(
      take(slots, asker("screen", "display", "other")),
      take(slots, asker("screen", "display", "other")),
    );
    await endAll();
    await Promise.all(all);
    expect(began.join(" ")).to.equal("luis screen ana screen ana ana ana luis");
  });
});
