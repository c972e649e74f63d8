import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../src/central/database.ts";
import { rejection } from "../rig/rejection.ts";

describe("The company's database", () => {
  it("at an address that no socket takes gives an error and ends no process, also once its time is over", async () => {
    const address = {
      user: "a",
      database: "c",
      hosts: [{ host: "db\0", port: 5432 }],
      authorities: null,
      isPlain: false,
    };
    const failure = await rejection(connect(address, () => "x", { connectMs: 1, answerMs: 1 }));
    expect(failure.code).to.equal("unavailable");
    // The connection's own timer was begun before this one, and is shorter.
    await pause(20);
  });
});
